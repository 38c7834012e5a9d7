"""Readings: pooling over windows and pictures made larger, and their cotangents."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads, refuse
from symtape.frontends.aten.transposing import backward, transpose_linear
from symtape.frontends.placing import index_along, spread
from symtape.frontends.windows import taken_or, windows
from symtape.primitives.primitive import is_stand_in

refuse("sums of bags of different lengths", "_embedding_bag")
refuse("distances of all pairs of rows of one matrix; torch.cdist is read", "_pdist_forward")


def _nearest(size: int, count: int, scale: float | None) -> Any:
    step = size / count if scale is None else 1 / scale
    return np.minimum((np.arange(count) * step).astype(np.int64), size - 1)


@reads("upsample_nearest1d_backward", "upsample_nearest2d_backward", "upsample_nearest3d_backward")
def nearest_backward(g: Any, output_size: Any, input_size: Any, *scales: Any) -> Any:
    """The cotangents of a pixel's copies added up."""
    for axis, count in enumerate(output_size):
        scale = scales[axis] if axis < len(scales) else None
        shape = list(np.shape(g))
        shape[axis + 2] = input_size[axis + 2]
        at = index_along(axis + 2, _nearest(input_size[axis + 2], count, scale))
        g = spread(g, at, shape)
    return g


def _axis_numbers(value: Any, rank: int, default: Any = None) -> list[int]:
    """One number an axis."""
    numbers: list[int] = [value] if isinstance(value, int) else list(value) or list(default)
    return numbers * (rank if len(numbers) == 1 else 1)


Numbers = tuple[list[int], list[int], list[int], list[int], list[int]]
"""Counts, kernels, strides, paddings and dilations of windows, by axes."""


def _plan(sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> Numbers:
    """How many windows there are, and how they lie."""
    rank = len(sizes)
    kernel = _axis_numbers(kernel, rank)
    stride, dilation = _axis_numbers(stride, rank, kernel), _axis_numbers(dilation, rank)
    padding = _axis_numbers(padding, rank)
    counts = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        span = n + 2 * p - d * (k - 1) - 1
        count = (-(-span // s) if ceil else span // s) + 1
        counts.append(count - (ceil and (count - 1) * s >= n + p))
    return counts, kernel, stride, padding, dilation


def _gather_windows(x: Any, plan: Numbers, value: float) -> tuple[Any, Any]:
    """Windows as the last axis, with a value beyond the array; and where they come from."""
    counts, kernel, stride, padding, dilation = plan
    rank = len(counts)
    sizes = np.shape(x)[-rank:]
    source = windows(sizes, counts, kernel, stride, padding, (1,) * rank, dilation)
    source = source.reshape((*counts, -1))
    return _take_windows(x, source, value), source


def _take_windows(x: Any, source: Any, value: float) -> Any:
    rank = source.ndim - 1
    flat = np.reshape(x, (*np.shape(x)[:-rank], -1))
    return taken_or(flat, source, np.asarray(value, x.dtype))


def _choose_greatest(found: Any, source: Any) -> tuple[Any, Any]:
    """The greatest element of each window, and where it comes from."""
    numbers = np.broadcast_to(source, np.shape(found))
    chosen = np.expand_dims(np.argmax(found, axis=-1), -1)
    if is_stand_in(chosen):
        numbers = numbers + 0 * chosen
    return np.max(found, axis=-1), np.take_along_axis(numbers, chosen, -1)[..., 0]


def _max_pool(rank: int) -> Any:
    def reading(
        x: Any,
        kernel: Any,
        stride: Any = (),
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> Any:
        plan = _plan(np.shape(x)[-rank:], kernel, stride, padding, dilation, ceil_mode)
        return _choose_greatest(*_gather_windows(x, plan, -np.inf))

    return reading


def _max_pool_backward(rank: int) -> Any:
    def reading(g: Any, x: Any, *options: Any) -> Any:
        shape, indices = np.shape(x), options[-1]
        rows, inside = int(np.prod(shape[:-rank])), int(np.prod(shape[-rank:]))
        at = (np.arange(rows)[:, None], np.reshape(indices, (rows, -1)))
        return np.reshape(spread(np.reshape(g, (rows, -1)), at, (rows, inside)), shape)

    return reading


def _average_pool(rank: int) -> Any:
    def reading(
        x: Any,
        kernel: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Any:
        sizes = np.shape(x)[-rank:]
        plan = _plan(sizes, kernel, stride, padding, 1, ceil_mode)
        found, source = _gather_windows(x, plan, 0)
        total = np.sum(found, axis=-1)
        if divisor_override is not None:
            return total / divisor_override
        if not count_include_pad:
            return total / np.sum(source >= 0, axis=-1).astype(x.dtype)
        spans = [
            np.minimum(k, n + 2 * p - np.arange(count) * s)
            for n, count, k, s, p in zip(sizes, *plan[:-1], strict=True)
        ]
        return total / functools.reduce(np.multiply.outer, spans).astype(x.dtype)

    return reading


def _stretches(size: int, count: int) -> Any:
    """Which of `size` elements are in each of `count` stretches that cover them."""
    row, at = np.arange(count)[:, None], np.arange(size)
    return (at >= row * size // count) & (at < -(-(row + 1) * size // count))


def _adaptive(x: Any, output_size: Any) -> Any:
    rank = len(output_size)
    for step, count in enumerate(output_size):
        axis = np.ndim(x) - rank + step
        inside = _stretches(np.shape(x)[axis], count).astype(x.dtype)
        means = np.tensordot(x, inside, axes=([axis], [1])) / inside.sum(1)
        x = np.moveaxis(means, -1, axis)
    return x


def _adaptive_max(x: Any, output_size: Any) -> tuple[Any, Any]:
    sizes = np.shape(x)[-len(output_size) :]
    covers = functools.reduce(np.kron, map(_stretches, sizes, output_size))
    order = np.argsort(~covers, axis=1, kind="stable")[:, : covers.sum(1).max()]
    source = np.where(np.take_along_axis(covers, order, 1), order, -1)
    source = source.reshape((*output_size, -1))
    return _choose_greatest(_take_windows(x, source, -np.inf), source)


def _adaptive_backward(rank: int) -> Any:
    return lambda g, x: transpose_linear(
        lambda a: _adaptive(a, np.shape(g)[-rank:]), g, np.shape(x)
    )


for _rank in (2, 3):
    reads(f"max_pool{_rank}d_with_indices")(_max_pool(_rank))
    reads(f"max_pool{_rank}d_with_indices_backward")(_max_pool_backward(_rank))
    reads(f"avg_pool{_rank}d")(_average_pool(_rank))
    reads(f"avg_pool{_rank}d_backward")(backward(_average_pool(_rank)))
    reads(f"adaptive_max_pool{_rank}d")(_adaptive_max)
    reads(f"adaptive_max_pool{_rank}d_backward")(_max_pool_backward(_rank))
    reads(f"_adaptive_avg_pool{_rank}d")(_adaptive)
    reads(f"_adaptive_avg_pool{_rank}d_backward")(_adaptive_backward(_rank))
