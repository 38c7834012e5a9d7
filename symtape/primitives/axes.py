"""Axes as arguments name them; reductions and running totals along short ones.

NumPy reduces along the innermost axis in its inner loop, and begins one for each result: over a
short axis that is most of the time. Its running sums and products do so along any axis. Here the
elements at one place of the axis are combined with those at the next, for all results at once, in
the order in which NumPy combines them.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from symtape.primitives.primitive import Array, Params

_FEW: Final = 8
"""From this length on, NumPy adds along the last axis in another order."""

_NARROW: Final = 16
"""Elements behind an axis that are fewer make an inner loop too short."""

_RESULTS: Final = 32
"""How many results an element of the axis has to serve, to pay for a call of its own."""

_TOTALS: Final = 1024
"""The same of running totals."""

_TALL: Final = 64
"""Elements of a last axis that are more lie too far apart, from one result to the next."""


def one_axis(axis: Any, ndim: int) -> int:
    """`axis` counted from the front."""
    found: int = normalize_axis_index(axis, ndim)
    return found


def axes_or_all(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """`axis` as a tuple counted from the front; None, which means all axes, as it is.

    As in NumPy a number, which has no axes, may be reduced over axis 0 or -1.
    """
    if axis is None:
        return None
    if type(axis) is int:
        if -ndim <= axis < ndim:
            return (axis % ndim,)
        if not ndim and axis in (0, -1):
            return None
    found: tuple[int, ...] = normalize_axis_tuple(axis, ndim)
    return found


def length(shape: tuple[int, ...], axis: tuple[int, ...] | None) -> int:
    """How many elements each result of a reduction over `axis` is made of."""
    return math.prod(shape) if axis is None else math.prod([shape[i] for i in axis])


def restore_reduced_axes(
    g: Array, shape: tuple[int, ...], axis: tuple[int, ...] | None, keepdims: bool
) -> Array:
    """`g`, the result of reducing an array of `shape`, so that it broadcasts against it."""
    if axis is None or keepdims:
        return g
    return g.reshape(tuple([1 if i in axis else n for i, n in enumerate(shape)]))


def shift_axes(x: Array, params: Params) -> dict[str, Any]:
    """The parameters of an operation along axes of `x` when `x` has a batch axis in front."""
    axis = params["axis"]
    if isinstance(axis, int):
        return {**params, "axis": axis + 1}
    return {**params, "axis": tuple(range(1, x.ndim) if axis is None else [i + 1 for i in axis])}


def reduce_array(ufunc: np.ufunc, x: Array, axis: tuple[int, ...] | None, keepdims: bool) -> Array:
    """As ``ufunc.reduce(x, axis=axis, keepdims=keepdims)``, for ``add``, ``maximum``, ``minimum``.

    Examples
    --------
    >>> x = np.arange(768.0).reshape(256, 3)
    >>> bool(np.all(reduce_array(np.add, x, (1,), False) == np.add.reduce(x, axis=1)))
    True
    """
    if axis and len(axis) > 1 and ufunc is not np.add:
        # Extremes are the same in any order.
        kept = functools.reduce(lambda y, k: reduce_array(ufunc, y, (k,), True), axis[::-1], x)
        return kept if keepdims else np.squeeze(kept, axis)
    if axis is None or len(axis) != 1 or not axis[0] or type(x) is not np.ndarray:
        return ufunc.reduce(x, axis=axis, keepdims=keepdims)
    (place,) = axis
    shape = x.shape
    count, behind = shape[place], math.prod(shape[place + 1 :])
    if (
        behind > _NARROW
        or count < 2
        or (behind == 1 and count >= _FEW)
        or x.size < _RESULTS * count * min(count, _NARROW)
        or x.dtype.char not in "fd"
        or not (x.flags.c_contiguous or count < _FEW)
    ):
        return ufunc.reduce(x, axis=axis, keepdims=keepdims)
    is_line = x.flags.c_contiguous
    by_place = (
        x.reshape((-1, count, behind)).swapaxes(0, 1) if is_line else np.moveaxis(x, place, 0)
    )
    if count <= _NARROW:
        found: Any = ufunc(by_place[0], by_place[1])
        for each in by_place[2:]:
            ufunc(found, each, out=found)
        if ufunc is np.add:
            # NumPy begins a sum with 0, so that one of negative zeros is positive.
            found += 0
    else:
        found = ufunc.reduce(np.ascontiguousarray(by_place), axis=0)
    kept = (1,) if keepdims else ()
    return found.reshape((*shape[:place], *kept, *shape[place + 1 :]))


def accumulate_array(ufunc: np.ufunc, x: Array, axis: int) -> Array:
    """As ``ufunc.accumulate(x, axis)``, for a ufunc of two inputs.

    Examples
    --------
    >>> x = np.arange(6144.0).reshape(3, 2048)
    >>> bool(np.all(accumulate_array(np.add, x, 0) == np.add.accumulate(x, 0)))
    True
    """
    count, behind = x.shape[axis], math.prod(x.shape[axis + 1 :])
    if (
        x.size < _TOTALS * max(count, 1)
        or (behind < _NARROW and (behind > 1 or count > _TALL))
        or x.dtype.char not in "fd"
    ):
        return ufunc.accumulate(x, axis)
    found = np.empty_like(x)
    totals, by_place = np.moveaxis(found, axis, 0), np.moveaxis(x, axis, 0)
    totals[0] = by_place[0]
    for place in range(1, count):
        ufunc(totals[place - 1], by_place[place], out=totals[place])
    return found
