"""Functions by the interval that a number is in: at a knot, and at the ends of a grid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate

import verify
from verify import Verdict

KNOTS = np.array([0.0, 0.25, 0.5, 1.0])
VALUES = np.array([1.0, 2.0, 0.5, 0.25])
POLYNOMIALS = interpolate.PPoly([[1.0, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0625, 0.25]], KNOTS)
"""The square of the argument, in pieces whose coefficients are exact."""


BROKEN = interpolate.PPoly([[4.0, -6.0, -0.5], [1.0, 2.0, 0.5]], KNOTS)
JUMPING = interpolate.PPoly([[1.0, -2.0, 4.0], [0.0, 0.0, 0.0]], KNOTS)


def inside(x):
    return np.where(x >= 0.0, x**2 + 3 * x, np.nan)


CASES = {
    "both sides are one polynomial": (POLYNOMIALS, 0.5, 1.0, True),
    "and the claim is another": (POLYNOMIALS, 0.5, 1.25, False),
    "the first knot is no boundary": (POLYNOMIALS, 0.0, 0.0, True),
    "nor is the last": (POLYNOMIALS, 1.0, 2.0, True),
    "a slope from the left": (BROKEN, 0.25, 4.0, True),
    "a slope from the right": (BROKEN, 0.25, -6.0, True),
    "a slope between": (BROKEN, 0.25, 0.0, True),
    "a slope beyond": (BROKEN, 0.25, 4.5, False),
    "the edge of a function": (inside, 0.0, 3.0, True),
    "a mean with the slope of NaN": (inside, 0.0, 1.5, False),
    "the slope of NaN": (inside, 0.0, 0.0, False),
    "a hole that is filled": (
        lambda x: np.where(x == 0, 0.0, np.expm1(x) ** 2 / np.where(x == 0, np.nan, x)),
        0.0,
        1.0,
        True,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_claim_at_a_knot_is_held_to_both_sides(case):
    function, x, claimed, right = CASES[case]
    result = verify.gradient(
        lambda x: np.sum(function(x)), lambda x: claimed + 0.0 * x, at=[np.array([x])]
    )
    assert bool(result) is right, str(result)
    assert right or result.verdict is Verdict.WRONG, str(result)


def test_where_the_values_jump_the_derivative_of_a_piece_is_admissible_and_no_other():
    result = verify.gradient(lambda x: JUMPING(x), at=[0.25])
    assert result.verdict is Verdict.KINK
    assert result
    assert "jumps" in str(result)
    other = verify.gradient(lambda x: JUMPING(x), claimed=lambda x: 12345.0, at=[0.25])
    assert other.verdict is Verdict.KINK
    assert not other


def test_of_knots_that_are_equal_by_chance_it_is_not_known():
    def of_knots(x, knots):
        return np.sum(np.searchsorted(knots, x) * x)

    at = (np.array([0.25, 0.75]), np.array([0.0, 0.25, 0.25, 1.0]))

    def other(x, knots):
        return np.full(2, 12345.0), np.zeros(4)

    result = verify.gradient(of_knots, other, at=[at])
    assert result.verdict is Verdict.KINK
    assert "not known" in str(result)


@pytest.mark.long
@pytest.mark.parametrize("kind", [interpolate.CubicSpline, interpolate.make_interp_spline])
def test_scipys_splines_are_right_up_to_their_ends(kind):
    spline = kind(KNOTS, VALUES)
    slope = spline.derivative()
    for x in (0.0, 0.375, 1.0):
        assert verify.gradient(lambda x: spline(x), slope, at=[x]).verdict is Verdict.CORRECT
        off = verify.gradient(lambda x: spline(x), lambda x: slope(x) + 1e-6, at=[x])
        assert off.verdict is Verdict.WRONG
