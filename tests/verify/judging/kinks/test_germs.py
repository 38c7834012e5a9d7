"""What both sides have in common is the derivative of a function of one number."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify import Verdict


def excepted_by_an_if(x):
    return np.sin(x) / x if x != 0 else 1.0


REMOVABLE = {
    "sinc": (lambda x: np.where(x == 0, 1.0, np.sin(x) / x), 0.0, -1 / 3),
    "sinc of 2x - 1": (
        lambda x: np.where(2 * x == 1, 2.0, 2 * np.sin(2 * x - 1) / (2 * x - 1)), 0.0, -8 / 3,
    ),
    "expm1": (lambda x: np.where(x == 0, 1 + x / 2 + x**2 / 6, np.expm1(x) / x), 0.5, 1 / 3),
    "1 - cos": (lambda x: np.where(x == 0, 0.5, (1 - np.cos(x)) / x**2), 0.0, -1 / 12),
    "by an if": (excepted_by_an_if, 0.0, -1 / 3),
    "divided by a root": (
        lambda x: np.where(x == 0, 0.0, x**3 / np.sqrt(x**2) * np.sign(x)), 0.0, 2.0,
    ),
}  # fmt: skip
POINTS = {"sinc of 2x - 1": 0.5}


@pytest.mark.slow
@pytest.mark.parametrize("name", REMOVABLE)
def test_a_removable_point_is_judged_as_smooth(name):
    function, slope, bend = REMOVABLE[name]
    at = [POINTS.get(name, 0.0)]
    for derivative, value in ((verify.gradient, slope), (verify.hessian, bend)):
        right = derivative(function, claimed=lambda x, value=value: np.float64(value), at=at)
        wrong = derivative(function, claimed=lambda x, value=value: np.float64(value + 0.01), at=at)
        assert right.verdict is Verdict.CORRECT, str(right)
        assert wrong.verdict is Verdict.WRONG, str(wrong)


def slowly(n):
    return lambda x: np.where(x**n == 0, 0.0, np.sin(x) * x / x)


def test_what_differs_later_than_is_computed_does_not_count_as_equal():
    assert verify.gradient(slowly(4), claimed=lambda x: 1.0, at=[0.0]).verdict is Verdict.CORRECT
    assert verify.gradient(slowly(4), claimed=lambda x: 0.0, at=[0.0]).verdict is Verdict.WRONG
    for claim in (0.0, 1.0):
        result = verify.gradient(slowly(40), claimed=lambda x, claim=claim: claim, at=[0.0])
        assert result.verdict is Verdict.KINK, str(result)


NOT_REMOVABLE = {
    "another value": lambda x: np.where(x == 0, 0.9, np.sin(x) / x),
    "another value by an if": lambda x: np.sin(x) / x if x != 0 else 0.9 + 0 * x,
    "another side": lambda x: np.where(x == 0, 1.0, np.sin(x) / np.abs(x)),
    "no series": lambda x: np.where(x == 0, 0.0, x**2 * np.sin(1 / x)),
    "no slope": lambda x: np.where(x == 0, 0.0, x * np.log(np.abs(x))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NOT_REMOVABLE)
def test_what_is_not_the_same_from_both_sides_stays_unknown(name):
    for claim in (0.0, 1.0, 12345.0):
        result = verify.gradient(
            NOT_REMOVABLE[name], claimed=lambda x, claim=claim: claim, at=[0.0]
        )
        assert result.verdict is Verdict.KINK, str(result)
        assert not result


def test_several_numbers_are_not_decided_by_the_axes():
    def ratio(x):
        size = x[0] ** 2 + x[1] ** 2
        return np.where(size == 0, 0.0, x[0] * x[1] ** 2 / size)

    result = verify.gradient(ratio, claimed=lambda x: np.zeros(2), at=[np.zeros(2)])
    assert result.verdict is Verdict.KINK
    assert result.witness.kink.admissible is None


SLOPES = {
    "norm": (np.linalg.norm, np.zeros(3), 1.0),
    "hypot": (lambda x: np.hypot(x[0], 2 * x[1]), np.zeros(2), 1.0),
    "std": (np.std, np.full(2, 3.0), 0.5),
    "a root of a square": (lambda x: np.sqrt(x * x), 0.0, 1.0),
}


@pytest.mark.parametrize("name", SLOPES)
def test_one_sided_slopes_are_told_where_pieces_only_enclose_them(name):
    function, at, slope = SLOPES[name]
    (outcome,) = verify.gradient(function, claimed=np.zeros_like, at=[at]).points
    first = outcome.kink.slopes[0]
    assert (first.left, first.right) == (-slope, slope)
    assert outcome.kink.admissible is True


def test_a_mean_of_both_sides_is_admissible_where_the_rule_would_give_none():
    root = SLOPES["a root of a square"][0]
    for claim, good in ((0.25, True), (-1.0, True), (1.5, None), (np.nan, False)):
        (outcome,) = verify.gradient(root, claimed=lambda x, claim=claim: claim, at=[0.0]).points
        assert outcome.kink.admissible is good
