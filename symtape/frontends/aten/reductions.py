"""Readings: sums, means, products, extremes, norms and orders over axes, whole and running."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads, refuse
from symtape.frontends.placing import index_along
from symtape.scipy import special as scipy_special


def _make_cumulative(function: Any) -> Any:
    def reading(x: Any, dim: int, *, dtype: Any = None) -> Any:
        x = x if dtype is None else x.astype(dtype)
        return function(x, dim) if np.ndim(x) else x

    return reading


reads("cumsum")(_make_cumulative(lambda x, dim: np.cumsum(x, axis=dim)))
reads("cumprod")(_make_cumulative(lambda x, dim: np.cumprod(x, axis=dim)))
reads("logcumsumexp", "_logcumsumexp")(
    _make_cumulative(lambda x, dim: np.logaddexp.accumulate(x, axis=dim))
)


def _make_running_extreme(accumulate: Any, reached: Any) -> Any:
    """The running extreme, and the last place where it was reached."""

    def reading(x: Any, dim: int) -> Any:
        if not np.ndim(x):
            return x, np.zeros((), np.int64)
        values = accumulate(x, axis=dim)
        axis, rank = dim % np.ndim(x), np.ndim(x)
        steps = np.arange(np.shape(x)[axis]).reshape((-1, *(1,) * (rank - axis - 1)))
        places = np.where(reached(x, values), steps, 0)
        return values, np.maximum.accumulate(places, axis=axis)

    return reading


reads("cummax")(_make_running_extreme(np.maximum.accumulate, np.greater_equal))
reads("cummin")(_make_running_extreme(np.minimum.accumulate, np.less_equal))


def _axes(x: Any, dim: Any) -> Any:
    """Axes as NumPy takes them: an empty list is all of them, and a number's only one is none."""
    if not np.ndim(x):
        return None
    return (tuple(dim) or None) if isinstance(dim, list | tuple) else dim


def _cast_optional(x: Any, dtype: Any) -> Any:
    return x if dtype is None else x.astype(dtype)


def _reduction(function: Any) -> Any:
    def reading(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        return function(_cast_optional(x, dtype), axis=_axes(x, dim), keepdims=keepdim)

    return reading


reads("sum")(_reduction(np.sum))
reads("mean")(_reduction(np.mean))
reads("prod")(_reduction(np.prod))
reads("amax")(_reduction(np.max))
reads("amin")(_reduction(np.min))
reads("all")(_reduction(np.all))
reads("any")(_reduction(np.any))
reads("logsumexp")(_reduction(scipy_special.logsumexp))


def _extreme(values: Any, place: Any) -> Any:
    """The extreme element; along an axis also where it is."""

    def reading(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            return values(x)
        return values(x, axis=_axes(x, dim), keepdims=keepdim), place(x, dim, keepdim)

    return reading


for _name, _values, _places in (("max", np.max, np.argmax), ("min", np.min, np.argmin)):
    reads(_name)(_extreme(_values, _reduction(_places)))
    reads(f"arg{_name}")(_reduction(_places))


@reads("var.correction")
def var(x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """As ``np.var``, which by default subtracts no degree of freedom."""
    freedom = 1 if correction is None else correction
    return np.var(x, axis=_axes(x, dim), ddof=freedom, keepdims=keepdim)


@reads("var_mean.correction")
def var_mean(x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """Variance and mean."""
    mean = np.mean(x, axis=_axes(x, dim), keepdims=keepdim)
    return var(x, dim, correction=correction, keepdim=keepdim), mean


@reads("linalg_vector_norm")
def vector_norm(
    x: Any,
    ord: float = 2,  # noqa: A002 -- ATen's name
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    """As ``np.linalg.vector_norm``."""
    return np.linalg.vector_norm(
        _cast_optional(x, dtype), axis=_axes(x, dim), keepdims=keepdim, ord=ord
    )


@reads("_softmax", "_safe_softmax")
def softmax(x: Any, dim: int, half_to_float: Any = False) -> Any:
    """Shares along an axis."""
    return scipy_special.softmax(x, axis=dim)


@reads("_log_softmax")
def log_softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    """Logarithms of shares along an axis."""
    return scipy_special.log_softmax(x, axis=dim)


refuse("which value is the most frequent jumps everywhere", "mode")
refuse("its length depends on values", "_unique", "_unique2", "unique_dim", "unique_consecutive")


@reads("sort")
def sort(x: Any, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """Values and where they were; equal ones keep their order."""
    if not np.ndim(x):
        return x, np.zeros((), np.int64)
    order = np.argsort(-x if descending else x, axis=dim, kind="stable")
    values = np.sort(x, axis=dim, kind="stable")
    return np.flip(values, dim) if descending else values, order


def _first(x: Any, dim: int, count: int) -> Any:
    return x[index_along(dim % np.ndim(x), slice(count))] if np.ndim(x) else x


@reads("topk")
def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # noqa: A002 -- ATen's names
    """The `k` largest values, or smallest, and where they are."""
    values, order = sort(x, dim, largest)
    return _first(values, dim, k), _first(order, dim, k)


@reads("kthvalue")
def kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The value of rank `k`, counted from 1, and where it is."""
    if not np.ndim(x):
        return sort(x)
    at = index_along(dim % np.ndim(x), slice(k - 1, k))
    values, order = (part[at] for part in sort(x, dim))
    return (values, order) if keepdim else (np.squeeze(values, dim), np.squeeze(order, dim))


@reads("median.default")
def median(x: Any) -> Any:
    """The lower of two middle values."""
    return np.sort(np.ravel(x))[(int(np.size(x)) - 1) // 2]


@reads("median.dim")
def median_along(x: Any, dim: int, keepdim: bool = False) -> Any:
    """The lower of two middle values along an axis, and where it is."""
    count = np.shape(x)[dim] if np.ndim(x) else 1
    return kthvalue(x, (count - 1) // 2 + 1, dim, keepdim)


@reads("searchsorted")
def searchsorted(
    edges: Any,
    x: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: Any = None,
    sorter: Any = None,
) -> Any:
    """As ``np.searchsorted``, of one vector of edges."""
    if np.ndim(edges) != 1 or sorter is not None:
        raise NotImplementedError("edges of several axes, or with a sorter")
    return np.searchsorted(edges, x, side=side or ("right" if right else "left"))


@reads("bucketize")
def bucketize(x: Any, edges: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """As ``np.searchsorted``."""
    return np.searchsorted(edges, x, side="right" if right else "left")
