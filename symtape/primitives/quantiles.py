"""Functions: median, quantiles and percentiles, by sorting; with NaN, or passing over it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from symtape.primitives.arguments import refuse_out
from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import axes_or_all, length
from symtape.primitives.extrema import kept_shape, merge_reduced_axes
from symtape.primitives.indexing import getitem
from symtape.primitives.primitive import Array, implements, is_stand_in


def _sort_along_axes(a: Array, axes: tuple[int, ...] | None) -> Array:
    """`a` with the axes as one, the last, and sorted along it; NaN comes last."""
    if not length(a.shape, axes):
        raise ValueError(
            f"an array of shape {a.shape} has no quantiles over axis={axes}: no element"
        )
    if np.iscomplexobj(a):
        raise TypeError(f"complex numbers, {a.dtype}, have no order, and so no quantiles here")
    floating = a if a.dtype.kind == "f" else a.astype(float)
    return np.sort(merge_reduced_axes(floating, axes), axis=-1)


def _unless_nan(quantile: Array, largest: Array) -> Array:
    return np.where(np.isnan(largest), np.nan, quantile)


def _median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    skip_nan: bool = False,
) -> Array:
    """As ``numpy.median``; the mean of the two middle elements of an even number."""
    refuse_out("median", out)
    a = to_array(a)
    axes = axes_or_all(axis, a.ndim)
    ordered = _sort_along_axes(a, axes)
    if skip_nan:
        count = _counts(ordered)
        lower, upper = (
            _pick_elements(ordered, (count - 1) // 2),
            _pick_elements(ordered, count // 2),
        )
        middle = np.where(count % 2 == 1, upper, (lower + upper) / 2)
    else:
        size = ordered.shape[-1]
        lower, upper = ordered[..., (size - 1) // 2], ordered[..., size // 2]
        middle = _unless_nan(upper if size % 2 else (lower + upper) / 2, ordered[..., -1])
    return middle.reshape(kept_shape(a.shape, axes, keepdims))


def _counts(ordered: Array) -> Array:
    """How many elements of each row are no NaN, with the last axis kept."""
    return np.sum(~np.isnan(ordered), axis=-1, keepdims=True)


def _pick_elements(ordered: Array, places: Array) -> Array:
    """Of each row the elements at `places`; the first, a NaN, where there is no other."""
    return np.take_along_axis(ordered, np.maximum(places, 0), axis=-1)


implements(np.median)(_median)
implements(np.nanmedian)(functools.partial(_median, skip_nan=True))


def _positions(q: Array, count: int, method: Any) -> Array:
    """Where in `count` sorted elements the quantiles are, counted from 0, with fractions."""
    if method == "linear" or not count:
        return q * max(count - 1, 0)
    # A quantile is a mean of two neighbours, whose weights do not depend on the data.
    return np.quantile(np.arange(count, dtype=float), q, method=method)


def _quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
    whole: int = 1,
    skip_nan: bool = False,
) -> Array:
    """As ``numpy.quantile`` of shares of `whole`, by any of its methods, without weights."""
    refuse_out("quantile", out)
    if weights is not None:
        raise TypeError("np.quantile on a tensor takes no weights=; leave it out")
    if is_stand_in(q):
        raise TypeError("q is a tensor; quantiles are not differentiable by q, pass q.numpy()")
    q = np.asarray(q, dtype=float) / whole
    if np.any(q < 0) or np.any(q > 1):
        raise ValueError(f"quantiles must lie in [0, 1] (percentiles in [0, 100]), got q={q}")
    a = to_array(a)
    axes = axes_or_all(axis, a.ndim)
    ordered = _sort_along_axes(a, axes)
    wanted, size = q.ravel(), ordered.shape[-1]
    if skip_nan:
        table = np.stack([_positions(wanted, count, method) for count in range(size + 1)])
        count = _counts(ordered)
        at = getitem(table, np.squeeze(count, -1))
        below = np.floor(at).astype(int)
        low = _pick_elements(ordered, below)
        high = _pick_elements(ordered, np.minimum(below + 1, count - 1))
    else:
        at = _positions(wanted, size, method)
        below = np.floor(at).astype(int)
        low, high = ordered[..., below], ordered[..., np.minimum(below + 1, size - 1)]
    mixed = low + (high - low) * (at - below).astype(ordered.dtype)
    mixed = mixed if skip_nan else _unless_nan(mixed, ordered[..., -1:])
    kept = kept_shape(a.shape, axes, keepdims)
    return np.moveaxis(mixed, -1, 0).reshape((*q.shape, *kept))


implements(np.quantile)(_quantile)
implements(np.percentile)(functools.partial(_quantile, whole=100))
implements(np.nanquantile)(functools.partial(_quantile, skip_nan=True))
implements(np.nanpercentile)(functools.partial(_quantile, whole=100, skip_nan=True))
