"""Functions: points in even and in geometric steps, between ends that may be tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, implements, is_stand_in


def _convert_dtype(x: Array, dtype: Any) -> Array:
    if dtype is None:
        return x
    if isinstance(x, int | float) and not is_stand_in(x):
        return np.asarray(x, dtype)[()]
    return (np.floor(x) if np.issubdtype(dtype, np.integer) else x).astype(dtype)


def _checked_count(num: Any) -> int:
    count = int(num)
    if count < 0:
        raise ValueError(f"num={num!r}; expected a number of points that is not negative")
    return count


@implements(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Any:
    """As ``numpy.linspace``; the last point is `stop` itself, not a sum of steps."""
    count = _checked_count(num)
    intervals = count - 1 if endpoint else count
    start, stop = to_array(start) * 1.0, to_array(stop) * 1.0
    delta = np.subtract(stop, start)
    step = delta / intervals if intervals > 0 else np.full_like(delta, np.nan)
    exact_end = endpoint and count > 1
    places = np.arange(count - exact_end, dtype=delta.dtype)
    places = places.reshape((-1, *(1,) * np.ndim(delta)))
    points = places * (step if intervals > 0 else delta) + start
    if exact_end:
        end = np.broadcast_to(stop, (1, *delta.shape)).astype(delta.dtype)
        points = np.concatenate([points, end])
    points = np.moveaxis(points, 0, axis) if axis else points
    points = _convert_dtype(points, dtype)
    return (points, step) if retstep else points


@implements(np.logspace)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """As ``numpy.logspace``."""
    base = to_array(base)
    if np.ndim(base):
        rank = max(np.ndim(x) for x in (start, stop, base))
        start, stop, base = (_prepend_axes(to_array(x), rank) for x in (start, stop, base))
        base = np.expand_dims(base, axis)
    return _convert_dtype(np.power(base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


def _prepend_axes(x: Any, rank: int) -> Array:
    shape = np.shape(x)
    return np.reshape(x, (1,) * (rank - len(shape)) + shape)


@implements(np.geomspace)
def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """As ``numpy.geomspace``, between real ends of one sign; the ends are exact."""
    # NumPy's are in double precision whatever the ends are.
    start, stop = to_array(start), to_array(stop)
    if np.iscomplexobj(start) or np.iscomplexobj(stop):
        raise TypeError(
            "geomspace between complex ends has no derivative here; use np.exp of lines"
        )
    start, stop = _convert_dtype(start, np.float64), _convert_dtype(stop, np.float64)
    count = _checked_count(num)
    sign = np.sign(start)
    if np.any(sign * np.sign(stop) <= 0):
        raise ValueError(
            f"geomspace from {start} to {stop}; expected real ends of one sign, neither of them 0"
        )
    shape = np.broadcast_shapes(np.shape(start), np.shape(stop))
    low, high = (np.log10(np.abs(end)) for end in (start, stop))
    inner = logspace(low, high, count, endpoint)
    exact_end = endpoint and count > 1
    first = np.broadcast_to(start, (1, *shape)).astype(inner.dtype)
    last = np.broadcast_to(stop, (1, *shape)).astype(inner.dtype)
    middle = sign * inner[1 : count - exact_end]
    points = np.concatenate([first, middle, last] if exact_end else [first, middle])[:count]
    return _convert_dtype(np.moveaxis(points, 0, axis) if axis else points, dtype)
