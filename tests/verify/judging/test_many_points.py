"""What points have in common is prepared once, and never where they differ."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import verify
from symtape.graph.freeze import record
from symtape.graph.sameness import same_computation
from symtape.process.work import meter_work
from verify import Verdict
from verify.claimants.claim import claim_of
from verify.judging.judge import Judge
from verify.model.case import Case

GENERATOR = np.random.default_rng(8)


def branching(x):
    if x > 1:
        return x * x
    return np.where(x > 0, np.sin(x), x)


def stepping(x):
    return np.floor(x) * x


def to_a_power(x):
    return np.float64(2.0) ** np.floor(x) * x


def sorted_sum(x):
    return np.sum(np.sort(x) * np.arange(x.shape[0]))


def solved(x):
    matrix = np.stack([np.stack([x, x * 0 + 1]), np.stack([x * 0 + 2, x])])
    return np.sum(np.linalg.solve(matrix, np.array([1.0, 2.0])))


def looped(x):
    while x > 1:
        x = x / 2 + np.sin(x) / 8
    return x


FUNCTIONS = {
    "branches": (branching, [1.5, 0.5, -0.5, 2.5, 0.25, -3.0]),
    "steps": (stepping, [0.5, 1.5, 2.5, 0.75, 1.25]),
    "constants of steps": (to_a_power, [0.5, 1.5, 2.5, 0.75]),
    "order": (sorted_sum, [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [1.5, 2.5, 9.0]]),
    "pivots": (solved, [3.0, 0.5, -0.25, 4.0, 1e-3]),
    "loops": (looped, [5.0, 0.5, 2.0, 9.0, 3.0]),
    "shapes": (np.sum, [[1.0], [1.0, 2.0], [3.0], [4.0, 5.0]]),
    "dtypes": (np.tanh, [0.5, np.float32(0.5), np.float16(0.5), 0.25]),
}


def summary(outcome):
    entry = outcome.worst
    return outcome.verdict, outcome.bits, entry and (entry.claimed, entry.lower, entry.upper)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_together_points_are_judged_as_each_by_itself(kind):
    function, points = FUNCTIONS[kind]
    together = verify.gradient(function, at=[*points, *points]).points
    alone = [verify.gradient(function, at=[x]).points[0] for x in points]
    assert [summary(one) for one in together] == [summary(one) for one in (*alone, *alone)]


def right_then_wrong(x):
    if x > 2:
        return 2 * x + 1e-12
    return 2 * x


class Counting:
    """A claim that is right the first three times."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return 2 * x if self.calls <= 3 else 2 * x * (1 + 1e-9)


def test_a_claim_that_branches_is_followed_on_each_of_its_branches():
    result = verify.gradient(lambda x: x * x, at=[1.0, 1.5, 3.0, 0.5], claimed=right_then_wrong)
    assert [point.verdict for point in result.points] == [
        Verdict.CORRECT,
        Verdict.CORRECT,
        Verdict.WRONG,
        Verdict.CORRECT,
    ]


def test_a_claim_that_changes_its_mind_is_not_taken_for_what_it_was():
    result = verify.gradient(lambda x: x * x, at=[1.0, 1.5, 3.0, 0.5], claimed=Counting())
    assert result.verdict is not Verdict.CORRECT


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (lambda x: x * 2, lambda x: x * 2, True),
        (lambda x: x * 2, lambda x: x * 3, False),
        (lambda x: x + 0.0, lambda x: x - 0.0, False),
        (lambda x: x + 0.0, lambda x: x + -0.0, False),
        (lambda x: x * 2.0, lambda x: x * 2, False),
        (lambda x: np.sum(x, axis=0), lambda x: np.sum(x, axis=1), False),
        (lambda x: np.sin(x), lambda x: np.cos(x), False),
        (lambda x: x[0], lambda x: x[1], False),
        (lambda x: x[1], lambda x: x[np.int32(1)], False),
    ],
)
def test_recordings_are_the_same_if_nothing_but_the_inputs_differs(one, other, same):
    a, b = record(one, np.ones((2, 2))), record(other, np.full((2, 2), 3.0))
    assert same_computation(a, b) is same


@pytest.mark.long
def test_memory_stays_bounded_over_many_points():
    def function(x):
        return np.sum(np.where(x > 0, np.sin(x), x * x))

    points = tuple((GENERATOR.normal(size=6),) for _ in range(65))
    judge = Judge(claim_of(Case("a", "a", function, points)))
    for x in points[:40]:
        judge.judge_point(x)
    tracemalloc.start()
    for x in points[40:]:
        judge.judge_point(x)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_500_000
    assert peak < 8_000_000


def work_of(judges, points):
    """The work that judging each of some points is, by its judge."""
    spent = []
    for judge, x in zip(judges, points, strict=True):
        with meter_work() as work:
            assert judge.judge_point(x).verdict is Verdict.CORRECT
        spent.append(work.spent)
    return spent


def test_another_point_of_the_same_function_costs_little():
    points = [(float(x),) for x in GENERATOR.normal(size=12)]
    case = Case("a", "a", lambda x: np.sin(x) * np.exp(-x) + np.tanh(x), tuple(points))
    together = work_of([Judge(claim_of(case))] * len(points), points)
    alone = work_of([Judge(claim_of(case)) for _ in points], points)
    assert together[0] == alone[0]
    # The second point finds out what it shares with the first.
    assert all(2 * one < other for one, other in zip(together[2:], alone[2:], strict=True))
