"""Many kinks that do not depend on each other: their gradients add up to all that is possible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import verify
from symtape.graph.freeze import record
from symtape.symbolic.precise import enclose
from symtape.symbolic.walk import shadow
from verify import Verdict
from verify.judging.kinks import independent
from verify.judging.kinks.alternatives import Problem
from verify.judging.kinks.independent import explore_apart
from verify.judging.kinks.pieces import explore

UP = np.arange(1.0, 13.0)
ZERO = np.zeros(12)


def pooled(x):
    return np.sum(np.max(x.reshape(6, 2), axis=1) * UP[:6])


TABLE = {
    "absolute values": (
        lambda x: np.sum(UP * np.abs(x)), [UP, -UP, 0.5 * UP, ZERO], [1.1 * UP, 2 * UP],
    ),
    "a layer of rectifiers": (
        lambda x: np.sum(np.maximum(x, 0) * UP), [UP, ZERO, 0.5 * UP], [-UP, 2 * UP],
    ),
    "pooling": (
        pooled, [np.repeat(UP[:6], 2) / 2], [np.repeat(UP[:6], 2), ZERO],
    ),
    "one after the other": (
        lambda x: np.sum(np.maximum(np.abs(x), 2 * x)), [ZERO, ZERO + 2, ZERO - 1],
        [ZERO + 2.5, ZERO - 1.5],
    ),
    "mixed by a matrix": (
        lambda x: np.sum(np.abs(x + np.roll(x, 1))), [ZERO, ZERO + 2, ZERO - 1], [ZERO + 2.5],
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLE)
def test_what_a_convention_gives_is_admissible_and_nothing_else_is(name):
    function, good, bad = TABLE[name]
    for value, admissible in [(v, True) for v in good] + [(v, False) for v in bad]:
        result = verify.gradient(function, claimed=lambda x, v=value: v.copy(), at=[ZERO])
        assert result.witness.kink.admissible is admissible, (value, str(result))
        assert result.verdict is (Verdict.KINK if admissible else Verdict.WRONG)


def test_what_another_choice_leaves_out_is_used_all_the_same():
    def neighbours(x):
        y = np.maximum(x, -2 * x)
        return np.sum(np.array([0.0, 0.0, 1.0]) * np.maximum(y, np.roll(y, 1)))

    at = [np.zeros(3)]
    for good in ([0.0, 1.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.5]):
        result = verify.gradient(neighbours, claimed=lambda x, good=good: np.array(good), at=at)
        assert result.witness.kink.admissible is True, str(result)


@pytest.mark.long
def test_where_one_depends_on_all_others_nothing_is_said():
    def joined(x):
        return np.maximum(np.sum(np.abs(x)), 3 * x[0])

    (outcome,) = verify.gradient(joined, claimed=lambda x: ZERO + 9, at=[ZERO]).points
    assert outcome.kink.admissible is None


def test_what_is_smooth_in_each_is_smooth():
    def halves(x):
        return np.sum(np.maximum(x, 0) + np.minimum(x, 0))

    assert verify.gradient(halves, claimed=lambda x: ZERO + 1, at=[ZERO]).verdict is Verdict.CORRECT
    assert verify.gradient(halves, claimed=lambda x: ZERO, at=[ZERO]).verdict is Verdict.WRONG


LAYERS = [np.abs, lambda y: np.maximum(y, 0), lambda y: np.minimum(y, -y), lambda y: y + np.max(y)]


@settings(derandomize=True, max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1))
def test_apart_and_all_together_are_the_same_set(seed):
    draw = np.random.default_rng(seed)
    first, second = (draw.integers(-2, 3, size=(3, 3)).astype(float) for _ in range(2))
    inner, outer = (LAYERS[k] for k in draw.integers(len(LAYERS), size=2))
    point = [draw.integers(-1, 2, size=3).astype(float)]

    def function(x):
        return np.sum(outer(second @ inner(first @ x)))

    problem = Problem(shadow(record(function, *point), point), point, "gradient", function)
    whole = explore(problem)
    most = independent.MOST
    independent.MOST = 0
    try:
        apart = explore_apart(problem)
    finally:
        independent.MOST = most
    if whole.lost or apart is None or apart.lost:
        return
    for direction in draw.integers(-5, 6, size=(8, 3)).astype(float):
        assert np.isclose(reach(apart, direction, point), reach(whole, direction, point))


def reach(landscape, direction, point):
    """How far the gradients of all pieces go in a direction."""
    groups = {}
    for piece in landscape.pieces:
        balls = enclose(piece.form.program, np.concatenate(piece.ids), point)
        values = np.array([float(ball.mid()) for ball in balls])
        groups.setdefault(piece.group, []).append(values @ direction)
    base = groups[0][0]
    return max(groups.pop(0)) + sum(max(values) - base for values in groups.values())
