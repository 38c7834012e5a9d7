"""Functions: pad, in NumPy's modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.indexing import GETITEM, SCATTER
from symtape.primitives.primitive import Array, implements, is_stand_in

_MOVING: Final = ("edge", "reflect", "symmetric", "wrap")
_STATISTICS: Final[dict[str, Callable[..., Any]]] = {
    "maximum": np.max,
    "minimum": np.min,
    "mean": np.mean,
    "median": np.median,
}


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Array:
    """As ``numpy.pad``: every mode but those given as a function.

    ``constant_values`` and ``end_values`` may be tensors.
    """
    array = to_array(array)
    if not array.ndim:
        # A number has no axes to pad.
        return +array
    widths = _widths(pad_width, array.ndim)
    if mode == "constant":
        return _constant(array, widths, **kwargs)
    if mode == "empty" and not kwargs:
        return _constant(array, widths)
    if mode in _MOVING and kwargs.get("reflect_type", "even") == "even":
        return _pad_by_indexing(array, widths, mode)
    if mode == "linear_ramp":
        return _linear_ramp(array, widths, **kwargs)
    if mode in _STATISTICS:
        return _statistic(array, widths, _STATISTICS[mode], **kwargs)
    raise TypeError(
        f"np.pad on a tensor has no mode={mode!r} with {kwargs}; expected 'constant', 'empty', "
        "'linear_ramp', 'maximum', 'minimum', 'mean', 'median', or one of 'edge', 'reflect', "
        "'symmetric', 'wrap' with reflect_type='even'"
    )


def _widths(pad_width: Any, rank: int) -> list[tuple[int, int]]:
    if isinstance(pad_width, dict):
        pad_width = [pad_width.get(i, pad_width.get(i - rank, (0, 0))) for i in range(rank)]
        pad_width = [(n, n) if isinstance(n, int) else n for n in pad_width]
    pairs = np.broadcast_to(np.asarray(pad_width), (rank, 2)).tolist()
    if any(n < 0 or n != int(n) for pair in pairs for n in pair):
        raise ValueError(f"pad_width={pad_width}; expected integers that are not negative")
    return [(before, after) for before, after in pairs]


def _sides(values: Any, rank: int) -> list[tuple[Any, Any]]:
    """One value before and one after for each axis, of tensors or numbers."""
    if is_stand_in(values):
        full = np.broadcast_to(values, (rank, 2))
        return [(full[i, 0], full[i, 1]) for i in range(rank)]
    if isinstance(values, tuple | list):
        pairs = [v if isinstance(v, tuple | list) else (v,) for v in values]
        if all(len(pair) == 1 for pair in pairs) and len(pairs) == 2:
            pairs = [(pairs[0][0], pairs[1][0])]
        pairs = [pair if len(pair) == 2 else (pair[0], pair[0]) for pair in pairs]
        pairs = pairs * rank if len(pairs) == 1 else pairs
        if len(pairs) == rank:
            return [(before, after) for before, after in pairs]
        raise ValueError(f"{values} gives {len(pairs)} pairs for an array of {rank} axes")
    return [(before, after) for before, after in np.broadcast_to(values, (rank, 2)).tolist()]


def _constant(array: Array, widths: list[tuple[int, int]], constant_values: Any = 0) -> Array:
    if not is_stand_in(constant_values) and constant_values == 0:
        shape = tuple(a + n + b for n, (a, b) in zip(array.shape, widths, strict=True))
        inner = tuple(slice(a, a + n) for n, (a, _) in zip(array.shape, widths, strict=True))
        return SCATTER(array, shape=shape, index=inner)
    for axis, (before, after) in enumerate(_sides(constant_values, array.ndim)):
        lengths = widths[axis]
        blocks = [
            np.broadcast_to(_convert_dtype(value, array.dtype), _replace_length(array, axis, count))
            for value, count in zip((before, after), lengths, strict=True)
        ]
        array = np.concatenate([blocks[0], array, blocks[1]], axis)
    return array


def _convert_dtype(value: Any, dtype: np.dtype[Any]) -> Any:
    return value.astype(dtype) if is_stand_in(value) else np.asarray(value).astype(dtype)


def _replace_length(array: Array, axis: int, count: int) -> tuple[int, ...]:
    return (*array.shape[:axis], count, *array.shape[axis + 1 :])


def _pad_by_indexing(array: Array, widths: list[tuple[int, int]], mode: str) -> Array:
    for axis, pair in enumerate(widths):
        if any(pair):
            places = np.pad(np.arange(array.shape[axis]), pair, mode=mode)  # type: ignore[call-overload]
            array = GETITEM(array, index=(*(slice(None),) * axis, places))
    return array


def _linear_ramp(array: Array, widths: list[tuple[int, int]], end_values: Any = 0) -> Array:
    for axis, (before, after) in enumerate(_sides(end_values, array.ndim)):
        at = (slice(None),) * axis
        first, last = array[(*at, slice(0, 1))], array[(*at, slice(-1, None))]
        left = _ramp(before, first, axis, widths[axis][0])
        right = np.flip(_ramp(after, last, axis, widths[axis][1]), axis)
        array = np.concatenate([left, array, right], axis)
    return array


def _ramp(end: Any, edge: Array, axis: int, count: int) -> Array:
    steps = np.arange(count, dtype=edge.dtype).reshape((-1, *(1,) * (edge.ndim - axis - 1)))
    end = _convert_dtype(end, edge.dtype)
    return end + (edge - end) * (steps / max(count, 1))


def _statistic(
    array: Array,
    widths: list[tuple[int, int]],
    statistic: Callable[..., Any],
    stat_length: Any = None,
) -> Array:
    lengths = (
        [(None, None)] * array.ndim if stat_length is None else _widths(stat_length, array.ndim)
    )
    for axis, (before, after) in enumerate(widths):
        at, (head, tail) = (slice(None),) * axis, lengths[axis]
        start = slice(None, head)
        end = slice(None) if tail is None else slice(max(array.shape[axis] - tail, 0), None)
        left = statistic(array[(*at, start)], axis=axis, keepdims=True)
        right = statistic(array[(*at, end)], axis=axis, keepdims=True)
        array = np.concatenate(
            [
                np.broadcast_to(left, _replace_length(array, axis, before)),
                array,
                np.broadcast_to(right, _replace_length(array, axis, after)),
            ],
            axis,
        )
    return array
