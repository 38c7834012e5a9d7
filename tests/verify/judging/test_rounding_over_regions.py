"""What a verdict over a region says of floats at every one of its points."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symtape
import verify


def steep(x):
    return np.exp(x) * x


def slope(x):
    return np.exp(x) * (1 + x)


def test_a_proof_that_was_asked_for_bounds_the_rounding() -> None:
    result = verify.gradient(steep, slope, over=verify.box(1, 3), evidence="proved")
    bound = result.coverage.rounding
    assert 1 < bound.ulps < 12
    assert f"; {bound}" in str(result.evidence) == result.basis
    assert result.points
    assert all(point.ulps <= bound.ulps for point in result.points)


def test_by_itself_a_search_bounds_it_at_effort_4() -> None:
    quick = verify.gradient(steep, slope, over=verify.box(1, 3))
    assert quick.coverage.rounding is None
    assert "off by" not in str(quick.evidence)


def test_that_there_is_no_bound_is_said() -> None:
    result = verify.gradient(steep, slope, over=verify.box(1, 800), evidence="proved")
    assert result.coverage.rounding.absolute == math.inf
    assert "no bound on the rounding error: it may overflow" in str(result.evidence)


def test_of_a_wrong_claim_nothing_is_said() -> None:
    result = verify.gradient(steep, lambda x: np.exp(x) * x, over=verify.box(1, 3),
                             evidence="proved")  # fmt: skip
    assert result.verdict is verify.Verdict.WRONG
    assert "floats" not in result.basis


def test_where_values_vanish_the_bound_is_absolute() -> None:
    bound = verify.rounding_bound(lambda x, y: x * y - 0.1, over=([-1, 1], [-1, 1]))
    assert bound.ulps == math.inf
    assert 2.0**-54 < bound.absolute < 2.0**-51
    assert "ulps" not in str(bound)


def test_functions_are_bounded_with_the_steps_that_they_take() -> None:
    gradient = symtape.grad(lambda x: np.where(x > 1, x**3, x))
    bound = verify.rounding_bound(gradient, over=verify.box(0.5, 2))
    assert 2.0**-53 <= bound.absolute < 2.0**-47


@pytest.mark.parametrize(
    ("function", "over", "reason"),
    [
        (np.exp, [1, 900], "overflow"),
        (lambda x: np.sum(x), verify.box(0, 1, shape=(5,)), "more than 4 numbers"),
        (lambda x: np.linalg.inv(x), verify.box(1, 2, shape=(2, 2)), "inv at"),
    ],
)
def test_bounds_of_functions_that_have_none(function, over, reason) -> None:
    bound = verify.rounding_bound(function, over=over)
    assert bound.absolute == math.inf
    assert reason in str(bound)


def test_a_region_without_an_inside_is_refused() -> None:
    with pytest.raises(verify.errors.UsageError, match="expected a box of floats with an inside"):
        verify.rounding_bound(np.exp, over=verify.integers(0, 5))
