"""The model's own answers: counts, order, the worst point."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from verify.model.figures import HeatMap
from verify.model.outcome import Float, Input
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.reporting import Report


def test_counts_name_every_verdict_gravest_first(sample: Report) -> None:
    assert list(sample.counts) == list(Verdict)[::-1]
    assert set(sample.counts.values()) == {1}
    assert sample.verdict is Verdict.WRONG


def test_gravest_cases_come_first_and_order_is_kept_otherwise(large: Report) -> None:
    order = list(Verdict)
    gravity = [order.index(case.verdict) for case in large.cases_by_gravity]
    assert gravity == sorted(gravity, reverse=True)
    correct = [case for case in large.cases if case.verdict is Verdict.CORRECT]
    assert list(large.cases_by_gravity)[-len(correct) :] == correct


@pytest.mark.parametrize(
    ("points", "worst"),
    [
        ((PointOutcome(Verdict.CORRECT, ulps=9.0), PointOutcome(Verdict.WRONG)), 1),
        ((PointOutcome(Verdict.WRONG, ulps=1.0), PointOutcome(Verdict.WRONG, ulps=2.0)), 1),
        (
            (
                PointOutcome(Verdict.WRONG, ulps=math.nan),
                PointOutcome(Verdict.WRONG, ulps=math.inf),
            ),
            0,
        ),
        (
            (
                PointOutcome(Verdict.CORRECT, ulps=9.0, allowed_ulps=90.0),
                PointOutcome(Verdict.CORRECT, ulps=2.0, allowed_ulps=3.0),
            ),
            1,
        ),
    ],
)
def test_the_worst_point(points: tuple[PointOutcome, ...], worst: int) -> None:
    case = Result("c", "", "", "", "", Verdict.WRONG, points=points)
    assert case.worst is points[worst]


def test_a_case_without_points_has_no_worst() -> None:
    case = Result("c", "", "", "", "", Verdict.UNDECIDED)
    assert case.worst is None
    assert case.ulps is None


@pytest.mark.parametrize("value", [0.1, -0.0, 5e-324, math.inf, np.float32(0.1), np.float64(1e300)])
def test_floats_read_back_exactly(value: float) -> None:
    kept = Float.from_number(value)
    assert float.fromhex(kept.hex) == value
    assert type(value)(kept.decimal) == value


def test_inputs_keep_a_beginning() -> None:
    kept = Input.from_array("x", np.arange(100.0).reshape(10, 10), limit=7)
    assert kept.shape == (10, 10)
    assert kept.values == tuple(map(float, range(7)))
    assert kept.truncated
    assert not Input.from_array("x", 1.0).truncated


def test_heat_maps_are_matrices() -> None:
    with pytest.raises(ValueError, match=r"2 axes, got shape \(3,\)"):
        HeatMap.from_matrix("h", [1.0, 2.0, 3.0])


def test_reports_do_not_change(sample: Report) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        sample.title = "other"  # type: ignore[misc]
