"""Faults of bounds over boxes: the errors of floats at samples show each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import arb

import symtape
from symtape.rigorous import box_errors, error_bound
from tests.symtape.rigorous.sampled_errors import largest_share


def halve_roundings(monkeypatch: Any) -> None:
    right = box_errors._half_ulp
    monkeypatch.setattr(box_errors, "_half_ulp", lambda x, unit: right(x, unit) / 2)


def drop_products(monkeypatch: Any) -> None:
    monkeypatch.setattr(
        box_errors, "_scale", lambda row, args: arb(1) if row.name == "multiply" else None
    )


def drop_roundings_of_arguments(monkeypatch: Any) -> None:
    right = box_errors.FloatReading.take
    monkeypatch.setattr(
        box_errors.FloatReading,
        "take",
        lambda self, node, args: (args, 0.0, right(self, node, args)[2]),
    )


def halve_slopes(monkeypatch: Any) -> None:
    right = box_errors.box_slopes
    monkeypatch.setattr(
        box_errors,
        "box_slopes",
        lambda *args: [slope._replace(value=slope.value / 4) for slope in right(*args)],
    )


def drop_an_argument(monkeypatch: Any) -> None:
    right = box_errors.box_slopes
    monkeypatch.setattr(
        box_errors, "box_slopes", lambda *args: [s for s in right(*args) if s.place == 0]
    )


def skip_upper_boxes(monkeypatch: Any) -> None:
    right = error_bound._Box.halves

    def lower_half(self: Any, weights: Any) -> Any:
        halves = right(self, weights)
        return None if halves is None else (halves[0], halves[0])

    monkeypatch.setattr(error_bound._Box, "halves", lower_half)


def take_the_middle_for_the_box(monkeypatch: Any) -> None:
    right = error_bound._Box.balls
    monkeypatch.setattr(
        error_bound._Box, "balls", lambda self, beside: right(self.middle(), beside)
    )


def leave_branches_undecided(monkeypatch: Any) -> None:
    monkeypatch.setattr(box_errors._Evaluation, "_find_undecided", lambda self, at: [])


def tenth(x: Any) -> Any:
    return x * 0.1


def cancel(x: Any, y: Any) -> Any:
    return 1.0 * x - (y + 1e3) * 1e3


LIES = {
    "a rounding halved": (halve_roundings, tenth, [1.0], [2.0]),
    "products without rounding": (drop_products, tenth, [1.0], [2.0]),
    "arguments without rounding": (
        drop_roundings_of_arguments,
        lambda x: np.sum(x * 0.1),
        [np.arange(1.0, 9.0)],
        [np.arange(2.0, 10.0)],
    ),
    "slopes too small": (halve_slopes, lambda x: (x * 0.1 - 0.1) * 8.0, [0.9], [1.1]),
    "an argument forgotten": (drop_an_argument, cancel, [1.0, 1.0], [2.0, 2.0]),
    "a box skipped": (skip_upper_boxes, tenth, [0.001], [1000.0]),
    "a box taken for its middle": (take_the_middle_for_the_box, tenth, [0.001], [1000.0]),
    "a step taken for decided": (
        leave_branches_undecided,
        lambda x: np.floor(x * 10.0) * 0.5,
        [0.3],
        [10.0],
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_errors_at_samples_refute_a_bound_that_is_too_small(
    lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, function, lower, upper = LIES[lie]
    graph = symtape.record(function, *upper)
    honest = largest_share(graph, lower, upper, count=500, most=60)
    assert not honest > 1
    plant(monkeypatch)
    assert largest_share(graph, lower, upper, count=500, most=60) > 1
