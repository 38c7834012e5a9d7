"""What arguments mean: axes, keepdims and out, which NumPy's reductions share; and dtypes."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from symtape.errors import NotOnTape
from symtape.primitives.primitive import STAND_INS, Array, Params


def is_stand_in(x: Any) -> bool:
    """Whether `x` stands in for an array: a tensor, or a batched cotangent."""
    return type(x) in STAND_INS


def check_width(dtype: np.dtype[Any], whose: str = "") -> None:
    """Refuse real numbers that are longer than those of float64.

    Raises
    ------
    NotOnTape
        Says `whose` they are.
    """
    if dtype.kind == "f" and dtype.itemsize > np.dtype(np.float64).itemsize:
        raise NotOnTape(
            f"{whose}numbers of dtype {dtype} (np.longdouble) are not recorded, whose digits "
            "depend on the machine; compute with float64, and verify what it returns in balls",
            code="dtype:longdouble",
        )


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array, a stand-in or a number."""
    found: tuple[int, ...] = x.shape if hasattr(x, "shape") else np.shape(x)
    return found


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


def doubles(*values: Any) -> tuple[Any, ...]:
    """As arrays of double precision; complex numbers are no such, and raise a TypeError."""
    return tuple(np.asarray(x).astype(np.float64, casting="same_kind", copy=False) for x in values)


def keep_type(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with results of the type of its arguments; SciPy takes Python's for doubles."""

    @functools.wraps(function)
    def evaluate(*xs: Any) -> Any:
        dtype, found = np.result_type(*xs), function(*xs)
        return found.astype(dtype, copy=False) if dtype.kind == "f" else found

    return evaluate


def in_doubles(count: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compute with the first `count` arguments in double precision, and return their type."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def evaluate(*args: Any, **static: Any) -> Any:
            dtype = np.result_type(*args[:count])
            found = function(*doubles(*args[:count]), *args[count:], **static)
            return found.astype(dtype, copy=False) if dtype.kind == "f" else found

        return evaluate

    return decorate


def refuse_out(function: str, out: Any) -> None:
    """Refuse ``out=``."""
    if out is not None and out != (None,):
        raise TypeError(
            f"np.{function}(..., out=...) would write into an array, which a tape cannot "
            "follow; use the returned value"
        )


@functools.lru_cache(maxsize=4096)  # readings: a few for each row
def takes_values(reading: Callable[..., Any]) -> bool:
    """Whether a reading asks for the float values of its arguments, as ``values``."""
    try:
        return "values" in inspect.signature(reading).parameters
    except ValueError:  # ufuncs have no signature in older NumPy
        return False
