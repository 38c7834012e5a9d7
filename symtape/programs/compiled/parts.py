"""Rows as operations on elements that never look at what they compute.

A row's ``evaluate`` looks, for instance whether all numbers are finite, to do less. Loops compute
both ways in less time than NumPy takes to look, and a program that does not look goes on in machine
code. The values are those of the rows within rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives.contraction import CROSS, OUTER
from symtape.primitives.cumulative import CUMPROD, CUMSUM, RECURRENCE
from symtape.primitives.exponential import LOGADDEXP
from symtape.primitives.extrema import SHARE
from symtape.primitives.norms import EUCLIDEAN_NORM
from symtape.primitives.polynomials import CORRELATE
from symtape.primitives.primitive import Primitive
from symtape.primitives.reductions import STD, VAR
from symtape.primitives.softmax import (
    LOG_SOFTMAX,
    LOG_SOFTMAX_PULL_BACK,
    LOGSUMEXP,
    SOFTMAX,
    SOFTMAX_PULL_BACK,
)
from symtape.primitives.sorting import SEARCHSORTED
from symtape.primitives.special.logistic import EXPIT
from symtape.programs.compiled.cancelling import ANY_SHARE
from symtape.programs.compiled.finite import ARE_FINITE

Axes = tuple[int, ...] | None


def _share(x: Any, axis: Axes, largest: bool) -> Any:
    extreme = (np.max if largest else np.min)(x, axis=axis, keepdims=True)
    tied = np.where(x == extreme, 1.0, 0.0)
    return tied / np.sum(tied, axis=axis, keepdims=True)


def _euclidean(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Divided by the largest magnitude, so that no square overflows, or is lost."""
    largest = np.max(np.abs(x), axis=axis, keepdims=True)
    scale = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
    unit = x / scale
    y = np.sqrt(np.sum(unit * unit, axis=axis, keepdims=True)) * scale
    return y if keepdims else np.squeeze(y, axis)


def _correlate(a: Any, v: Any) -> Any:
    windows = range(len(a) - len(v) + 1, len(a) + 1)
    return sum(v[k] * a[k:end] for k, end in enumerate(windows))


def _cross(a: Any, b: Any) -> Any:
    (a0, a1, a2), (b0, b1, b2) = ([x[..., k] for k in range(3)] for x in (a, b))
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1)


def multiply_stacks(a: Any, b: Any) -> Any:
    """Products of many small matrices, for all of which a library is called one by one."""
    return sum(a[..., :, k, None] * b[..., None, k, :] for k in range(a.shape[-1]))


def _searchsorted(a: Any, v: Any, side: str) -> Any:
    """How many samples come before, of which NaN has all."""
    each = np.reshape(a, (-1, *[1] * np.ndim(v)))
    comes = (np.less_equal if side == "right" else np.less)(each, v) | np.isnan(v)
    return np.sum(np.where(comes, 1.0, 0.0), axis=0).astype(np.intp)


def _sum(x: Any, axis: Axes) -> Any:
    return np.sum(x, axis=axis, keepdims=True)


def _shift(x: Any, axis: Axes) -> Any:
    """The largest element, or 0 where that is infinite."""
    largest = np.max(x, axis=axis, keepdims=True)
    return np.where(np.isfinite(largest), largest, 0.0)


def _log_of_sum(x: Any, shift: Any, axis: Axes) -> Any:
    """The logarithm of the sum of ``exp(x - shift)``, accurate where it is next to 0."""
    top = x == shift
    count = _sum(np.where(top, 1.0, 0.0), axis)
    rest = _sum(np.where(top, 0.0, np.exp(x - shift)), axis)
    some = np.where(count == 0.0, 1.0, count)
    return np.where(count == 0.0, np.log(rest), np.log1p(rest / some) + np.log(some))


def _logsumexp(x: Any, axis: Axes, keepdims: bool) -> Any:
    shift = _shift(x, axis)
    y = _log_of_sum(x, shift, axis) + shift
    return y if keepdims else np.squeeze(y, axis)


def _softmax(x: Any, axis: Axes) -> Any:
    shares = np.exp(x - _shift(x, axis))
    total = _sum(shares, axis)
    return shares / np.where(total == 0.0, 1.0, total)


def _log_softmax(x: Any, axis: Axes) -> Any:
    shift = _shift(x, axis)
    return (x - shift) - _log_of_sum(x, shift, axis)


def _softmax_pull_back(p: Any, g: Any, axis: Axes) -> Any:
    g = g - _sum(np.where(p > 0.5, g, 0.0), axis)
    return p * (g - _sum(p * g, axis))


def _log_softmax_pull_back(p: Any, g: Any, axis: Axes) -> Any:
    top = p > 0.5
    others, rest = _sum(np.where(top, 0.0, p), axis), _sum(np.where(top, 0.0, g), axis)
    return np.where(top, g * others - p * rest, g - p * _sum(g, axis))


def _expit(x: Any) -> Any:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1 + small)


def _logaddexp(a: Any, b: Any) -> Any:
    gap = np.subtract(a, b)
    small = np.exp(-np.abs(gap))
    # Infinities are equal too, of which the difference is NaN.
    return np.maximum(a, b) + np.where(np.equal(a, b), np.log(2.0), np.log1p(small))


OF_EXPONENTIALS: Final[dict[Primitive, Callable[..., Any]]] = {
    EXPIT: _expit,
    LOGADDEXP: _logaddexp,
}
"""Functions of rows by the exponential of which their derivatives are made, so that it is one."""

PARTS: Final[dict[Primitive, Callable[..., Any]]] = {
    ARE_FINITE: lambda x: np.sum(x * 0.0) == 0.0,
    CORRELATE: _correlate,
    CROSS: _cross,
    EUCLIDEAN_NORM: _euclidean,
    LOGSUMEXP: _logsumexp,
    LOG_SOFTMAX: _log_softmax,
    LOG_SOFTMAX_PULL_BACK: _log_softmax_pull_back,
    OUTER: lambda a, b: np.reshape(a, (-1, 1)) * b,
    SEARCHSORTED: _searchsorted,
    SHARE: _share,
    ANY_SHARE: _share,
    SOFTMAX: _softmax,
    SOFTMAX_PULL_BACK: _softmax_pull_back,
    **{row: row.elements for row in (STD, VAR) if row.elements is not None},
}
"""Functions of a row's arguments and parameters."""

OF_SHARES: Final = frozenset(
    (LOGSUMEXP, LOG_SOFTMAX, LOG_SOFTMAX_PULL_BACK, SOFTMAX, SOFTMAX_PULL_BACK)
)
"""Those whose parts may round otherwise than NumPy computes the row."""

AS_NUMPY: Final = frozenset((CROSS, CUMPROD, CUMSUM, OUTER, RECURRENCE))
"""Rows that NumPy computes by the operations on elements that they mean, in the same order."""
