"""What arguments mean, beside axes: dtypes, ``out``, and the float values of what is given."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array, a stand-in or a number."""
    found: tuple[int, ...] | None = getattr(x, "shape", None)
    return np.shape(x) if found is None else found


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


def finite_or_zero(x: Any) -> Any:
    """`x`, and 0 where it is infinite: for a factor of what vanishes there faster than x grows."""
    return np.where(np.isinf(x), 0, x)


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
