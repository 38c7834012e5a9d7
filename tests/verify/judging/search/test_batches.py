"""Points evaluated together say what each says when it is evaluated alone."""

import math

import numpy as np
import pytest

import verify
from symtape.symbolic.extended import AVAILABLE
from verify.claimants.claim import claim_of
from verify.judging.judge import Judge
from verify.judging.search.batches import evaluate_many
from verify.judging.search.evaluator import Evaluator, Status
from verify.judging.search.survey import draw_points
from verify.model.case import Case, region_of
from verify.regions import box

BIAS = np.array([0.5, -1.0, 2.0])


def branching(x):
    return np.sum(x**3) if x[0] > x[1] else np.sum(np.sin(x))


def refusing(x):
    if x > 1:
        raise ValueError("not that far")
    return np.cos(x)


CASES = {
    "smooth": (np.exp, None, box(-3, 3)),
    "tails": (np.tanh, None, box(-60, 60)),
    "cancelling claim": (np.tanh, lambda x: 1 - np.tanh(x) ** 2, box(-60, 60)),
    "outside": (np.log, lambda x: 1 / x, box(-1, 1)),
    "an if": (branching, None, box(-2, 2, shape=(2,))),
    "a choice": (lambda x: np.sum(np.maximum(x, BIAS) ** 2), None, box(-3, 3, shape=(3,))),
    "a step": (lambda x: x * np.floor(x), None, box(-3, 3)),
    "a sort": (lambda x: np.sum(np.sort(x) * BIAS), None, box(-3, 3, shape=(3,))),
    "two arguments": (
        lambda x, y: np.sum(x * y),
        lambda x, y: (np.full(2, y), np.sum(x)),
        (box(-1, 1, shape=(2,)), box(-1, 1)),
    ),
    "float32": (np.sin, np.cos, box(-3, 3, dtype=np.float32)),
    "infinite": (np.exp, np.exp, box(-900, 900)),
    "raises": (np.sin, refusing, box(-3, 3)),
    "wrong": (np.sin, lambda x: -np.cos(x), box(-3, 3)),
    "nan": (np.sin, lambda x: np.cos(x) * np.nan, box(-3, 3)),
    "no reading": (np.i0, None, box(-3, 3)),
}


def readers(name):
    function, claimed, over = CASES[name]
    region = region_of(function, over)
    case = Case("c", "c", function, (), "gradient", claimed, over=region)
    for _ in range(2):
        judge = Judge(claim_of(case))
        yield Evaluator(judge.claim, judge.forms, judge.budget)
    yield [x for _, x in draw_points(region, 0, 150)]


@pytest.mark.parametrize("name", CASES)
def test_together_as_alone(name):
    together, alone, points = readers(name)
    with np.errstate(all="ignore"):
        found = evaluate_many(together, points)
        expected = [alone.evaluate(x) for x in points]
    assert together.count == alone.count == len(points)
    for one, other in zip(found, expected, strict=True):
        assert one.x is other.x
        assert (one.status, one.path) == (other.status, other.path)
        assert one.words == other.words
        if math.isfinite(other.ulps):
            assert abs(one.ulps - other.ulps) <= 0.05 + 1e-9 * other.ulps
        else:
            assert str(one.ulps) == str(other.ulps)
        assert one.dtype == other.dtype


@pytest.mark.skipif(not AVAILABLE, reason="long doubles are doubles here")
def test_most_are_read_without_balls(monkeypatch):
    together, _, points = readers("smooth")
    calls = []
    evaluate = Evaluator.evaluate
    monkeypatch.setattr(Evaluator, "evaluate", lambda self, x: calls.append(x) or evaluate(self, x))
    found = evaluate_many(together, points)
    assert len(calls) < 10
    assert all(evaluation.status is Status.COMPARED for evaluation in found)


def test_a_decision_on_an_array_of_one_number_is_followed_at_many_points():
    def folded(x):
        return np.sum(x**2) if x < 0 else np.sum(x**3)

    def slope(x):
        return 2 * x if x < 0 else 3 * x**2

    result = verify.gradient(folded, slope, over=verify.box(-1, 2, shape=(1,)), effort="quick")
    assert result.verdict is verify.Verdict.CORRECT, result.message
