"""Differences of values: what a derivative is about, told by nothing but calls of the function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

STEPS: Final = (1e-5, 1e-3)
"""Of first and of second differences, relative to the numbers of a point."""

_SETTLED: Final = 1e-4
"""How far differences of two steps may lie apart, relative to the largest of them."""


def central_differences(
    function: Callable[..., Any], point: Sequence[Any], by: Sequence[int], step: float
) -> np.ndarray:
    """Central differences by arguments; of central differences where there are several.

    Examples
    --------
    >>> made = central_differences(lambda x, a: a * x**2, (np.array([1.0, 2.0]), 3.0), (0,), 1e-5)
    >>> made.round(6).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    if not by:
        return np.asarray(function(*point), dtype=np.float64)
    *inner, k = by
    x = np.asarray(point[k], dtype=np.float64)
    columns = []
    for place in np.ndindex(x.shape):
        h = step * max(abs(float(x[place])), 1e-2)
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * h
            given = (*point[:k], moved[()], *point[k + 1 :])
            ends.append(central_differences(function, given, inner, step))
        columns.append((ends[0] - ends[1]) / (2 * h))
    return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)


def two_differences(
    function: Callable[..., Any], point: Sequence[Any], by: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The derivative by arguments, one after the other, and how far another step is from it."""
    step = STEPS[len(by) - 1]
    wide, narrow = (central_differences(function, point, by, h) for h in (2 * step, step))
    return narrow, np.abs(wide - narrow)


def settled_differences(
    function: Callable[..., Any], point: Sequence[Any], by: Sequence[int], least: float = 1e-12
) -> np.ndarray | None:
    """The derivative by arguments, one after the other; None where differences do not settle.

    What is below the `least` size is taken for zero.

    Examples
    --------
    >>> settled_differences(np.sqrt, (4.0,), (0,)).round(6), settled_differences(abs, (1e-9,), (0,))
    (np.float64(0.25), None)
    """
    narrow, apart = two_differences(function, point, by)
    size = max(float(np.max(np.abs(narrow), initial=0.0)), least)
    return narrow if np.all(apart <= _SETTLED * size) else None
