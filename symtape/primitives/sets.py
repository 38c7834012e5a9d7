"""Functions of sets and counts: their steps are decisions, and the values have derivatives."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, implements


@implements(np.unique)
def unique(
    ar: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,  # noqa: A002 -- NumPy's name
) -> Any:
    """As ``numpy.unique``, of all elements or of slices along an axis."""
    slices = axis is not None and np.ndim(ar) > 1
    lines: Any
    if axis is not None and slices:
        lines = np.reshape(np.moveaxis(ar, axis, 0), (ar.shape[axis], -1))
        order = np.lexsort(lines.T[::-1])
    else:
        lines = np.ravel(ar)
        order = np.argsort(lines)
    ordered = lines[order]
    new = ordered[1:] != ordered[:-1]
    new = np.any(new, axis=1) if slices else new
    first = np.concatenate([np.ones(min(1, len(lines)), dtype=bool), new])
    # Of equal slices the first is taken.
    values = np.take(ar, order[first], axis) if slices else ordered[first]
    found = [values, order[first]] if return_index else [values]
    if return_inverse:
        places = np.cumsum(first)[np.argsort(order)] - 1
        found.append(places if slices else np.reshape(places, np.shape(ar)))
    if return_counts:
        found.append(np.diff(np.concatenate([np.nonzero(first)[0], [len(lines)]])))
    return tuple(found) if len(found) > 1 else values


_Counts, _Inverse, _All = (
    type(find(np.zeros(1))) for find in (np.unique_counts, np.unique_inverse, np.unique_all)
)

implements(np.unique_values)(lambda x: unique(x))
implements(np.unique_counts)(lambda x: _Counts(*unique(x, return_counts=True)))
implements(np.unique_inverse)(lambda x: _Inverse(*unique(x, return_inverse=True)))
implements(np.unique_all)(lambda x: _All(*unique(x, True, True, True)))


@implements(np.lexsort)
def lexsort(keys: Any, axis: int = -1) -> Array:
    """As ``numpy.lexsort``; not differentiable."""
    first, *others = keys
    order = np.argsort(to_array(first), axis)
    for key in others:
        again = np.argsort(np.take_along_axis(to_array(key), order, axis), axis)
        order = np.take_along_axis(order, again, axis)
    return order


@implements(np.isin)
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Array:
    """As ``numpy.isin``; not differentiable."""
    element, tested = to_array(element), np.ravel(to_array(test_elements))
    found = np.any(np.expand_dims(element, -1) == tested, axis=-1)
    return ~found if invert else found


@implements(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Array:
    """As ``numpy.union1d``."""
    return unique(np.concatenate([np.ravel(to_array(ar1)), np.ravel(to_array(ar2))]))


@implements(np.intersect1d)
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """As ``numpy.intersect1d``; the values are those of the first."""
    values, places = unique(to_array(ar1), return_index=True)
    both = isin(values, ar2)
    if not return_indices:
        return values[both]
    others, there = unique(to_array(ar2), return_index=True)
    return values[both], places[both], there[isin(others, ar1)]


@implements(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """As ``numpy.setdiff1d``."""
    values = np.ravel(to_array(ar1)) if assume_unique else unique(to_array(ar1))
    return values[isin(values, ar2, invert=True)]


@implements(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """As ``numpy.setxor1d``."""
    return union1d(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1))


def _replace_nans_first(find: Any, instead: float) -> Any:
    def find_position(
        a: Array, axis: int | None = None, out: Any = None, *, keepdims: Any = False
    ) -> Any:
        return find(np.where(np.isnan(a), instead, a), axis, keepdims=keepdims)

    return find_position


implements(np.nanargmax)(_replace_nans_first(np.argmax, -np.inf))
implements(np.nanargmin)(_replace_nans_first(np.argmin, np.inf))
implements(np.isposinf)(lambda x, out=None: np.equal(x, np.inf))
implements(np.isneginf)(lambda x, out=None: np.equal(x, -np.inf))


def _edges(a: Array, bins: Any, span: Any) -> Array:
    """Where the bins of a histogram begin and end, which may move with the data."""
    if isinstance(bins, str):
        raise TypeError(f"bins={bins!r} of a tensor; expected a number of bins, or their edges")
    if np.ndim(bins):
        return to_array(bins)
    low, high = (np.min(a), np.max(a)) if span is None else span
    apart = bool(low != high)
    low, high = (low, high) if apart else (low - 0.5, high + 0.5)
    return np.linspace(low, high, int(bins) + 1)


@implements(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:  # noqa: A002
    """As ``numpy.histogram_bin_edges``, of a number of bins."""
    return _edges(np.ravel(to_array(a)), bins, range)


@implements(np.histogram)
def histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,  # noqa: A002 -- NumPy's name
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array]:
    """As ``numpy.histogram``; which bin a number is in is decided."""
    a = np.ravel(to_array(a))
    edges = _edges(a, bins, range)
    within = _locate_bins(a, edges)
    put = np.ones(np.shape(a)) if weights is None else np.ravel(to_array(weights))
    counts = np.sum(np.where(within, put[:, None], 0.0), axis=0)
    if density:
        return counts / (np.diff(edges) * np.sum(counts)), edges
    return counts if weights is not None else np.sum(within, axis=0), edges


@implements(np.histogramdd)
def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,  # noqa: A002 -- NumPy's name
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, list[Array]]:
    """As ``numpy.histogramdd``."""
    if hasattr(sample, "ndim"):
        sample = np.moveaxis(sample, -1, 0) if sample.ndim == 2 else [sample]
    columns = [np.ravel(to_array(x)) for x in sample]
    bins = bins if hasattr(bins, "__len__") else [bins] * len(columns)
    spans = [None] * len(columns) if range is None else range
    edges = [_edges(*given) for given in zip(columns, bins, spans, strict=True)]
    within, *others = [_locate_bins(x, ends) for x, ends in zip(columns, edges, strict=True)]
    for other in others:
        within = within[..., None] & np.expand_dims(other, tuple(np.arange(1, within.ndim)))
    put = np.ones(len(within)) if weights is None else np.ravel(to_array(weights))
    counts = np.sum(np.where(within, np.reshape(put, (-1, *(1,) * len(edges))), 0.0), axis=0)
    if density:
        volumes = functools.reduce(np.multiply.outer, map(np.diff, edges))
        counts = counts / volumes / np.sum(counts)
    return counts, edges


@implements(np.histogram2d)
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,  # noqa: A002 -- NumPy's name
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array, Array]:
    """As ``numpy.histogram2d``."""
    bins = [bins, bins] if hasattr(bins, "__len__") and len(bins) > 2 else bins
    counts, (first, second) = histogramdd([x, y], bins, range, density, weights)
    return counts, first, second


def _locate_bins(a: Array, edges: Array) -> Array:
    """Which of the bins each number is in; the last one has its upper edge as well."""
    a = np.expand_dims(a, -1)
    last = np.append(np.zeros(len(edges) - 2, dtype=bool), True)
    below = np.less(a, edges[1:]) | (last & np.equal(a, edges[1:]))
    return np.greater_equal(a, edges[:-1]) & below
