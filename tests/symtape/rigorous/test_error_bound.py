"""Bounds over boxes are never below the error of any float, and not far above the largest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.errors import Unsupported
from symtape.primitives.primitive import PRIMITIVES
from symtape.rigorous.error_bound import bound_errors
from tests.symtape.rigorous.sampled_errors import largest_share
from verify.strategies import programs


def compare_and_choose(x: float, y: float) -> Any:
    return x * 0.1 if x > 4 else y


FUNCTIONS: dict[str, tuple[Any, list[Any], list[Any], float]] = {
    "product": (lambda x, y: x * y, [1.0, -2.0], [3.0, 5.0], 0.3),
    "rump": (lambda x, y: (x * x - y * y) / (x + y), [1.0, 2.0], [2.0, 5.0], 0.1),
    "third": (lambda x: x / 3 + 0.1, [-1.0], [1.0], 0.3),
    "exp": (lambda x: np.exp(-x * x), [-2.0], [2.0], 0.05),
    "log": (lambda x: np.log1p(np.sqrt(x) * 0.3), [0.0], [9.0], 0.05),
    "wave": (lambda x, y: np.sin(x) * np.cos(y), [-3.0, 0.0], [3.0, 6.0], 0.05),
    "kink": (lambda x: np.abs(x - 0.3) * 0.7, [-1.0], [1.0], 0.2),
    "larger": (lambda x, y: np.maximum(x * 0.1, y * 0.3), [-1.0, -1.0], [1.0, 1.0], 0.2),
    "branch": (compare_and_choose, [5.0, 1.0], [9.0, 2.0], 0.2),
    "steps": (lambda x: np.where(x > 1, x * 0.1, x * 0.3) * np.floor(x), [0.0], [3.0], 0.1),
    "sums": (lambda x: np.sum(x * x) / 3, [np.array([1.0, 2.0])], [np.array([2.0, 4.0])], 0.1),
    "matrix": (
        lambda x: np.array([[1.0, 0.1], [0.3, 2.0]]) @ x,
        [np.array([1.0, 2.0])],
        [np.array([2.0, 4.0])],
        0.1,
    ),
    "narrow": (lambda x: x * 0.1 + 3, [np.float32(0.5)], [np.float32(2.0)], 0.1),
    "squares": (lambda x: np.hypot(x, 1.0) - np.sqrt(x * x), [1.0], [30.0], 0.02),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_float_is_off_by_more_and_some_by_a_share_of_the_bound(name: str) -> None:
    function, lower, upper, share = FUNCTIONS[name]
    graph = symtape.record(function, *upper)
    assert share <= largest_share(graph, lower, upper, count=300, most=200) <= 1


@given(programs(size=5), st.floats(0.001, 0.5))
@settings(max_examples=60)
def test_no_float_of_any_program_is_off_by_more(program: Any, width: float) -> None:
    point = [np.asarray(x, dtype=float) for x in program.point]
    lower, upper = [x - width * abs(x) for x in point], [x + width * abs(x) for x in point]
    try:
        found = largest_share(program.graph, lower, upper, count=8, most=6)
    except Unsupported:
        return
    assert not found > 1


ELEMENTWISE = [
    name
    for name, row in sorted(PRIMITIVES.items())
    if row.elementwise and row.ball is not None and isinstance(row.example, tuple)
    and row.example and all(type(x) is float for x in row.example)
]  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_no_float_of_any_row_is_off_by_more(name: str) -> None:
    row = PRIMITIVES[name]
    point = list(row.example)
    graph = symtape.record(lambda *x: row(*x) * 0.1, *point)
    for width in (0.01, 0.3):
        lower = [x - width * abs(x) for x in point]
        upper = [x + width * abs(x) for x in point]
        assert not largest_share(graph, lower, upper, count=20, most=8) > 1


def test_inputs_that_are_rounded_count() -> None:
    graph = symtape.record(lambda x: x - 1, 2.0)
    [[exact]] = bound_errors(graph, [1.0], [2.0])
    [[rounded]] = bound_errors(graph, [1.0], [2.0], rounded_inputs=True)
    assert rounded.absolute >= exact.absolute + 2.0**-53


@pytest.mark.parametrize(
    ("function", "lower", "upper", "reason"),
    [
        (np.exp, [0.0], [800.0], "overflow"),
        (lambda x: x * x, [1.0], [1e200], "overflow"),
        (np.log, [-1.0], [1.0], "domain"),
        (lambda x: 1 / x, [-1.0], [1.0], "domain"),
        (lambda x: x * 0.1 if x * 0.1 > 0.1 else x, [0.5], [2.0], "not decided"),
        (lambda x: np.where(x * 0.3 > 0.2, 0.1, 0.2) * x, [-1.0], [1.5], "not decided"),
        (lambda x: np.floor(x * 1.1), [0.5], [1.5], "not decided"),
        (lambda x: np.linalg.inv(x * np.eye(2) + 3.0)[0, 0], [1.0], [2.0], "no bound"),
    ],
)
def test_there_is_no_bound_and_that_is_said(
    function: Any, lower: Any, upper: Any, reason: str
) -> None:
    graph = symtape.record(function, 1.2)
    [[found]] = bound_errors(graph, lower, upper, most=60)
    assert found.absolute == found.ulps == math.inf
    assert reason in found.reason


def test_underflow_is_in_the_bound() -> None:
    graph = symtape.record(lambda x: x * x, 1e-170)
    [[found]] = bound_errors(graph, [1e-170], [1e-165])
    assert 2.0**-1075 < found.absolute < 2.0**-1060
    assert found.ulps > 1e5


def test_units_in_the_last_place() -> None:
    [[once]] = bound_errors(symtape.record(lambda x: x / 3, 1.0), [1.0], [100.0])
    assert 0.5 <= once.ulps < 1.1
    [[cancels]] = bound_errors(symtape.record(lambda x: (x + 1) - x, 1.0), [1.0], [1e6])
    assert cancels.ulps > 1e5
    [[signs]] = bound_errors(symtape.record(lambda x: x / 3, 1.0), [-1.0], [1.0])
    assert signs.ulps == math.inf
    assert signs.absolute < 1e-16
