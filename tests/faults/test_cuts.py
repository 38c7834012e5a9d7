"""Regions that are cut where a choice turns: what is wrong on the boundary alone is not proved."""

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

LOW, HIGH = -2.0, 2.0
places = st.one_of(
    st.floats(LOW / 2, HIGH / 2, allow_subnormal=False),
    st.integers(-15, 15).map(lambda k: k / 16),
    st.integers(-9, 9).map(lambda k: k / 10),
)


def bent(at):
    """A function with a kink, and its slopes on both sides."""
    return lambda x: x**2 if x < at else 3 * x


def proved(function, claimed, over=None):
    case = Case("a", "a", function, (), "gradient", claimed=claimed)
    case = pose_case(case, over or verify.box(LOW, HIGH), None, None, "conjugate")
    return prove_over(claim_of(case), case.over)


RIGHT = {
    "before": (bent, lambda at: lambda x: 2 * x if x < at else 3.0),
    "up to": (bent, lambda at: lambda x: 2 * x if x <= at else 3.0),
    "from the right": (bent, lambda at: lambda x: 3.0 if at <= x else 2 * x),
    "in a table": (
        lambda at: lambda x: np.interp(x, [-9.0, at, 9.0], [2.0, 1.0, 1.5]),
        lambda at: (
            lambda x: np.array([-1 / (at + 9), 0.5 / (9 - at)])[np.searchsorted(np.array([at]), x)]
        ),
    ),
    "the same on both sides": (
        lambda at: lambda x: np.sin(x) if x > at else np.sin(x) + 0.0,
        lambda at: lambda x: np.cos(x) if x >= at else np.cos(x) * 1.0,
    ),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("at", [0.0, 0.3, -0.75, 1 / 3])
def test_either_side_is_right_on_a_boundary(name, at):
    function, claim = (make(at) for make in RIGHT[name])
    assert proved(function, claim).enclosed == 1


STEPS = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
}


@pytest.mark.parametrize("name", STEPS)
def test_jumps_are_boundaries(name):
    step = STEPS[name]
    found = proved(lambda x: x * step(x), step)
    assert found.share == 1
    assert found.paths >= 4


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("ends", [(0.0, 1.0), (-1.0, 0.0), (-0.5, 0.5), (0.5, 2.0)])
def test_both_ends_of_a_region_may_be_boundaries(name, ends):
    step = STEPS[name]
    assert proved(lambda x: x * step(x), step, verify.box(*ends)).share == 1


def between(x, at):
    return 3.0 if x > at else 2 * x


WRONG_THERE = {
    "a path of its own": (bent, lambda at, by: lambda x: by if x == at else between(x, at)),
    "neither side": (
        bent,
        lambda at, by: lambda x: 2 * x if x < at else 3.0 if x > at else by,
    ),
    "a product of sides": (
        bent,
        lambda at, by: lambda x: np.where(x < at, 2 * x, 3.0) + by * (x <= at) * (x >= at),
    ),
    "two steps that leave a point": (
        bent,
        lambda at, by: lambda x: between(x, at) + by * (1 + np.floor(x - at) - np.ceil(x - at)),
    ),
    "a place in a table": (
        bent,
        lambda at, by: (
            lambda x: (
                between(x, at)
                + by
                * (
                    np.searchsorted(np.array([at]), x, side="right")
                    - np.searchsorted(np.array([at]), x)
                )
            )
        ),
    ),
    "a piece without an inside": (
        lambda at: lambda x: x**2 if x < at else 3 * x if x > at else 1e3 * x,
        lambda at, by: lambda x: 2 * x if x < at else 3.0 if x > at else 1e3,
    ),
    "a value of its own": (
        lambda at: lambda x: x**2 if x < at else x**2 + 0.0 if x > at else 50.0 + 0 * x,
        lambda at, by: lambda x: 2 * x if x != at else 0.0 * x,
    ),
}


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(WRONG_THERE)), places, st.sampled_from([1e3, -1e-3, 1e-9]))
def test_a_fault_on_a_boundary_alone_is_not_proved(name, at, by):
    function, claim = WRONG_THERE[name]
    found = proved(function(at), claim(at, by))
    assert found is None or found.enclosed < 1
    assert found is None or found.program_at([np.array(at)]) is None


BESIDE = {
    "the next float": lambda at, width: math.nextafter(at, HIGH),
    "the float before": lambda at, width: math.nextafter(at, LOW),
    "near": lambda at, width: at + width,
}


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(BESIDE)), places, st.floats(-40, -3).map(math.exp2))
def test_a_claim_that_turns_beside_a_boundary_is_not_proved(name, at, width):
    other = BESIDE[name](at, width)
    found = proved(bent(at), lambda x: 2 * x if x < other else 3.0)
    assert found is None or found.enclosed < 1


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(places, places, st.floats(-30, -3).map(math.exp2), st.sampled_from([1e3, 1e-6]))
def test_a_needle_beside_a_cut_is_not_proved(at, place, width, by):
    def claim(x):
        return (2 * x if x < at else 3.0) + np.where(np.abs(x - place) < width, by, 0.0)

    found = proved(bent(at), claim)
    assert found is None or found.enclosed < 1
    assert found is None or found.program_at([np.array(place)]) is None


ENDS = {
    "a point": lambda x: np.cos(x) if x != HIGH else 2 * np.cos(x),
    "what lies beyond": lambda x: np.cos(x) if x < HIGH else 2 * np.cos(x),
    "a step": lambda x: np.cos(x) + 1e-6 * np.floor(x / HIGH) * (x > 0),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_fault_at_the_end_of_a_region_is_not_proved(name):
    found = proved(np.sin, ENDS[name])
    assert found is None or found.enclosed < 1
    assert found is None or found.program_at([np.array(HIGH)]) is None


def split(x):
    return x[0] ** 2 * x[1] if x[0] < 0.5 else x[0] * x[1]


def below(x):
    return np.stack([2 * x[0] * x[1], x[0] ** 2])


def above(x):
    return np.stack([x[1], x[0]])


ON_FACES = {
    "a part of a face": lambda x: (
        below(x) if x[0] < 0.5 else above(x) if x[0] > 0.5 or x[1] < 0.7 else 2 * above(x)
    ),
    "a line on a face": lambda x: (
        below(x) if x[0] < 0.5 else above(x) * (2 if (x[0] == 0.5) & (x[1] == 0.1) else 1)
    ),
    "the other side in each entry": lambda x: np.stack(
        [
            (below(x) if x[0] < 0.5 else above(x))[0],
            (below(x) if x[0] <= 0.5 else above(x))[1],
        ]
    ),
}


@pytest.mark.parametrize("name", ON_FACES)
def test_a_fault_on_a_face_is_not_proved(name):
    found = proved(split, ON_FACES[name], verify.box(-1, 1, shape=(2,)))
    assert found is None or found.enclosed < 1


def test_the_sides_of_a_face_are_proved():
    found = proved(
        split, lambda x: below(x) if x[0] <= 0.5 else above(x), verify.box(-1, 1, shape=(2,))
    )
    assert found.share == 1
    assert found.paths == 2
