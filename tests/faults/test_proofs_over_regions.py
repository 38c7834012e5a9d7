"""Faults of claims over regions, however narrow: what holds one is never proved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.proof import prove_over

LOW, HIGH, SIZE = -2.0, 2.0, 2
REGION = verify.box(LOW, HIGH, shape=(SIZE,))


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def rosenbrock_slopes(x):
    bend = x[1] - x[0] ** 2
    return np.stack([-2 * (1 - x[0]) - 400 * x[0] * bend, 200 * bend])


def softened(x):
    return np.sqrt(1 + np.sum(x**2))


def wave(x):
    return np.sin(x[0]) * np.exp(x[1])


def wave_slopes(x):
    return np.stack([np.cos(x[0]) * np.exp(x[1]), np.sin(x[0]) * np.exp(x[1])])


def in_pieces(x):
    return np.sum(np.where(x > 0.5, x**2 - 0.25, x - 0.5))


RIGHT = {
    "polynomial": (rosenbrock, rosenbrock_slopes),
    "root": (softened, lambda x: x / softened(x)),
    "wave": (wave, wave_slopes),
    "softplus": (lambda x: np.sum(np.log1p(np.exp(x))), lambda x: 1 / (1 + np.exp(-x))),
    "pieces": (in_pieces, lambda x: np.where(x > 0.5, 2 * x, 1.0)),
}

numbers = st.floats(LOW, HIGH, allow_subnormal=False)
places = st.one_of(numbers, st.integers(-31, 31).map(lambda k: k / 16))
entries = st.integers(0, SIZE - 1)
small = st.sampled_from([1e-3, 1e-9, 1e-12, 2.0**-52, -1e-6])


def unit(entry):
    return np.eye(SIZE)[entry]


EVERYWHERE = {
    "a factor": lambda g, place, entry, by: lambda x: g(x) * (1 + by),
    "a factor of one entry": lambda g, place, entry, by: lambda x: g(x) * (1 + by * unit(entry)),
    "a sign in one entry": lambda g, place, entry, by: lambda x: g(x) * (1 - 2 * unit(entry)),
    "a term": lambda g, place, entry, by: lambda x: g(x) + by * np.sin(x[entry]),
    "entries exchanged": lambda g, place, entry, by: lambda x: g(x)[::-1] + 0 * x,
    "a term that is zero at points": lambda g, place, entry, by: (
        lambda x: g(x) + by * x[entry] * (x[entry] - 1) * (x[entry] + 1) * (x[entry] - place)
    ),
    "a term that is zero in the middle of halves": lambda g, place, entry, by: (
        lambda x: g(x) + by * np.sin(64 * np.pi * x[entry]) * unit(entry)
    ),
}


@pytest.mark.long
@settings(max_examples=40)
@given(st.sampled_from(sorted(RIGHT)), st.sampled_from(sorted(EVERYWHERE)), places, entries, small)
def test_a_formula_that_is_wrong_is_proved_nowhere(name, fault, place, entry, by):
    function, slopes = RIGHT[name]
    claim = EVERYWHERE[fault](slopes, place, entry, by)
    found = proved(function, claim)
    if found is not None:
        assert found.share < 1
        assert found.enclosed < 1 or largest_error(claim, slopes) <= 2.0**-found.enclosed_bits
        for x in np.random.default_rng(0).uniform(LOW, HIGH, (50, SIZE)):
            # A claim may be right in a part, where its pieces are those of the other entry.
            assert found.program_at([x]) is None or not differs(claim, slopes, x)


def by_if(g, place, width, by):
    def claim(x):
        if abs(x[0] - place) < width:
            return g(x) * (1 + by)
        return g(x)

    return claim


def by_rounding(g, place, width, by):
    def claim(x):
        cell = int(np.floor((x[0] - LOW) / (HIGH - LOW) * 300))
        return g(x) * (1 + by * (cell == int((place - LOW) / (HIGH - LOW) * 300)))

    return claim


def by_nested_function(g, place, width, by):
    def beyond(t):
        return t - place > -width and place + width > t

    def claim(x):
        return g(x) + (by if beyond(x[0]) else 0.0)

    return claim


IN_PLACES = {
    "a branch of Python": by_if,
    "a cell of a table": by_rounding,
    "a branch in a function": by_nested_function,
    "a mask": lambda g, place, width, by: (
        lambda x: np.where(np.abs(x[0] - place) < width, g(x) * (1 + by), g(x))
    ),
    "a tie": lambda g, place, width, by: lambda x: np.where(x[0] == place, 1e3, g(x)),
    "a clipped value": lambda g, place, width, by: (
        lambda x: g(x) + by * np.clip(x[0] - place + width, 0, width)
    ),
    "the larger of two": lambda g, place, width, by: (
        lambda x: g(x) + by * np.maximum(width - np.abs(x[0] - place), 0)
    ),
    "a place of an index": lambda g, place, width, by: (
        lambda x: g(x) * np.array([1, 1 + by])[np.int64(np.abs(x[0] - place) < width)]
    ),
    "a product of conditions": lambda g, place, width, by: (
        lambda x: g(x) + by * (x[0] >= place) * (x[0] <= place)
    ),
    "conditions of two entries": lambda g, place, width, by: (
        lambda x: g(x) + by * ((x[0] <= place) & (x[1] > HIGH - width))
    ),
    "neither of two conditions": lambda g, place, width, by: (
        lambda x: g(x) + by * ~((x[0] < place) | (x[0] > place))
    ),
    "a diagonal": lambda g, place, width, by: (
        lambda x: g(x) + by * np.where(x[0] - x[1] == 0, 1.0, 0.0)
    ),
    "a curve": lambda g, place, width, by: lambda x: g(x) + by * (x[1] == x[0] ** 2),
    "a bit of an integer": lambda g, place, width, by: (
        lambda x: g(x) + by * (np.floor((x[0] - place) / width).astype(np.int64) & 1)
    ),
    "integers of conditions": lambda g, place, width, by: (
        lambda x: g(x) + by * ((np.int64(x[0] > place) + np.int64(x[0] <= place)) // 1)
    ),
    "an unsigned integer": lambda g, place, width, by: (
        lambda x: g(x) + by * (np.uint8(255) * (x[0] >= place) + np.uint8(1) * (x[0] > place))
    ),
    "a remainder": lambda g, place, width, by: (
        lambda x: g(x) + by * (np.mod(x[0] - place, 1.0) < width)
    ),
    "a ceiling": lambda g, place, width, by: (
        lambda x: g(x) + by * (np.ceil((x[0] - place) / width) == 0)
    ),
    "a sign of zero": lambda g, place, width, by: (
        lambda x: g(x) + by * (1 - np.sign(x[0] - place) ** 2)
    ),
    "an interval of a list": lambda g, place, width, by: (
        lambda x: g(x) + by * np.array([0.0, 1.0])[np.searchsorted(np.array([place]), x[0])]
    ),
    "a node of a line": lambda g, place, width, by: (
        lambda x: (
            g(x)
            + by * np.interp(x[0], np.array([place - 1, place, place + 1]), np.array([0, 1, 0.0]))
        )
    ),
    "the first of the largest": lambda g, place, width, by: (
        lambda x: g(x) + by * np.argmax(np.stack([0 * x[0] + place, x[0]]))
    ),
    "zero to a power": lambda g, place, width, by: (
        lambda x: g(x) + by * 0.0 ** np.maximum(x[0] - place, 0)
    ),
    "an absolute value under a root": lambda g, place, width, by: (
        lambda x: g(x) + by * (np.sqrt((x[0] - place) ** 2) - (x[0] - place))
    ),
    "a branch cut": lambda g, place, width, by: (
        lambda x: g(x) + by * np.arctan2(0 * x[0], x[0] - place - width)
    ),
    "near enough": lambda g, place, width, by: (
        lambda x: g(x) * (1 + by * math.isclose(x[0], place, abs_tol=width))
    ),
    "a number that is not": lambda g, place, width, by: (
        lambda x: g(x) + np.where(x[0] == place, np.nan, 0.0)
    ),
    "undefined": lambda g, place, width, by: lambda x: g(x) + 0 / (x[0] - place),
    "undefined beyond": lambda g, place, width, by: lambda x: g(x) + 0 * np.log(place - x[0]),
    "undefined where it would be an infinity": lambda g, place, width, by: (
        lambda x: g(x) + 0 * np.sqrt(place + width - x[0])
    ),
}


@pytest.mark.long
@settings(max_examples=60)
@given(
    st.sampled_from(sorted(RIGHT)),
    st.sampled_from(sorted(IN_PLACES)),
    places,
    st.floats(-40, -1).map(math.exp2),
    small,
)
def test_a_part_that_holds_a_fault_is_not_proved(name, fault, place, width, by):
    function, slopes = RIGHT[name]
    claim = IN_PLACES[fault](slopes, place, width, by)
    found = proved(function, claim)
    assert found is None or found.share < 1
    if found is not None:
        random = np.random.default_rng(0)
        for other in random.uniform(LOW, HIGH, 20).tolist():
            for x in ([place, other], [min(place + width / 2, HIGH), other], [HIGH, other]):
                if differs(claim, slopes, np.array(x)):
                    assert found.program_at([np.array(x)]) is None


@pytest.mark.parametrize("name", RIGHT)
def test_without_a_fault_all_is_proved(name):
    assert proved(*RIGHT[name]).share == 1


def largest_error(claim, slopes):
    """Of an entry at points, in units of the largest value that it has there."""
    points = np.random.default_rng(1).uniform(LOW, HIGH, (200, SIZE))
    exact = np.array([slopes(x) for x in points])
    error = np.array([claim(x) for x in points]) - exact
    return np.max(np.max(np.abs(error), axis=0) / np.max(np.abs(exact), axis=0)) - 2.0**-50


def differs(claim, slopes, x):
    with np.errstate(all="ignore"):
        return not np.array_equal(claim(x), slopes(x))


def proved(function, claimed):
    case = Case("a", "a", function, (), "gradient", claimed=claimed)
    case = pose_case(case, REGION, None, None, "conjugate")
    return prove_over(claim_of(case), case.over)


def asks_the_type(x):
    return np.cos(x) if hasattr(x, "_apply_primitive") else -np.cos(x)


def asks_the_text(x):
    return np.cos(x) * (1 if "7" not in str(float(x)) else 2)


def looks_up(x):
    return np.cos(x) * {k: 1 + (k == 17) for k in range(-300, 300)}[int(float(x) * 100)]


def catches(x):
    try:
        return np.cos(x) * (1 + 0 * math.sqrt(float(x) + 0.99))
    except ValueError:
        return 2 * np.cos(x)


COUNTED = []


def counts(x):
    COUNTED.append(float(x))
    return np.cos(x) * (1 + (len(COUNTED) > 3))


@pytest.mark.parametrize("claimed", [asks_the_type, asks_the_text, looks_up, catches, counts])
def test_code_that_no_recording_holds_is_not_proved(claimed):
    case = Case("a", "a", np.sin, (), "gradient", claimed=claimed)
    case = pose_case(case, [-1, 1], None, None, "conjugate")
    found = prove_over(claim_of(case), case.over)
    assert found is None or found.share < 1
