"""Rows and functions: running sums and products, and the linear recurrence behind them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives.arguments import refuse_out
from symtape.primitives.axes import accumulate_array, one_axis
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _shift_by_one(x: Array, first: float) -> Array:
    """`x` moved on by one along the last axis, beginning with `first`."""
    start = np.full((*x.shape[:-1], min(1, x.shape[-1])), first, x.dtype)
    return np.concatenate([start, x[..., :-1]], -1)


def _recurrence(a: Array, b: Array) -> Array:
    if b.ndim == 1 and b.size and a.dtype == b.dtype == np.float64:
        first, *rest = b.tolist()
        steps = zip(a.tolist()[1:], rest, strict=True)
        return np.array(
            [*itertools.accumulate(steps, lambda s, ab: ab[0] * s + ab[1], initial=first)]
        )
    s = np.empty(b.shape, np.result_type(a, b))
    if b.shape[-1]:
        s[..., 0] = b[..., 0]
    for i in range(1, b.shape[-1]):
        s[..., i] = a[..., i] * s[..., i - 1] + b[..., i]
    return s


def _recurrence_adjoint(g: Array, a: Array) -> Array:
    return np.flip(RECURRENCE(_shift_by_one(np.flip(a, -1), 0.0), np.flip(g, -1)), -1)


def _cumprod_rule(g: Array, x: Array, y: Array, axis: int) -> Array:
    # No division, so that zeros are as good as any: the products before an element, times
    # a recurrence over those behind it.
    g, x, y = (np.moveaxis(part, axis, -1) for part in (g, x, y))
    behind = _recurrence_adjoint(g, x)
    return np.moveaxis(_shift_by_one(y, 1.0) * behind, -1, axis)


def _cumprod_push(t: Array, x: Array, y: Array, axis: int) -> Array:
    t, x, y = (np.moveaxis(part, axis, -1) for part in (t, x, y))
    return np.moveaxis(RECURRENCE(x, t * _shift_by_one(y, 1.0)), -1, axis)


CUMSUM: Primitive = declare(
    name="cumsum",
    evaluate=lambda x, axis: accumulate_array(np.add, x, axis),
    vjp=[lambda g, axis: np.flip(CUMSUM(np.flip(g, axis), axis=axis), axis)],
    elements=lambda x, axis: np.cumsum(x, axis),
    jvp="linear",
    batch=lambda flags, args, params: CUMSUM(args[0], axis=params["axis"] + 1),
    rounding=lambda shapes, params: shapes[0][params["axis"]],
    structure="multilinear",
    complex="holomorphic",
    dependence="products",
    source="NumPy, numpy.cumsum",
    example=(([1.5, -2.0, 0.25],), {"axis": 0}),
)
CUMPROD: Primitive = declare(
    name="cumprod",
    evaluate=lambda x, axis: accumulate_array(np.multiply, x, axis),
    vjp=[_cumprod_rule],
    elements=lambda x, axis: np.cumprod(x, axis),
    jvp=[_cumprod_push],
    rounding=lambda shapes, params: shapes[0][params["axis"]],
    structure="products",
    complex="holomorphic",
    dependence="accumulates",
    source="NumPy, numpy.cumprod",
    example=(([1.5, -2.0, 0.25],), {"axis": 0}),
)

# Along the last axis s[0] = b[0] and s[i] = a[i] s[i-1] + b[i]; a[0] is not used.
RECURRENCE: Primitive = declare(
    name="linear_recurrence",
    evaluate=_recurrence,
    vjp=[
        lambda g, a, y: _recurrence_adjoint(g, a) * _shift_by_one(y, 0.0),
        lambda g, a: _recurrence_adjoint(g, a),
    ],
    elements=lambda a, b: _recurrence(np.asarray(a, object), np.asarray(b, object)),
    jvp=[
        lambda t, a, y: RECURRENCE(a, t * _shift_by_one(y, 0.0)),
        lambda t, a: RECURRENCE(a, t),
    ],
    rounding=lambda shapes, params: 2 * shapes[0][-1],
    complex="holomorphic",
    dependence="accumulates",
    source="Horner's rule",
    example=([0.5, -2.0, 0.25], [1.0, 1.5, -0.5]),
)


def _scan(
    row: Primitive, a: Array, axis: int | None = None, dtype: Any = None, out: Any = None
) -> Array:
    """As ``numpy.cumsum`` or ``numpy.cumprod``."""
    refuse_out(row.name, out)
    if dtype is not None:
        a = a.astype(dtype)
    if axis is None or not a.ndim:
        a, axis = np.ravel(a), 0 if axis is None else axis
    return row(a, axis=one_axis(axis, a.ndim))


cumsum = implements(np.cumsum)(functools.partial(_scan, CUMSUM))
cumprod = implements(np.cumprod)(functools.partial(_scan, CUMPROD))


def _prepend_initial(scanned: Array, axis: int | None, first: float) -> Array:
    place = one_axis(0 if axis is None else axis, scanned.ndim)
    shape = (*scanned.shape[:place], 1, *scanned.shape[place + 1 :])
    return np.concatenate([np.full(shape, first, scanned.dtype), scanned], place)


def _cumulative(
    scan: Callable[..., Array],
    first: float,
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Array:
    """As ``numpy.cumulative_sum``, of a scan that begins with `first`."""
    if axis is None and x.ndim > 1:
        raise ValueError(f"axis= is needed for an array of shape {x.shape}, which has several")
    scanned = scan(x, axis, dtype, out)
    return _prepend_initial(scanned, axis, first) if include_initial else scanned


implements("cumulative_sum")(functools.partial(_cumulative, cumsum, 0))
implements("cumulative_prod")(functools.partial(_cumulative, cumprod, 1))
