"""Functions: ``reduce``, ``accumulate`` and ``reduceat`` of any ufunc, one step after another.

The sums, products and extrema that NumPy has functions for do not come here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape
from symtape.primitives.arguments import refuse_out
from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import axes_or_all, one_axis
from symtape.primitives.primitive import Array


def _slices(a: Array, axis: int) -> list[Array]:
    front = np.moveaxis(a, axis, 0)
    return [front[i] for i in range(front.shape[0])]


def _accumulate_values(ufunc: np.ufunc, a: Array, axis: int) -> list[Array]:
    values = _slices(a, axis)
    if not values:
        raise ValueError(f"{ufunc.__name__} over axis {axis} of shape {a.shape}: no element")
    results = values[:1]
    for value in values[1:]:
        results.append(ufunc(results[-1], value))
    return results


def _reduce(
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
) -> Array:
    refuse_out(f"{ufunc.__name__}.reduce", out)
    a = _convert_dtype(array, dtype)
    axes = axes_or_all(axis, a.ndim)
    # NumPy's own refusal of several axes, where their order would matter.
    ufunc.reduce(np.ones((1,) * a.ndim), axis=axes)
    for place in sorted(range(a.ndim) if axes is None else axes, reverse=True):
        a = _prepend_identity(ufunc, a, place)
        last = _accumulate_values(ufunc, a, place)[-1]
        a = np.expand_dims(last, place) if keepdims else last
    return a


def _prepend_identity(ufunc: np.ufunc, a: Array, axis: int) -> Array:
    """`a` behind the value that NumPy starts from, where the ufunc names one."""
    if ufunc.identity is None:
        return a
    shape = (*a.shape[:axis], 1, *a.shape[axis + 1 :])
    return np.concatenate([np.full(shape, ufunc.identity, dtype=a.dtype), a], axis)


def _accumulate(
    ufunc: np.ufunc, array: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Array:
    refuse_out(f"{ufunc.__name__}.accumulate", out)
    a = _convert_dtype(array, dtype)
    axis = one_axis(axis, a.ndim)
    if ufunc in _EXTREMA:
        return _running_extrema(ufunc, a, axis)
    return np.stack(_accumulate_values(ufunc, a, axis), axis) if a.shape[axis] else a


_EXTREMA: Final = (np.maximum, np.minimum, np.fmax, np.fmin)


def _running_extrema(ufunc: np.ufunc, a: Array, axis: int) -> Array:
    """The extreme of all before and at each place, of stretches of twice the length each time."""
    front = (slice(None),) * axis
    length = 1
    while length < a.shape[axis]:
        first, *both = (
            a[(*front, part)] for part in (slice(length), slice(-length), slice(length, None))
        )
        a = np.concatenate([first, ufunc(*both)], axis)
        length *= 2
    return a


def _reduceat(
    ufunc: np.ufunc,
    array: Any,
    indices: Any,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
) -> Array:
    refuse_out(f"{ufunc.__name__}.reduceat", out)
    a = _convert_dtype(array, dtype)
    axis = one_axis(axis, a.ndim)
    starts = [int(i) for i in np.asarray(indices)]
    parts = []
    for start, stop in zip(starts, [*starts[1:], a.shape[axis]], strict=True):
        piece = slice(start, stop if stop > start else start + 1)
        parts.append(_accumulate_values(ufunc, a[(*(slice(None),) * axis, piece)], axis)[-1])
    return np.stack(parts, axis)


def check_method(ufunc: np.ufunc, method: str, array: Any, *rest: Any, **kwargs: Any) -> None:
    """Refuse a method that this NumPy computes otherwise than one element after another.

    Raises
    ------
    NotOnTape
        As of ``np.power.reduce`` in NumPy 2.4, which passes over elements on some machines.
    """
    generic = np.empty_like(array)
    generic[...] = np.random.default_rng(0).uniform(0.5, 1.5, generic.shape)
    for a in (array, generic):
        with np.errstate(all="ignore"):
            theirs = getattr(ufunc, method)(a, *rest, **kwargs)
            ours = METHODS[method](ufunc, a, *rest, **kwargs)
            tolerance = np.sqrt(np.finfo(theirs.dtype).eps) if theirs.dtype.kind in "fc" else 0
            alike = np.allclose(ours, theirs, rtol=tolerance, atol=0, equal_nan=True)
        if np.shape(ours) != np.shape(theirs) or not alike:
            raise NotOnTape(
                f"{ufunc.__name__}.{method} of NumPy {np.__version__} does not take one element "
                f"after another of an array of shape {array.shape}, so that its derivative is "
                "not known; write the loop, which is recorded"
            )


def _convert_dtype(array: Any, dtype: Any) -> Array:
    a = to_array(array)
    return a if dtype is None else a.astype(dtype)


METHODS: dict[str, Callable[..., Array]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
}
"""The meaning of a ufunc's method, called with the ufunc first."""
