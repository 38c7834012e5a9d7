"""Functions: median, quantiles and percentiles, by sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arguments import axes_or_all, length, refuse_out
from symtape.primitives.extrema import as_rows, kept_shape
from symtape.primitives.primitive import Array, implements

__all__: list[str] = []


def _ordered(a: Array, axes: tuple[int, ...] | None) -> Array:
    """`a` with the axes as one, the last, and sorted along it; NaN comes last."""
    if not length(a.shape, axes):
        raise ValueError(
            f"an array of shape {a.shape} has no quantiles over axis={axes}: no element"
        )
    floating = a if a.dtype.kind == "f" else a.astype(float)
    return np.sort(as_rows(floating, axes), axis=-1)


def _unless_nan(quantile: Array, largest: Array) -> Array:
    return np.where(np.isnan(largest), np.nan, quantile)


@implements(np.median)
def median(
    a: Array,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """As ``numpy.median``; the mean of the two middle elements of an even number."""
    refuse_out("median", out)
    axes = axes_or_all(axis, a.ndim)
    ordered = _ordered(a, axes)
    count = ordered.shape[-1]
    lower, upper = ordered[..., (count - 1) // 2], ordered[..., count // 2]
    middle = _unless_nan(upper if count % 2 else (lower + upper) / 2, ordered[..., -1])
    return middle.reshape(kept_shape(a.shape, axes, keepdims))


def _quantile(
    a: Array, q: Any, axis: Any, method: str, keepdims: bool, out: Any, weights: Any
) -> Array:
    refuse_out("quantile", out)
    if method != "linear" or weights is not None:
        raise TypeError(f"np.quantile on a tensor has method='linear' alone, got {method!r}")
    q = np.asarray(q, dtype=float)
    if np.any(q < 0) or np.any(q > 1):
        raise ValueError(f"quantiles must lie in [0, 1] (percentiles in [0, 100]), got q={q}")
    axes = axes_or_all(axis, a.ndim)
    ordered = _ordered(a, axes)
    at = q.ravel() * (ordered.shape[-1] - 1)
    below = np.floor(at).astype(int)
    above = np.minimum(below + 1, ordered.shape[-1] - 1)
    low, high = ordered[..., below], ordered[..., above]
    mixed = low + (high - low) * (at - below).astype(ordered.dtype)
    mixed = _unless_nan(mixed, ordered[..., -1:])
    kept = kept_shape(a.shape, axes, keepdims)
    return np.moveaxis(mixed, -1, 0).reshape((*q.shape, *kept))


@implements(np.quantile)
def quantile(
    a: Array,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """As ``numpy.quantile`` with its ``"linear"`` method."""
    return _quantile(a, q, axis, method, keepdims, out, weights)


@implements(np.percentile)
def percentile(
    a: Array,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """As ``numpy.percentile`` with its ``"linear"`` method."""
    return _quantile(a, np.asarray(q) / 100, axis, method, keepdims, out, weights)
