"""Faults of claims about functions that are not defined everywhere: none is proved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import verify
from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import examples, vocabulary
from symtape.process.precision import precision
from symtape.rigorous import ball
from symtape.symbolic.boxes import lie_inside
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.conditions import is_whole_domain, removable_gaps
from verify.oracles.over_region.proof import prove_over

LOW, HIGH = -3.0, 3.0
LINE, SQUARE = verify.box(LOW, HIGH), verify.box(LOW, HIGH, shape=(2,))


def proved(function, claimed, over=LINE):
    case = Case("a", "a", function, (), "gradient", claimed=claimed)
    case = pose_case(case, over, None, None, "conjugate")
    return prove_over(claim_of(case), case.over)


def covered(*posed):
    found = proved(*posed)
    return 0 if found is None else found.covered


RIGHT = {
    "pole": (lambda x: 1 / x, lambda x: -1 / x**2, "x != 0"),
    "poles": (np.tan, lambda x: 1 / np.cos(x) ** 2, "cos(x) != 0"),
    "poles, another formula": (np.tan, lambda x: 1 + np.tan(x) ** 2, "cos(x) != 0"),
    "quotient": (
        lambda x: x / (x**2 - 1),
        lambda x: -(x**2 + 1) / (x**2 - 1) ** 2,
        "x**2 - 1 != 0",
    ),
    "logarithm": (np.log, lambda x: 1 / x, "x > 0"),
    "root": (np.sqrt, lambda x: 0.5 / np.sqrt(x), "x > 0"),
    "power": (lambda x: x**1.5, lambda x: 1.5 * np.sqrt(x), "x > 0"),
    "two ends": (np.arcsin, lambda x: 1 / np.sqrt(1 - x**2), "x > -1 and x < 1"),
    "kink": (lambda x: np.cbrt(x - 1), lambda x: 1 / (3 * np.cbrt(x - 1) ** 2), "x != 1"),
    "choice": (np.log, lambda x: np.where(x > 0, 1 / np.where(x > 0, x, 1.0), 7.0), "x > 0"),
    "branch": (np.log, lambda x: 1 / x if x > 0 else 7.0, "x > 0"),
    "kink in other words": (np.abs, lambda x: x / np.sqrt(x**2), "x != 0"),
    "gamma": (
        special.gamma,
        lambda x: special.gamma(x) * special.psi(x),
        "x is not one of 0, -1, -2, ...",
    ),
}
"""With where their operations are defined and smooth, in words that Python reads, or poles."""


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_claim_is_proved_where_the_function_is_defined(name):
    function, slope, where = RIGHT[name]
    found = proved(function, slope)
    assert (found.share, found.enclosed, found.covered) == (0, 0, 1)
    assert found.conditions == (where,)


def test_conditions_are_in_the_names_of_arguments():
    def f(width, at):
        return np.log(width) / at[1]

    def slopes(width, at):
        return 1 / (width * at[1]), np.stack([0 * at[0], -np.log(width) / at[1] ** 2])

    found = proved(f, slopes, ([-1, 2], verify.box(-1, 1, shape=(2,))))
    assert found.conditions == ("width > 0 and at[1] != 0",)


def test_what_is_defined_everywhere_has_no_conditions():
    found = proved(np.tan, lambda x: 1 / np.cos(x) ** 2, verify.box(-1, 1))
    assert (found.share, found.covered, found.conditions) == (1, 1, ())


AT_GAPS = {
    "a sine integral": (lambda x: special.sici(x)[0], lambda x: np.sinc(x / np.pi)),
    "of another": (
        lambda x: special.sici(x**2 - 1)[0],
        lambda x: 2 * x * np.sinc((x**2 - 1) / np.pi),
    ),
    "sinc": (lambda x: x * np.sinc(x), None),
    "exponentials": (lambda x: np.cos(x) * special.exprel(x - 1), None),
    "a tail": (special.log_ndtr, None),
}
"""Functions, and right claims, whose formulas are undefined where they are not."""


@pytest.mark.parametrize("name", AT_GAPS)
def test_a_right_claim_is_proved_where_only_a_formula_is_undefined(name):
    found = proved(*AT_GAPS[name])
    assert (found.share, found.covered, found.conditions) == (1, 1, ())


def test_a_corner_is_a_condition_on_all_its_arguments():
    found = proved(
        lambda x: np.hypot(x[0], x[1] - 1),
        lambda x: np.stack([x[0], x[1] - 1]) / np.hypot(x[0], x[1] - 1),
        SQUARE,
    )
    assert found.covered == 1
    assert found.conditions == ("x[0]**2 + x[1]**2 - 2*x[1] + 1 > 0",)
    assert found.program_at([np.array([0.0, 1.0])]) is None
    assert found.program_at([np.array([0.0, 1.5])]) is not None


def unit_vector(x, least=0.0):
    """The slope of the Euclidean norm, 0 at 0, and where the norm is at most `least`."""
    size = np.linalg.norm(x)
    return np.where(size <= least, 0.0, x / np.where(size <= least, 1.0, size))


def test_what_conditions_decide_is_no_choice():
    found = proved(np.linalg.norm, unit_vector, SQUARE)
    assert found.covered == 1
    assert found.conditions == ("x[0]**2 + x[1]**2 > 0",)
    assert found.program_at([np.zeros(2)]) is None
    wrong = proved(np.linalg.norm, lambda x: unit_vector(x, 2.0**-20), SQUARE)
    assert wrong is None or wrong.covered < 1


def diagonal(x):
    """A matrix whose determinant is `x`."""
    return x * np.array([[1.0, 0.0], [0.0, 0.0]]) + np.array([[0.0, 0.0], [0.0, 1.0]])


NOT_PROVED = {
    "a sign of a determinant": (
        lambda x: np.linalg.slogdet(diagonal(x))[0] * x,
        lambda x: 1.0 + 0 * x,
    ),
    "the other sign of a determinant": (
        lambda x: np.linalg.slogdet(diagonal(x))[0] * x,
        lambda x: 0 * x - 1.0,
    ),
    "a sign of a determinant in the claim": (
        lambda x: 1.0 * x,
        lambda x: np.linalg.slogdet(diagonal(x))[0] + 0 * x,
    ),
    "the logarithm of a determinant": (
        lambda x: np.linalg.slogdet(diagonal(x))[1],
        lambda x: np.linalg.slogdet(diagonal(x))[0] / np.abs(x),
    ),
    "a claim that is undefined at a point": (np.sin, lambda x: np.cos(x) * x / x),
    "a claim that is undefined beside the function's end": (
        np.log,
        lambda x: 1 / x + 0 * np.log(x - 1e-3),
    ),
    "a claim with a pole of its own": (np.log, lambda x: (x - 1) / (x * (x - 1))),
    "a claim with poles of its own": (np.log, lambda x: 1 / x + 0 * np.tan(x)),
    "a claim with a root of its own": (
        np.log,
        lambda x: np.sqrt(x - 1) / (x * np.sqrt(x - 1)),
    ),
    "a removable pole": (
        lambda x: np.sinc(x),
        lambda x: (np.cos(np.pi * x) - np.sinc(x)) / x,
    ),
    "a branch that is not taken": (
        lambda x: np.where(x > 0, np.log(x), x),
        lambda x: np.where(x > 0, 1 / x, 5.0),
    ),
    "a right claim of such a branch": (
        lambda x: np.where(x > 0, np.log(x), x),
        lambda x: np.where(x > 0, 1 / x, 1.0),
    ),
    "a value that is multiplied by zero": (lambda x: x + 0 * np.log(x), lambda x: 1.0 + 0 * x),
    "one side of a kink": (np.abs, lambda x: 1.0 + 0 * x),
    "the logarithm of a size": (lambda x: np.log(np.abs(x)), lambda x: 1 / np.abs(x)),
    "a size under a root": (lambda x: np.sqrt(x**2), lambda x: 1.0 + 0 * x),
    "another factor": (np.log, lambda x: 2 / x),
    "another sign beyond a pole": (lambda x: 1 / x, lambda x: -1 / (x * np.abs(x))),
    "a needle": (np.log, lambda x: np.where(x == 1, 0.0, 1 / x)),
    "a part": (np.tan, lambda x: np.where(x > 2.9, 0.0, 1 + np.tan(x) ** 2)),
    "a branch of Python": (np.log, lambda x: 1 / x if x > 1e-3 else 2 / x),
    "code that raises": (np.tan, lambda x: 1 + math.tan(x) ** 2 + 0 * math.log(x)),
    "code that gives a number in its place": (
        lambda x: np.nan_to_num(np.log(x)),
        lambda x: np.where(x > 0, 1 / x, 7.0),
    ),
    "where it is finite": (
        lambda x: np.where(np.isfinite(np.log(x)), np.log(x), x),
        lambda x: np.where(x > 0, 1 / x, 5.0),
    ),
    "where it is finite, by the formula of one side": (
        lambda x: np.where(np.isfinite(np.log(x)), np.log(x), x),
        lambda x: 1 / x,
    ),
    "the larger of what is undefined": (
        lambda x: np.fmax(np.log(x), -20.0),
        lambda x: 1 / x,
    ),
    "a gamma function beside another": (
        special.gamma,
        lambda x: (
            special.gamma(x) * special.psi(x) * special.gamma(x - 0.5) / special.gamma(x - 0.5)
        ),
    ),
    "a removable pole of an exponential": (
        special.exprel,
        lambda x: (np.exp(x) - special.exprel(x)) / x,
    ),
    "a removable pole of an integral": (lambda x: special.sici(x)[0], lambda x: np.sin(x) / x),
    "undefined at a removable pole": (
        lambda x: special.sici(x)[0],
        lambda x: np.sinc(x / np.pi) + 0 * np.log(x**2),
    ),
    "another number at a removable pole": (
        lambda x: special.sici(x)[0],
        lambda x: np.where(x == 0, 5.0, np.sinc(x / np.pi)),
    ),
    "undefined at a pole that is nobody's gap": (
        np.sin,
        lambda x: np.cos(x) + 0 * special.gamma(x - 0.25),
    ),
    "undefined at zeros that no formula has": (
        np.sin,
        lambda x: np.cos(x) * special.rgamma(x) / special.rgamma(x),
    ),
    "undefined at a zero of what has a gap": (
        np.sin,
        lambda x: np.cos(x) * np.sinc(x) / np.sinc(x),
    ),
    "undefined beside a gap of another": (
        lambda x: special.sici(x)[0],
        lambda x: np.sinc(x / np.pi) * special.exprel(x) / special.exprel(x) + 0 / (x - 1),
    ),
    "one side of a corner": (lambda x: np.hypot(x, 0 * x), lambda x: 1.0 + 0 * x),
    "one side of a kink at zero": (
        np.cbrt,
        lambda x: np.where(x > 0, 1, -1) / (3 * np.cbrt(x) ** 2),
    ),
    "a choice that no condition decides": (np.log, lambda x: np.where(x > 1, 1, 2) / x),
    "a choice near a condition": (np.log, lambda x: np.where(x > 2.0**-9, 1 / x, 0.0)),
    "a choice of the other side": (np.log, lambda x: np.where(x > 0, 2 / x, 1 / x)),
    "a choice of one number": (lambda x: x**2, lambda x: np.where(x == 0, 7.0, 2 * x)),
    "a choice by a condition of nothing": (
        lambda x: np.where(x > -5, x**2, np.log(x)),
        lambda x: np.where(x > 0, 2 * x, 7.0),
    ),
    "a kink of what is not needed": (
        lambda x: np.where(x > -5, x**2, np.cbrt(x)),
        lambda x: 2 * np.abs(x),
    ),
    "a kink of the claim alone": (
        lambda x: x**2,
        lambda x: 2 * np.abs(x) + 0 * np.cbrt(x),
    ),
    "one side of a kink in a sum": (
        lambda x: np.cbrt(x) + x**2,
        lambda x: 1 / (3 * np.cbrt(x) ** 2) + 2 * np.abs(x),
    ),
    "infinite to the power of zero": (
        lambda x: (1 / x) ** 0 + x,
        lambda x: np.where(x == 0, 9.0, 1.0),
    ),
}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_a_fault_is_not_proved_where_the_function_is_defined(name):
    assert covered(*NOT_PROVED[name]) < 1


OFF = {
    "logarithm": (np.log, lambda t: 1 / t, lambda t: t > 0),
    "root": (np.sqrt, lambda t: 0.5 / np.sqrt(t), lambda t: t > 0),
    "pole": (lambda t: 1 / t, lambda t: -1 / t**2, lambda t: t != 0),
    "poles": (np.tan, lambda t: 1 + np.tan(t) ** 2, lambda t: np.cos(t) != 0),
    "an integral": (lambda t: special.sici(t)[0], lambda t: np.sinc(t / np.pi), lambda t: t == t),
    "kink": (np.cbrt, lambda t: 1 / (3 * np.cbrt(t) ** 2), lambda t: t != 0),
    "kink of a tail": (
        special.i0e,
        lambda t: special.i1e(t) - np.sign(t) * special.i0e(t),
        lambda t: t != 0,
    ),
    "ends": (np.arccos, lambda t: -1 / np.sqrt(1 - t**2), lambda t: abs(t) < 1),
}
"""Functions, their slopes, and where they have some."""

FAULTS = {
    "a factor": lambda g, place, by: lambda x: g(x) * (1 + by),
    "a factor beyond": lambda g, place, by: lambda x: g(x) * np.where(x > place, 1 + by, 1.0),
    "a branch": lambda g, place, by: lambda x: g(x) * (1 + by) if x > place else g(x),
    "undefined beyond": lambda g, place, by: lambda x: g(x) + 0 * np.log(place - x),
    "undefined beyond, by a root": lambda g, place, by: (
        lambda x: g(x) * np.sqrt(place - x) / np.sqrt(place - x)
    ),
    "undefined at a point": lambda g, place, by: lambda x: g(x) + 0 / (x - place),
    "undefined at a point, by a quotient": lambda g, place, by: (
        lambda x: g(x) * (x - place) / (x - place)
    ),
    "undefined at points": lambda g, place, by: lambda x: g(x) + 0 * np.tan(x - place - np.pi / 2),
    "another number at a point": lambda g, place, by: lambda x: np.where(x == place, by, g(x)),
    "right where the function is not": lambda g, place, by: (
        lambda x: np.where(np.isfinite(np.log(place - x)), g(x), by)
    ),
}


@pytest.mark.long
@settings(max_examples=30)
@given(
    st.sampled_from(sorted(OFF)),
    st.sampled_from(sorted(FAULTS)),
    st.integers(-11, 11).map(lambda k: k / 4),
    st.integers(-11, 11).map(lambda k: k / 4),
    st.sampled_from([1e-3, 1e-9, -1e-6, 2.0]),
)
def test_a_fault_at_a_place_is_covered_only_where_the_function_is_not_defined(
    name, fault, end, place, by
):
    function, slope, has_slope = OFF[name]
    claim = FAULTS[fault](lambda x: slope(x - end), place, by)
    found = proved(lambda x: function(x - end), claim)
    if found is None:
        return
    points = [*np.random.default_rng(0).uniform(LOW, HIGH, 40), place, place + 2**-20, end]
    for x in map(np.float64, points):
        if not (LOW <= x <= HIGH and has_slope(x - end)):
            continue
        with np.errstate(all="ignore"):
            is_wrong = not np.isclose(claim(x), slope(x - end), rtol=1e-11, atol=0)
        if is_wrong:
            # What is enclosed may be off by as much as is told.
            assert found.covered < 1 or abs(by) < 2.0**-found.enclosed_bits < 1
            assert found.program_at([x]) is None


@pytest.mark.long
@settings(max_examples=12)
@given(st.sampled_from(sorted(OFF)), st.sampled_from(sorted(OFF)), st.integers(-7, 7))
def test_conditions_hold_exactly_where_the_function_has_a_slope(name, other, quarter):
    f, f_slope, f_has = OFF[name]
    g, g_slope, g_has = OFF[other]
    end = quarter / 4
    found = proved(
        lambda x: f(x[0]) * g(x[1] - end),
        lambda x: np.stack([f_slope(x[0]) * g(x[1] - end), f(x[0]) * g_slope(x[1] - end)]),
        SQUARE,
    )
    assert found.covered == 1
    [words] = found.conditions or ["True"]
    for x in np.random.default_rng(0).uniform(LOW, HIGH, (100, 2)):
        holds = eval(words, {"x": x, "cos": math.cos})  # words of our own
        assert holds == (f_has(x[0]) and g_has(x[1] - end))
        assert (found.program_at([x]) is not None) == holds


GAPS = [(row, gap) for row in vocabulary() for gap in removable_gaps(row)]


@pytest.mark.parametrize(("row", "gap"), GAPS, ids=str)
def test_a_row_is_continuous_at_a_removable_gap(row, gap):
    place = row.inputs.index(gap[0])
    for example, params in examples(row):
        at = [float(gap[1]) if k == place else x for k, x in enumerate(example)]
        value = float(row.evaluate(*map(np.asarray, at), **params))
        radius = [2.0**-40 * (k == place) for k in range(len(at))]
        with precision(128):
            found = row.ball(ball, *map(arb, at, radius), **params)
            assert found.is_finite()
            assert abs(found - value) < 1e-9


ROWS = [row for row in PRIMITIVES.values() if row.elementwise and row.over]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_no_slope_beyond_its_whole_domain(row):
    if not is_whole_domain(row, (None,) * len(row.inputs)):
        return
    random = np.random.default_rng(0)
    drawn = random.uniform(-4, 4, (len(row.inputs), 20_000))
    points = list(np.where(random.random(drawn.shape) < 0.5, np.round(drawn * 4) / 4, drawn))
    for name, at in removable_gaps(row):
        place = row.inputs.index(name)
        points[place] = np.where(points[place] == float(at), float(at) + 1e-9, points[place])
    beyond = ~lie_inside(row.over, row.inputs, points)
    with np.errstate(all="ignore"):
        has_slope = np.ones(beyond.shape, dtype=bool)
        if row.domain is not None:
            has_slope &= np.asarray(row.domain(*points), dtype=bool)
        if row.kinks is not None:
            has_slope &= ~np.asarray(row.kinks(*points), dtype=bool)
    assert not np.any(beyond & has_slope)
    assert np.any(beyond) or removable_gaps(row)
