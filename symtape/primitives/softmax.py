"""Rows: log-sum-exp, softmax, log-softmax, and how they pull cotangents back.

All shift by the largest element, so nothing overflows. The pull backs are rows of their own
because, taken literally, their formulas cancel where one share is next to 1: that is where a
classifier is sure, and 1 - p would be all rounding. There the sum of the other shares serves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.primitives.axes import reduce_array, restore_reduced_axes
from symtape.primitives.primitive import Array, Params, Primitive, declare

Axes = tuple[int, ...]

_FEW: Final = 8
"""Elements in a row that are too few to count them where they are."""


def _shift(a: Array, axis: Axes) -> tuple[Array, bool]:
    """The largest element, or 0 where that is infinite; and whether it is finite everywhere."""
    largest = reduce_array(np.maximum, a, axis, True)
    finite = np.isfinite(largest)
    if np.count_nonzero(finite) == finite.size:
        return largest, True
    return np.where(finite, largest, a.dtype.type(0)), False


def _shares(a: Array, largest: Array) -> Array:
    """``exp(a - largest)``, in one array: of a large one, another costs as much as the function."""
    shares = np.asarray(a - largest)
    return np.exp(shares, out=shares)


def _logsumexp(a: Array, axis: Axes, keepdims: bool) -> Array:
    if not a.size:
        return np.full(a.sum(axis=axis, keepdims=keepdims).shape, -np.inf, a.dtype)
    largest, is_finite = _shift(a, axis)
    result = _log_of_sum(a, largest, axis, is_finite) + largest
    return result if keepdims else result.squeeze(axis)


def _log_of_sum(a: Array, largest: Array, axis: Axes, is_finite: bool) -> Array:
    """The logarithm of the sum of ``exp(a - largest)``, accurate where it is next to 0."""
    top = a == largest
    if is_finite and np.count_nonzero(top) == largest.size:  # each sum has one largest term
        shares = _shares(a, largest)
        np.copyto(shares, 0, where=top)
        return np.log1p(reduce_array(np.add, shares, axis, True))
    with np.errstate(divide="ignore", invalid="ignore"):
        return _log_of_counted(a, largest, axis, top)


def _log_of_counted(a: Array, largest: Array, axis: Axes, top: Array) -> Array:
    """As :func:`_log_of_sum`, where sums have several largest terms, or none."""
    if axis and a.shape[axis[-1]] < _FEW:  # NumPy begins a loop for each sum
        count = reduce_array(np.add, top.astype(a.dtype), axis, True)
    else:
        count = top.sum(axis=axis, keepdims=True, dtype=a.dtype)
    shares = _shares(a, largest)
    np.copyto(shares, 0, where=top)
    rest = reduce_array(np.add, shares, axis, True)
    if count.all():
        return np.log1p(rest / count) + np.log(count)
    some = np.maximum(count, 1)
    return np.where(count == 0, np.log(rest), np.log1p(rest / some) + np.log(some))


def _softmax(a: Array, axis: Axes) -> Array:
    if not a.size:
        return a
    shares = _shares(a, _shift(a, axis)[0])
    total = reduce_array(np.add, shares, axis, True)
    if np.count_nonzero(total) != total.size:
        total = np.where(total == 0, a.dtype.type(1), total)
    shares /= total
    return shares


def _log_softmax(a: Array, axis: Axes) -> Array:
    if not a.size:
        return a
    largest, is_finite = _shift(a, axis)
    with np.errstate(invalid="ignore"):
        return (a - largest) - _log_of_sum(a, largest, axis, is_finite)


def _softmax_pull_back(p: Array, g: Array, axis: Axes) -> Array:
    """``p (g - sum(p g))``; where p is more than half, g less its value there.

    That changes nothing, and makes the sum one over the other shares alone.
    """
    top = p > p.dtype.type(0.5)
    if top.any():
        g = g - reduce_array(np.add, np.where(top, g, g.dtype.type(0)), axis, True)
    return p * (g - reduce_array(np.add, p * g, axis, True))


def _log_softmax_pull_back(p: Array, g: Array, axis: Axes) -> Array:
    """``g - p sum(g)``; where p is more than half, ``g sum(other p) - p sum(other g)``."""
    plain = g - p * reduce_array(np.add, g, axis, True)
    top = p > p.dtype.type(0.5)
    if not top.any():
        return plain
    zero = p.dtype.type(0)
    others = reduce_array(np.add, np.where(top, zero, p), axis, True)
    rest = reduce_array(np.add, np.where(top, zero, g), axis, True)
    return np.where(top, g * others - p * rest, plain)


def _terms(shapes: Sequence[tuple[int, ...]], params: Params) -> int:
    return 8 + int(np.prod([shapes[0][i] for i in params["axis"]]))


def _sum(x: Any, axis: Axes) -> Any:
    return np.sum(x, axis=axis, keepdims=True)


def _is_somewhere_finite(a: Array, axis: Axes, keepdims: bool = True) -> Any:
    return np.isfinite(a).any(axis=axis) & (a < np.inf).all(axis=axis)


def _are_shares(p: Array, g: Array, axis: Axes) -> Any:
    excess = np.abs(p.sum(axis=axis) - 1)
    return (p >= 0).all(axis=axis) & (excess <= 4 * p.size * np.finfo(p.dtype).eps)


LOGSUMEXP: Primitive = declare(
    evaluate=_logsumexp,
    vjp=[
        lambda g, a, axis, keepdims: (
            restore_reduced_axes(g, a.shape, axis, keepdims) * SOFTMAX(a, axis=axis)
        )
    ],
    elements=lambda a, axis, keepdims: np.log(np.sum(np.exp(a), axis=axis, keepdims=keepdims)),
    domain=_is_somewhere_finite,
    rounding=_terms,
    dependence="reduces",
    source="Blanchard, Higham and Higham 2021, Accurately computing log-sum-exp and softmax",
    example=(([[0.5, -1.25], [2.0, 0.75]],), {"axis": (1,), "keepdims": False}),
)
SOFTMAX: Primitive = declare(
    evaluate=_softmax,
    vjp=[lambda g, y, axis: SOFTMAX_PULL_BACK(y, g, axis=axis)],
    elements=lambda a, axis: np.exp(a) / _sum(np.exp(a), axis),
    jvp="symmetric",
    domain=_is_somewhere_finite,
    rounding=_terms,
    dependence="mixes",
    source="Blanchard, Higham and Higham 2021, Accurately computing log-sum-exp and softmax",
    example=(([[0.5, -1.25], [2.0, 0.75]],), {"axis": (1,)}),
)
LOG_SOFTMAX: Primitive = declare(
    evaluate=_log_softmax,
    vjp=[lambda g, a, axis: LOG_SOFTMAX_PULL_BACK(SOFTMAX(a, axis=axis), g, axis=axis)],
    elements=lambda a, axis: a - np.log(_sum(np.exp(a), axis)),
    jvp=[
        lambda t, a, axis: t - np.sum(SOFTMAX(a, axis=axis) * t, axis=axis, keepdims=True),
    ],
    domain=_is_somewhere_finite,
    rounding=_terms,
    dependence="mixes",
    source="Blanchard, Higham and Higham 2021, Accurately computing log-sum-exp and softmax",
    example=(([[0.5, -1.25], [2.0, 0.75]],), {"axis": (1,)}),
)
SOFTMAX_PULL_BACK: Primitive = declare(
    evaluate=_softmax_pull_back,
    vjp=[
        lambda g_y, p, g, axis: (
            g_y * (g - np.sum(p * g, axis=axis, keepdims=True))
            - g * np.sum(g_y * p, axis=axis, keepdims=True)
        ),
        lambda g_y, p, axis: SOFTMAX_PULL_BACK(p, g_y, axis=axis),
    ],
    elements=lambda p, g, axis: p * (g - _sum(p * g, axis)),
    jvp=[
        lambda t, p, g, axis: (
            t * (g - np.sum(p * g, axis=axis, keepdims=True))
            - p * np.sum(t * g, axis=axis, keepdims=True)
        ),
        lambda t, p, axis: SOFTMAX_PULL_BACK(p, t, axis=axis),
    ],
    domain=_are_shares,
    rounding=_terms,
    dependence="mixes",
    source="the Jacobian of softmax is diag(p) - p p'",
    example=(([[0.25, 0.75], [0.5, 0.5]], [[0.5, -1.25], [2.0, 0.75]]), {"axis": (1,)}),
)
LOG_SOFTMAX_PULL_BACK: Primitive = declare(
    evaluate=_log_softmax_pull_back,
    vjp=[
        lambda g_y, g, axis: -g_y * np.sum(g, axis=axis, keepdims=True),
        lambda g_y, p, axis: g_y - np.sum(g_y * p, axis=axis, keepdims=True),
    ],
    elements=lambda p, g, axis: g - p * _sum(g, axis),
    jvp=[
        lambda t, g, axis: -t * np.sum(g, axis=axis, keepdims=True),
        lambda t, p, axis: LOG_SOFTMAX_PULL_BACK(p, t, axis=axis),
    ],
    domain=_are_shares,
    rounding=_terms,
    dependence="mixes",
    source="the Jacobian of log-softmax is 1 - p 1'",
    example=(([[0.25, 0.75], [0.5, 0.5]], [[0.5, -1.25], [2.0, 0.75]]), {"axis": (1,)}),
)
