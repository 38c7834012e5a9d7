"""Shapes and dtypes as people give them, and what coordinates are called."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np

from verify.errors import UsageError

Shape = tuple[int, ...]

_MOST: Final = 1_000_000
"""Entries of an argument; a search makes thousands of its points, one after another."""


def to_dtype(dtype: Any) -> np.dtype[Any]:
    """A float dtype of up to 64 bits.

    Raises
    ------
    UsageError
        Any other dtype.
    """
    try:
        found: np.dtype[Any] | None = np.dtype(dtype)
    except TypeError:
        found = None
    if found is None or found.name not in ("float64", "float32", "float16"):
        raise UsageError(f"dtype={dtype!r}; expected 'float64', 'float32' or 'float16'")
    return found


def to_count(given: Any, name: str, least: int = 0, axes: int = 1) -> int:
    """A whole number from `least`: the length of each of so many axes.

    Raises
    ------
    UsageError
        Anything else; `name` says what of.
    """
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        raise UsageError(f"{name}={given!r}; expected a whole number from {least}")
    _check_size((int(given),) * axes, f"{name}={given!r}")
    return int(given)


def _check_size(shape: Shape, what: str) -> None:
    if (size := math.prod(shape)) > _MOST:
        raise UsageError(
            f"{what}: {size:,} entries; expected at most {_MOST:,}. What is wrong at many is wrong "
            "at few: give a smaller one"
        )


def to_shape(given: Any) -> Shape:
    """A shape; a whole number counts as one axis.

    Raises
    ------
    UsageError
        Not a tuple of whole numbers from 0, or too large.
    """
    axes = (given,) if isinstance(given, int | np.integer) else given
    if (
        not isinstance(axes, tuple)
        or any(isinstance(n, bool) or not isinstance(n, int | np.integer) for n in axes)
        or any(n < 0 for n in axes)
    ):
        raise UsageError(
            f"shape={given!r}; expected a tuple of whole numbers, such as (2, 3), "
            "or a list of such tuples"
        )
    shape = tuple(int(n) for n in axes)
    _check_size(shape, f"shape={given!r}")
    return shape


def to_shapes(given: Any) -> tuple[Shape, ...]:
    """One shape or a list of them; none twice.

    Examples
    --------
    >>> to_shapes(3), to_shapes([(3,), (), (3,)])
    (((3,),), ((3,), ()))
    """
    if not isinstance(given, list):
        return (to_shape(given),)
    if not given:
        raise UsageError("shape=[]; expected at least one shape in the list")
    return tuple(dict.fromkeys(to_shape(shape) for shape in given))


def coordinate_labels(shape: Shape) -> list[str]:
    """What to write after a name for each entry, in C order.

    Examples
    --------
    >>> coordinate_labels((2, 1)), coordinate_labels(())
    (['[0, 0]', '[1, 0]'], [''])
    """
    return list(_labels(shape))


@functools.lru_cache(maxsize=64)  # shapes in a region
def _labels(shape: Shape) -> tuple[str, ...]:
    if shape == ():
        return ("",)
    return tuple(f"[{', '.join(map(str, place))}]" for place in np.ndindex(shape))


def power(shapes: tuple[Shape, ...]) -> str:
    """The shapes of an interval's power, in few signs.

    Examples
    --------
    >>> power(((),)), power(((3,),)), power(((2, 3),)), power(((3,), (0,)))
    ('', '^3', '^(2×3)', ', shape (3,) or (0,)')
    """
    if len(shapes) > 1:
        *most, last = (str(shape) for shape in shapes)
        return f", shape {', '.join(most)} or {last}"
    (shape,) = shapes
    if not shape:
        return ""
    return f"^{shape[0]}" if len(shape) == 1 else f"^({'×'.join(map(str, shape))})"
