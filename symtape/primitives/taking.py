"""Functions: take, compress, insert, delete, all by indexing."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

import numpy as np

from symtape.primitives.arguments import refuse_out
from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import one_axis
from symtape.primitives.indexing import GETITEM, getitem
from symtape.primitives.primitive import Array, declare, implements, is_stand_in

ARGWHERE = declare(
    name="argwhere",
    evaluate=lambda x: np.argwhere(x),
    vjp=None,
    rounding=(0, 0),
    decision="signs",
    source="NumPy, numpy.argwhere",
)


def _index_along(a: Array, axis: int, index: Any) -> Array:
    """``a[:, ..., index]`` with `index` at `axis`."""
    return getitem(a, (*(slice(None),) * axis, index))


@implements(np.take)
def take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Array:
    """As ``numpy.take``."""
    refuse_out("take", out)
    a, indices = to_array(a), to_array(indices)
    if axis is None or not np.ndim(a):
        a, axis = np.ravel(a), 0 if axis is None else axis
    axis = one_axis(axis, a.ndim)
    if mode == "wrap":
        indices = indices % a.shape[axis]
    elif mode == "clip":
        indices = np.clip(indices, 0, a.shape[axis] - 1)
    elif mode != "raise":
        raise ValueError(f"mode={mode!r}; expected 'raise', 'wrap' or 'clip'")
    return _index_along(a, axis, indices)


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    """As ``numpy.take_along_axis``."""
    arr, indices = to_array(arr), to_array(indices)
    if axis is None:
        arr, axis = np.ravel(arr), 0
    axis, rank = one_axis(axis, arr.ndim), arr.ndim
    if indices.ndim != rank:
        raise ValueError(
            f"indices of shape {indices.shape} must have as many axes as the array, of shape "
            f"{arr.shape}"
        )
    index = tuple(
        indices if i == axis else np.arange(n).reshape((-1, *(1,) * (rank - i - 1)))
        for i, n in enumerate(arr.shape)
    )
    return getitem(arr, index)


@implements(np.compress)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Array:
    """As ``numpy.compress``."""
    refuse_out("compress", out)
    a, condition = to_array(a), to_array(condition)
    if axis is None:
        a, axis = np.ravel(a), 0
    axis = one_axis(axis, a.ndim)
    chosen = condition.astype(bool)
    if len(chosen) < a.shape[axis]:
        a = a[(*(slice(None),) * axis, slice(len(chosen)))]
    return _index_along(a, axis, chosen)


@implements(np.extract)
def extract(condition: Any, arr: Any) -> Array:
    """As ``numpy.extract``."""
    return compress(np.ravel(to_array(condition)), np.ravel(to_array(arr)))


@implements(np.delete)
def delete(arr: Array, obj: Any, axis: int | None = None) -> Array:
    """As ``numpy.delete``."""
    if axis is None:
        return delete(np.ravel(arr), obj, 0)
    axis, obj = one_axis(axis, arr.ndim), to_array(obj)
    places = np.arange(arr.shape[axis])
    if is_stand_in(obj):
        # NumPy's own function would ask for the meaning of a tensor, which is this one.
        gone = np.reshape(getitem(places, obj), (-1, 1))
        return _index_along(arr, axis, np.all(gone != places, axis=0))
    return _index_along(arr, axis, np.delete(places, obj))


@implements(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """As ``numpy.insert``."""
    arr, values = to_array(arr), np.atleast_1d(values)
    if axis is None:
        arr, axis = np.ravel(arr), 0
    axis = one_axis(axis, arr.ndim)
    values = values.reshape((*(1,) * (arr.ndim - values.ndim), *values.shape))
    total = arr.shape[axis]
    if np.ndim(obj) == 0 and not isinstance(obj, slice):
        values = np.moveaxis(values, 0, axis)
        count = values.shape[axis]
        where = np.full(count, obj)
    else:
        where = np.arange(total)[obj] if isinstance(obj, slice) else np.asarray(obj)
        where = np.flatnonzero(where) if where.dtype == bool else where
        count = len(where)
    shape = (*arr.shape[:axis], count, *arr.shape[axis + 1 :])
    joined = np.concatenate([arr, np.broadcast_to(values.astype(arr.dtype), shape)], axis)
    order = np.insert(np.arange(total), where, total + np.arange(count))
    return GETITEM(joined, index=(*(slice(None),) * axis, order))


@implements(np.argwhere)
def argwhere(a: Array) -> Array:
    """As ``numpy.argwhere``; not differentiable."""
    a._keep_count()
    return ARGWHERE(a)


@implements(np.nonzero)
def nonzero(a: Array) -> tuple[Array, ...]:
    """As ``numpy.nonzero``; not differentiable."""
    found = argwhere(a)
    return tuple(found[:, i] for i in range(a.ndim))


@implements(np.flatnonzero)
def flatnonzero(a: Array) -> Array:
    """As ``numpy.flatnonzero``; not differentiable."""
    return argwhere(np.ravel(a))[:, 0]


ZEROS_STAY: Final[ContextVar[bool]] = ContextVar("zeros of tensors stay", default=False)
"""Set where only NumPy's polynomials call ``trim_zeros``: a coefficient of 0 has a derivative."""


@implements(np.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """As ``numpy.trim_zeros``, of a vector; what is cut off leaves the computation."""
    if ZEROS_STAY.get():
        return to_array(filt)
    kept = cut_zeros(filt, trim, axis)
    if kept.shape[0] < len(filt):
        filt._escape("np.trim_zeros()")
    return kept


def cut_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """As ``numpy.trim_zeros``, of a vector; what is cut off depends on values."""
    filt = to_array(filt)
    if np.ndim(filt) != 1 or axis not in (None, 0, -1):
        raise ValueError(
            f"trim_zeros of shape {np.shape(filt)} over axis={axis}; expected a vector, and for an "
            "array of more axes an index that says what to keep"
        )
    start, stop = 0, filt.shape[0]
    while "f" in trim.lower() and start < stop and filt[start] == 0:
        start += 1
    while "b" in trim.lower() and start < stop and filt[stop - 1] == 0:
        stop -= 1
    return filt[start:stop]
