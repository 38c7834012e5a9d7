"""Rows and functions: sum, mean, product, variance, standard deviation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symtape.primitives.arguments import refuse_out
from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import axes_or_all, length, reduce_array, restore_reduced_axes
from symtape.primitives.cumulative import CUMPROD
from symtape.primitives.primitive import Array, Params, Primitive, declare, implements
from symtape.primitives.shape import BROADCAST_TO
from symtape.primitives.softmax import LOGSUMEXP

Axes = tuple[int, ...] | None


def _mean(x: Array, axis: Axes, keepdims: bool) -> Array:
    return reduce_array(np.add, x, axis, keepdims) / length(x.shape, axis)


def _sum_rule(g: Array, x_shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Array:
    if type(g) is np.float64:
        # A bare scalar: nothing to record, and the call through the row is most of the time.
        filled = np.empty(x_shape)
        filled.fill(g)
        return filled
    return BROADCAST_TO(restore_reduced_axes(g, x_shape, axis, keepdims), shape=x_shape)


def _mean_rule(g: Array, x_shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Array:
    share = g / max(length(x_shape, axis), 1)
    return BROADCAST_TO(restore_reduced_axes(share, x_shape, axis, keepdims), shape=x_shape)


def last_axes(ndim: int, axis: Axes) -> tuple[tuple[int, ...], int]:
    """The order of axes that puts those of `axis` last, and how many others there are."""
    reduced = tuple(range(ndim)) if axis is None else axis
    others = tuple(i for i in range(ndim) if i not in reduced)
    return (*others, *reduced), len(others)


def _product_of_previous(x: Array) -> Array:
    """For each element, the product of those before it along the first axis."""
    ones = np.ones((min(1, x.shape[0]), *x.shape[1:]), x.dtype)
    return CUMPROD(np.concatenate([ones, x[:-1]]), axis=0)


def _multiplies_evenly(x: Array, axis: Axes) -> bool:
    """Whether no product of elements can leave the range in which doubles have all their digits."""
    most = 2.0 ** (1000 // max(length(x.shape, axis), 1))
    size = np.abs(x)
    return bool(size.max(initial=1) < most and size.min(initial=1) > 1 / most)


def _prod_rule(g: Array, x: Array, y: Array, axis: Axes, keepdims: bool) -> Array:
    if type(g) is np.ndarray and x.dtype == np.float64 and _multiplies_evenly(x, axis):
        return restore_reduced_axes(g * y, x.shape, axis, keepdims) / x
    order, kept = last_axes(x.ndim, axis)
    order = (*order[kept:], *order[:kept])
    moved = x.transpose(order)
    # First as a vector, so that factors of neighbouring products lie side by side.
    others = math.prod(moved.shape[x.ndim - kept :])
    flat = moved.reshape((-1,)).reshape((length(x.shape, axis), others))
    without = _product_of_previous(flat) * np.flip(_product_of_previous(np.flip(flat, 0)), 0)
    back = without.reshape(moved.shape).transpose(tuple(np.argsort(order).tolist()))
    return restore_reduced_axes(g, x.shape, axis, keepdims) * back


def _freedom(shape: tuple[int, ...], axis: Axes, ddof: float) -> float:
    return max(length(shape, axis) - ddof, 0)


def _var_rule(g: Array, x: Array, axis: Axes, ddof: float, keepdims: bool) -> Array:
    # In this order all numbers are exact: 2 / freedom would be rounded before it meets an array.
    scale = g * 2 / (_freedom(x.shape, axis, ddof) or np.nan)
    return restore_reduced_axes(scale, x.shape, axis, keepdims) * _deviations(x, axis)


def _deviations(x: Array, axis: Axes) -> Array:
    # What rounding took from the mean is the same for all, and adds up where slopes are alike.
    around = x - MEAN(x, axis=axis, keepdims=True)
    return around - MEAN(around, axis=axis, keepdims=True)


def _std_rule(g: Array, x: Array, y: Array, axis: Axes, ddof: float, keepdims: bool) -> Array:
    # Dividing by infinity makes the gradient, and what comes from it, 0 where there is no spread.
    spread = np.where(y == 0, np.inf, y) * (_freedom(x.shape, axis, ddof) or np.nan)
    scale = restore_reduced_axes(g / spread, x.shape, axis, keepdims)
    return scale * _deviations(x, axis)


def _var_elements(x: Any, axis: Axes, ddof: float, keepdims: bool) -> Any:
    count = length(x.shape, axis)
    deviation = x - np.sum(x, axis=axis, keepdims=True) / count
    return np.sum(deviation * deviation, axis=axis, keepdims=keepdims) / (count - ddof)


def _count(shapes: Any, params: Params) -> float:
    return length(shapes[0], params["axis"])


def _std_pieces(kink: Any, axis: Axes, ddof: float, keepdims: bool) -> Any:
    """Where there is no spread, the tip of a cone: off it the slope is 1 / sqrt(n - ddof)."""
    rows = kink.values(axis)
    count = np.shape(rows)[-1] - ddof
    if count <= 0 or any(np.ptp(row) and not np.std(row) for row in rows):
        return None
    return kink.cone(axis, (1 + 2.0**-40) / np.sqrt(count), equal=True)


SUM: Primitive = declare(
    name="sum",
    evaluate=lambda x, axis, keepdims: reduce_array(np.add, x, axis, keepdims),
    vjp=[_sum_rule],
    elements=lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    jvp="linear",
    rounding=_count,
    structure="multilinear",
    complex="holomorphic",
    dependence="reduces",
    source="NumPy, numpy.sum",
    example=(([[1.5, -2.0], [0.25, 3.0]],), {"axis": (0,), "keepdims": False}),
)
MEAN: Primitive = declare(
    evaluate=_mean,
    vjp=[_mean_rule],
    elements=lambda x, axis, keepdims: (
        np.sum(x, axis=axis, keepdims=keepdims) / length(np.shape(x), axis)
    ),
    jvp="linear",
    domain=lambda x, axis, keepdims: np.full((), length(np.shape(x), axis) > 0),
    rounding=lambda shapes, params: _count(shapes, params) + 1,
    structure="multilinear",
    complex="holomorphic",
    dependence="reduces",
    source="NumPy, numpy.mean",
    example=(([[1.5, -2.0], [0.25, 3.0]],), {"axis": None, "keepdims": False}),
)
PROD: Primitive = declare(
    name="prod",
    evaluate=lambda x, axis, keepdims: np.multiply.reduce(x, axis=axis, keepdims=keepdims),
    vjp=[_prod_rule],
    elements=lambda x, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims),
    rounding=_count,
    structure="products",
    complex="holomorphic",
    dependence="reduces",
    source="NumPy, numpy.prod",
    example=(([1.5, -2.0, 0.25],), {"axis": None, "keepdims": False}),
)
VAR: Primitive = declare(
    name="var",
    evaluate=lambda x, axis, ddof, keepdims: np.var(x, axis, ddof=ddof, keepdims=keepdims),
    vjp=[_var_rule],
    elements=_var_elements,
    domain=lambda x, axis, ddof, keepdims: np.full((), length(np.shape(x), axis) > ddof),
    rounding=lambda shapes, params: 3 * _count(shapes, params) + 4,
    complex=[lambda g, x, axis, ddof, keepdims: np.conj(_var_rule(g, x, axis, ddof, keepdims))],
    dependence="reduces",
    source="NumPy, numpy.var",
    example=(([1.5, -2.0, 0.25],), {"axis": None, "ddof": 1, "keepdims": False}),
)
STD: Primitive = declare(
    name="std",
    evaluate=lambda x, axis, ddof, keepdims: np.std(x, axis, ddof=ddof, keepdims=keepdims),
    vjp=[_std_rule],
    elements=lambda x, axis, ddof, keepdims: np.sqrt(_var_elements(x, axis, ddof, keepdims)),
    domain=lambda x, axis, ddof, keepdims: np.full((), length(np.shape(x), axis) > ddof),
    convention="0 without spread",
    kinks=lambda x, axis, ddof, keepdims: np.std(x, axis) == 0,
    pieces=_std_pieces,
    puiseux=True,
    rounding=lambda shapes, params: 3 * _count(shapes, params) + 5,
    structure="squares",
    complex=[
        lambda g, x, y, axis, ddof, keepdims: np.conj(_std_rule(g, x, y, axis, ddof, keepdims))
    ],
    dependence="reduces",
    source="NumPy, numpy.std",
    example=(([1.5, -2.0, 0.25],), {"axis": None, "ddof": 0, "keepdims": False}),
    smooth="value",
)


def _mask_elements(a: Array, where: Any, neutral: float) -> Array:
    return a if where is True else np.where(where, a, neutral)


@implements(np.sum)
def sum_(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """As ``numpy.sum``."""
    if out is not None:
        refuse_out("sum", out)
    if dtype is not None:
        a = a.astype(dtype)
    if where is not True:
        a = _mask_elements(a, where, 0)
    axes = None if axis is None else axes_or_all(axis, a.ndim)
    total = SUM(a, axis=axes, keepdims=keepdims)
    return total if initial is None else total + initial


@implements(np.prod)
def prod(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """As ``numpy.prod``."""
    refuse_out("prod", out)
    if dtype is not None:
        a = a.astype(dtype)
    a = _mask_elements(a, where, 1)
    product = PROD(a, axis=axes_or_all(axis, a.ndim), keepdims=keepdims)
    return product if initial is None else product * initial


def _count_selected(a: Array, where: Any, axis: Any, keepdims: bool, dtype: Any) -> Array:
    """How many elements `where` leaves for each result."""
    mask = np.broadcast_to(where, a.shape)
    return np.sum(mask, axis=axis, keepdims=keepdims).astype(dtype)


@implements(np.mean)
def mean(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Array:
    """As ``numpy.mean``."""
    refuse_out("mean", out)
    if dtype is not None:
        a = a.astype(dtype)
    if where is True:
        return MEAN(a, axis=axes_or_all(axis, a.ndim), keepdims=keepdims)
    total = sum_(a, axis, keepdims=keepdims, where=where)
    kind = a.dtype if a.dtype.kind in "fc" else np.dtype(float)
    return total / _count_selected(a, where, axis, keepdims, kind)


@implements(np.var)
def var(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """As ``numpy.var``."""
    refuse_out("var", out)
    ddof = ddof if correction is None else correction
    if dtype is not None:
        a = a.astype(dtype)
    if a.dtype.kind in "iub":
        a = a.astype(float)
    if where is True and mean is None:
        return VAR(a, axis=axes_or_all(axis, a.ndim), ddof=ddof, keepdims=keepdims)
    middle = _mean_of(a, axis, keepdims=True, where=where) if mean is None else mean
    deviation = _mask_elements(a - middle, where, 0)
    squares = deviation * deviation
    if np.iscomplexobj(squares):
        squares = np.real(deviation * np.conj(deviation))
    total = sum_(squares, axis, keepdims=keepdims)
    return total / np.maximum(_count_selected(a, where, axis, keepdims, total.dtype) - ddof, 0)


_mean_of = mean


@implements(np.std)
def std(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """As ``numpy.std``."""
    refuse_out("std", out)
    ddof = ddof if correction is None else correction
    if where is not True or mean is not None:
        return _root(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))
    a = a if dtype is None else a.astype(dtype)
    a = a.astype(float) if a.dtype.kind in "iub" else a
    return STD(a, axis=axes_or_all(axis, a.ndim), ddof=ddof, keepdims=keepdims)


def _root(variance: Array) -> Array:
    """The square root, with the gradient 0 where there is no spread."""
    flat = np.equal(variance, 0)
    return np.where(flat, 0, np.sqrt(np.where(flat, 1, variance)))


@implements(np.logaddexp.reduce)
def logaddexp_reduce(
    a: Array,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """As ``numpy.logaddexp.reduce``: the logarithm of the sum of the exponentials."""
    refuse_out("logaddexp.reduce", out)
    a = _mask_elements(a if dtype is None else a.astype(dtype), where, -np.inf)
    axes = tuple(range(a.ndim)) if axis is None else axes_or_all(axis, a.ndim)
    total = LOGSUMEXP(a, axis=axes, keepdims=keepdims)
    return total if initial is None else np.logaddexp(total, initial)


@implements(np.average)
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """As ``numpy.average``."""
    a = to_array(a)
    if weights is None:
        result = np.mean(a, axis=axis, keepdims=keepdims)
        total = np.full_like(result, a.size / max(result.size, 1))
        return (result, total) if returned else result
    weights = to_array(weights)
    if np.shape(weights) != np.shape(a):
        axes = () if axis is None else axes_or_all(axis, a.ndim) or ()
        if np.shape(weights) != tuple(a.shape[i] for i in axes):
            raise ValueError(
                f"weights of shape {np.shape(weights)} for an array of shape {np.shape(a)}; "
                f"expected the same shape, or that of the averaged axes, axis={axis}"
            )
        weights = np.transpose(weights, np.argsort(axes))
        weights = weights.reshape([n if i in axes else 1 for i, n in enumerate(a.shape)])
    weights = np.broadcast_to(weights, np.shape(a))
    total = np.sum(weights, axis=axis, keepdims=keepdims)
    result = np.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (result, total) if returned else result
