"""Products: dot_general, and convolutions as products with windows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.shapes import taken_or
from symtape.frontends.jaxpr.table import Call, reads


@reads("dot_general")
def _product(call: Call, a: Any, b: Any) -> Any:
    (left, right), (left_batch, right_batch) = (
        tuple(tuple(int(axis) for axis in side) for side in pair)
        for pair in call.params["dimension_numbers"]
    )
    a, b = _cast(call, a), _cast(call, b)
    if not left_batch and len(left) == 1 and a.ndim <= 2 and b.ndim <= 2:
        lined = np.transpose(a) if a.ndim == 2 and left == (0,) else a
        other = np.transpose(b) if b.ndim == 2 and right == (1,) else b
        return np.matmul(lined, other)
    return _batch_axes(call, a, b, (left, right), (left_batch, right_batch))


def _cast(call: Call, x: Any) -> Any:
    return x if x.dtype == call.dtype else x.astype(call.dtype)


def _batch_axes(call: Call, a: Any, b: Any, summed: Any, batch: Any) -> Any:
    """Axes in the order (batch, free, summed) and (batch, summed, free), each kind as one."""
    free = [
        tuple(i for i in range(x.ndim) if i not in (*summed[k], *batch[k]))
        for k, x in enumerate((a, b))
    ]
    lead = tuple(a.shape[i] for i in batch[0])
    inner = math.prod(a.shape[i] for i in summed[0])
    rows = math.prod(a.shape[i] for i in free[0])
    columns = math.prod(b.shape[i] for i in free[1])
    first = np.reshape(_order_axes(a, (*batch[0], *free[0], *summed[0])), (*lead, rows, inner))
    second = np.reshape(_order_axes(b, (*batch[1], *summed[1], *free[1])), (*lead, inner, columns))
    if not inner:
        return np.zeros(call.shape, call.dtype)
    return np.reshape(np.matmul(first, second), call.shape)


def _order_axes(x: Any, order: tuple[int, ...]) -> Any:
    return x if order == tuple(range(x.ndim)) else np.transpose(x, order)


def windows(
    lengths: tuple[int, ...],
    counts: tuple[int, ...],
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    padding: tuple[tuple[int, int], ...],
    spread: tuple[int, ...],
    dilation: tuple[int, ...],
) -> Any:
    """Where the elements of windows come from, in an array of shape `lengths`, raveled.

    Parameters
    ----------
    lengths, counts, sizes : tuple of int
        Of the array, of the windows along each axis, and of one window.
    strides, padding : tuple
        From window to window, and what is put around the array.
    spread, dilation : tuple of int
        The distance of neighbours in the array, and in a window.

    Returns
    -------
    int array, shape ``(*counts, *sizes)``
        -1 where a window reaches beyond the array, or between its elements.

    Examples
    --------
    >>> windows((3,), (3,), (2,), (1,), ((1, 0),), (1,), (1,)).tolist()
    [[-1, 0], [0, 1], [1, 2]]
    """
    rank = len(lengths)
    flat = np.zeros((*counts, *sizes), dtype=np.intp)
    inside = np.ones((*counts, *sizes), dtype=bool)
    for axis in range(rank):
        place = (
            np.arange(counts[axis])[:, None] * strides[axis]
            + np.arange(sizes[axis])[None, :] * dilation[axis]
            - padding[axis][0]
        )
        found, between = np.divmod(place, spread[axis])
        good = (between == 0) & (found >= 0) & (found < lengths[axis])
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = counts[axis], sizes[axis]
        flat = flat * lengths[axis] + np.where(good, found, 0).reshape(shape)
        inside = inside & good.reshape(shape)
    return np.where(inside, flat, -1)


@reads("conv_general_dilated")
def _convolution(call: Call, x: Any, kernel: Any) -> Any:
    numbers = call.params["dimension_numbers"]
    x, kernel = _cast(call, np.transpose(x, numbers.lhs_spec)), _cast(call, kernel)
    kernel = np.transpose(kernel, numbers.rhs_spec)
    out_shape = tuple(call.shape[i] for i in numbers.out_spec)
    groups, batches = (
        int(call.params[name]) for name in ("feature_group_count", "batch_group_count")
    )
    source = windows(
        tuple(x.shape[2:]),
        out_shape[2:],
        tuple(kernel.shape[2:]),
        tuple(call.params["window_strides"]),
        tuple(call.params["padding"]),
        tuple(call.params["lhs_dilation"]),
        tuple(call.params["rhs_dilation"]),
    )
    patches = _patches(x, source, len(out_shape) - 2)
    parts = []
    for group in range(max(groups, batches)):
        mine = _group(patches, group, groups, axis=1)
        mine = _group(mine, group, batches, axis=0)
        weights = _group(kernel, group, max(groups, batches), axis=0)
        weights = np.reshape(weights, (weights.shape[0], -1))
        columns = np.reshape(mine, (mine.shape[0], math.prod(mine.shape[1:3]), -1))
        parts.append(np.matmul(weights, columns))
    joined = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    laid = np.reshape(joined, out_shape)
    return np.transpose(laid, tuple(np.argsort(numbers.out_spec).tolist()))


def _patches(x: Any, source: Any, rank: int) -> Any:
    """Axes (batch, channel, all of a window, all windows)."""
    count, size = math.prod(source.shape[:rank]), math.prod(source.shape[rank:])
    within = source.reshape(count, size).T
    lead, area = tuple(x.shape[:2]), math.prod(x.shape[2:])
    starts = (np.arange(math.prod(lead)) * area).reshape((*lead, 1, 1))
    return taken_or(x, np.where(within < 0, -1, starts + within), np.zeros((), x.dtype))


def _group(x: Any, group: int, groups: int, axis: int) -> Any:
    if groups == 1:
        return x
    length = x.shape[axis] // groups
    return x[(*(slice(None),) * axis, slice(group * length, (group + 1) * length))]


def source_of_windows(call: Call, x: Any) -> Any:
    """The elements of each window behind one another, as the last axis."""
    ones = (1,) * x.ndim
    source = windows(
        tuple(x.shape),
        call.shape,
        tuple(call.params["window_dimensions"]),
        tuple(call.params["window_strides"]),
        tuple(call.params["padding"]),
        tuple(call.params.get("base_dilation", ones)),
        tuple(call.params.get("window_dilation", ones)),
    )
    return source.reshape((*call.shape, -1))


_REDUCED: Final[dict[str, tuple[Callable[..., Any], float]]] = {
    "reduce_window_max": (np.max, -np.inf),
    "reduce_window_min": (np.min, np.inf),
    "reduce_window_sum": (np.sum, 0),
}


@reads(*_REDUCED)
def _reduce_windows(call: Call, x: Any) -> Any:
    function, neutral = _REDUCED[call.name]
    return function(taken_or(x, source_of_windows(call, x), np.asarray(neutral, x.dtype)), axis=-1)
