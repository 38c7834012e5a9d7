"""From results to reports: nothing that was found is lost on the way."""

from __future__ import annotations

import functools
import inspect

import numpy as np
import pytest

import verify
from verify.model.case import Case
from verify.model.result import Coverage, Entry, KinkFacts, PointOutcome, Result, Slope, Survey
from verify.model.verdict import Verdict
from verify.regions import as_region
from verify.reporting.reported import prepare_report


def tanh(x):
    return np.tanh(x)


def two(x, y):
    return np.abs(x) + np.abs(y)


def searched() -> Result:
    """A search that failed at a point that its survey does not hold."""
    region = as_region([-60, 60], ("x",))
    worst = Entry(0, (), 0.0, "4.2e-18", "4.2e-18", 4.5e15, 8.0, 1.0)
    failing = PointOutcome.from_judgement(
        (np.float64(20.5),), Verdict.INACCURATE, "cancels", worst, 200, severity=0.25
    )
    right = PointOutcome.from_judgement((np.float64(0.5),), Verdict.CORRECT)
    x = np.linspace(-60, 60, 3001)
    ones = np.ones(len(x))
    return Result.from_points(
        Case("f", "f", tanh, (), over=region),
        (failing, right),
        coverage=Coverage("x in [-60, 60]", 0, 3001, 2, paths=(2, 3), reasons=("why",)),
        survey=Survey(("x",), x[:, np.newaxis], 0 * x, ones, ones),
    )


def test_what_fails_is_among_the_points_of_the_plots():
    accuracy = prepare_report(searched()).accuracy
    [coordinate] = accuracy.coordinates
    assert accuracy.count == 3002
    at = coordinate.x.index(20.5)
    assert accuracy.bits[at] == pytest.approx(52, abs=0.1)
    assert accuracy.marks[at] == "0"
    assert sum(segment.zeros for segment in coordinate.segments) == 1


def test_coverage_and_severity_are_kept():
    case = prepare_report(searched())
    assert (case.coverage.tried, case.coverage.judged, case.coverage.paths) == (3001, 2, (2, 3))
    assert case.coverage.reasons == ("why",)
    assert case.severity == 0.25
    assert case.worst is case.points[0]


@pytest.mark.parametrize(
    ("function", "x", "names"), [(tanh, (0.0,), [""]), (two, (0.0, 1.0), ["x", "y"])]
)
def test_the_slopes_of_a_kink_name_their_inputs(function, x, names):
    slopes = tuple(
        Slope("", (), -1.0, None, -1.0, 1.0, 0.5, argument=at) for at in range(len(names))
    )
    point = PointOutcome.from_judgement(
        tuple(map(np.float64, x)), Verdict.KINK, kink=KinkFacts(slopes, True, "0 at 0")
    )
    [kept] = prepare_report(Result.from_points(Case("f", "f", function, (x,)), (point,))).points
    assert [slope.wrt for slope in kept.kink.slopes] == names
    assert (kept.kink.admissible, kept.kink.convention) == (True, "0 at 0")
    assert (kept.kink.slopes[0].left, kept.kink.slopes[0].right) == (-1.0, None)


def slope(x):
    return 0.0 * x


def raising(x):
    raise ValueError(x)


STANDS_ON = {
    "an enclosure": (np.sin, slope, [0.5, 0.25], "certified at 2 points to 2⁻"),
    "sides": (np.abs, lambda x: 2.0, [0.0], "one-sided derivatives at 1 point"),
    "an error": (np.sin, raising, [0.5], "what the claim did or returned"),
}


@pytest.mark.parametrize("kind", STANDS_ON)
def test_a_failing_case_says_what_the_finding_stands_on(kind):
    function, claimed, points, words = STANDS_ON[kind]
    result = verify.gradient(function, claimed=claimed, at=points)
    assert result.verdict is Verdict.WRONG
    assert prepare_report(result).basis.startswith(words)


def test_a_sampled_finding_stands_on_samples():
    result = verify.gradient(np.sin, claimed=slope, at=[0.5], evidence="sampled")
    assert prepare_report(result).basis == "sampled at 1 point"


def test_the_source_of_a_claim_is_kept_and_that_of_a_transform_is_not():
    def doubled(x):
        return 2 * x

    mine = prepare_report(verify.gradient(np.sin, claimed=slope, at=[0.5])).claim
    assert mine is not None
    assert mine.code == inspect.getsource(slope)
    assert mine.line == inspect.getsourcelines(slope)[1]
    theirs = verify.gradient(doubled, claimed=functools.wraps(doubled)(slope), at=[0.5])
    assert prepare_report(theirs).claim is None
    assert prepare_report(verify.gradient(np.sin, at=[0.5])).claim is None
