"""Random compositions of kinks and linear maps, at points where much of it ties.

The functions are piecewise linear with small whole numbers for weights, so that their gradients
beside the point, and their differences, are exact floats: an independent witness.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import symtape
import verify
from verify import Verdict

SEEDS = st.integers(0, 2**32 - 1)
SETTINGS = settings(
    derandomize=True, max_examples=40, deadline=None, suppress_health_check=list(HealthCheck)
)
LAYERS = [
    np.abs,
    lambda y: np.maximum(y, 0),
    lambda y: np.maximum(y, y[::-1]),
    lambda y: np.minimum(y, 1),
    lambda y: np.where(y > 0, y, 0.5 * y),
    np.sort,
    lambda y: y - np.max(y),
]


@cache
def piecewise_linear(seed):
    """A function of two or three numbers, and a point."""
    draw = np.random.default_rng(seed)
    size = int(draw.integers(2, 4))
    first = draw.integers(-2, 3, size=(2, size)).astype(float)
    second = draw.integers(-2, 3, size=(2, 2)).astype(float)
    last = draw.integers(-2, 3, size=2).astype(float)
    inner, outer = (LAYERS[k] for k in draw.integers(len(LAYERS), size=2))

    def function(x):
        return np.sum(last * outer(second @ inner(first @ x)))

    return function, draw.integers(-1, 2, size=size).astype(float)


def beside(function, point, seed, count=12):
    """Gradients at neighbours of the point in general position, which all conventions share."""
    draw = np.random.default_rng(seed + 1)
    steps = draw.integers(-(2**20), 2**20, size=(count, point.size)) * 2.0**-40
    return np.array([symtape.grad(function)(point + step) for step in steps]), steps


def judged(function, point, value=None):
    claimed = None if value is None else lambda x: np.array(value, dtype=float)
    (outcome,) = verify.gradient(function, claimed=claimed, at=[point]).points
    return outcome


@pytest.mark.long
@SETTINGS
@given(SEEDS)
def test_a_mean_of_the_gradients_beside_a_point_is_never_wrong(seed):
    function, point = piecewise_linear(seed)
    gradients, _ = beside(function, point, seed)
    # Whole multiples of 1/16, so that the mean is exact.
    weights = np.random.default_rng(seed + 2).multinomial(16, np.full(len(gradients), 1 / 12)) / 16
    outcome = judged(function, point, weights @ gradients)
    assert outcome.verdict in (Verdict.KINK, Verdict.CORRECT), outcome.message
    assert outcome.kink is None or outcome.kink.admissible is not False


@pytest.mark.long
@SETTINGS
@given(SEEDS)
def test_what_the_tape_answers_is_admissible_or_no_derivative_of_a_smooth_function(seed):
    function, point = piecewise_linear(seed)
    outcome = judged(function, point)
    if outcome.verdict is Verdict.WRONG:
        assert outcome.kink is None
        _, steps = beside(function, point, seed)
        claim = symtape.grad(function)(point)
        moved = np.array([function(point + step) - function(point) for step in steps])
        assert np.any(moved != steps @ claim)
    else:
        assert outcome.verdict in (Verdict.KINK, Verdict.CORRECT)


@pytest.mark.long
@SETTINGS
@given(SEEDS)
def test_what_is_far_from_all_of_them_is_wrong(seed):
    function, point = piecewise_linear(seed)
    gradients, _ = beside(function, point, seed)
    far = 10 * (1 + np.max(np.abs(gradients)))
    outcome = judged(function, point, gradients[0] + 20 * far)
    assert outcome.verdict is Verdict.WRONG or outcome.kink.admissible is None, outcome.message
    assert outcome.kink is None or outcome.kink.admissible is not True


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(10))
def test_all_of_it_for_many_more(block):
    for seed in range(200 * block, 200 * (block + 1)):
        for test in (
            test_a_mean_of_the_gradients_beside_a_point_is_never_wrong,
            test_what_the_tape_answers_is_admissible_or_no_derivative_of_a_smooth_function,
            test_what_is_far_from_all_of_them_is_wrong,
        ):
            test.hypothesis.inner_test(seed)


@pytest.mark.long
def test_most_of_the_points_are_decided():
    known = [judged(*piecewise_linear(seed)) for seed in range(60)]
    kinks = [outcome for outcome in known if outcome.kink is not None]
    assert len(kinks) > 12
    assert sum(outcome.kink.admissible is None for outcome in kinks) <= len(kinks) // 5
