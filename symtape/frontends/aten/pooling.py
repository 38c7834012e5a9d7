"""Readings: pooling over windows, and its cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.convolution import cropped, padded, window_places
from symtape.frontends.aten.placing import spread
from symtape.frontends.aten.table import reads
from symtape.primitives.arguments import is_stand_in

__all__: list[str] = []


def _each(value: Any, rank: int, default: Any = None) -> list[int]:
    """One number an axis."""
    numbers: list[int] = [value] if isinstance(value, int) else list(value) or list(default)
    return numbers * (rank if len(numbers) == 1 else 1)


def _gathered(x: Any, places: Any, rank: int) -> Any:
    """Windows as the last axis."""
    windows = x[(Ellipsis, *places)]
    lead = np.ndim(x) - rank
    order = [*range(lead), *range(lead, np.ndim(windows), 2), *range(lead + 1, np.ndim(windows), 2)]
    windows = np.transpose(windows, order)
    return np.reshape(windows, (*np.shape(windows)[: lead + rank], -1))


def _counts(sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> Any:
    counts = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        span = n + 2 * p - d * (k - 1) - 1
        count = (-(-span // s) if ceil else span // s) + 1
        counts.append(count - 1 if ceil and (count - 1) * s >= n + p else count)
    return counts


def _wide(counts: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, sizes: Any) -> Any:
    """How much to pad on both sides for all windows to fit."""
    return [
        (p, max((c - 1) * s + d * (k - 1) + 1 - p - n, p))
        for c, k, s, p, d, n in zip(counts, kernel, stride, padding, dilation, sizes, strict=True)
    ]


def _max_pool(rank: int) -> Any:
    def reading(
        x: Any,
        kernel: Any,
        stride: Any = (),
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> Any:
        kernel = _each(kernel, rank)
        stride, padding = _each(stride, rank, kernel), _each(padding, rank)
        dilation, sizes = _each(dilation, rank), np.shape(x)[-rank:]
        counts = _counts(sizes, kernel, stride, padding, dilation, ceil_mode)
        wide = _wide(counts, kernel, stride, padding, dilation, sizes)
        shape = tuple(n + a + b for n, (a, b) in zip(sizes, wide, strict=True))
        places = window_places(shape, kernel, stride, dilation, counts)
        windows = _gathered(padded(x, wide, -np.inf), places, rank)
        numbers = padded(np.arange(int(np.prod(sizes))).reshape(sizes), wide, -1)
        numbers = np.broadcast_to(_gathered(numbers, places, rank), np.shape(windows))
        chosen = np.expand_dims(np.argmax(windows, axis=-1), -1)
        index = (
            np.take_along_axis(numbers, chosen, -1)
            if not is_stand_in(chosen)
            else _followed(numbers, chosen)
        )
        return np.max(windows, axis=-1), index[..., 0]

    return reading


def _followed(numbers: Any, chosen: Any) -> Any:
    return np.take_along_axis(numbers + 0 * chosen, chosen, -1)


for _rank in (2, 3):
    reads(f"max_pool{_rank}d_with_indices")(_max_pool(_rank))


def _max_pool_backward(rank: int) -> Any:
    def reading(
        g: Any,
        x: Any,
        kernel: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        ceil_mode: bool,
        indices: Any,
    ) -> Any:
        lead, inside = np.shape(x)[:-rank], int(np.prod(np.shape(x)[-rank:]))
        rows = int(np.prod(lead))
        flat = np.reshape(g, (rows, -1))
        at = (np.arange(rows)[:, None], np.reshape(indices, (rows, -1)))
        return np.reshape(spread(flat, at, (rows, inside)), np.shape(x))

    return reading


for _rank in (2, 3):
    reads(f"max_pool{_rank}d_with_indices_backward")(_max_pool_backward(_rank))


def _divisors(
    sizes: Any, counts: Any, kernel: Any, stride: Any, padding: Any, pads_count: bool
) -> Any:
    """How many elements the mean of each window is over."""
    total = np.ones((), np.int64)
    for n, c, k, s, p in zip(sizes, counts, kernel, stride, padding, strict=True):
        start = np.arange(c) * s - p
        end = np.minimum(start + k, n + p)
        width = end - start if pads_count else np.minimum(end, n) - np.maximum(start, 0)
        total = total[..., None] * width
    return total


def _average_pool(rank: int) -> tuple[Any, Any]:
    def plan(
        sizes: Any, kernel: Any, stride: Any, padding: Any, ceil: bool, pads: bool, divisor: Any
    ) -> Any:
        kernel = _each(kernel, rank)
        stride, padding = _each(stride, rank, kernel), _each(padding, rank)
        ones = [1] * rank
        counts = _counts(sizes, kernel, stride, padding, ones, ceil)
        wide = _wide(counts, kernel, stride, padding, ones, sizes)
        shape = tuple(n + a + b for n, (a, b) in zip(sizes, wide, strict=True))
        places = window_places(shape, kernel, stride, ones, counts)
        over = _divisors(sizes, counts, kernel, stride, padding, pads)
        return places, wide, shape, over if divisor is None else np.full_like(over, divisor)

    def forward(
        x: Any,
        kernel: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Any:
        sizes = np.shape(x)[-rank:]
        places, wide, _, over = plan(
            sizes, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
        total = np.sum(_gathered(padded(x, wide), places, rank), axis=-1)
        return total / over.astype(x.dtype)

    def backward(
        g: Any,
        x: Any,
        kernel: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: Any,
    ) -> Any:
        sizes, lead = np.shape(x)[-rank:], np.shape(x)[:-rank]
        places, wide, shape, over = plan(
            sizes, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
        shares = g / over.astype(g.dtype)
        windows = np.broadcast_shapes(*(at.shape for at in places))
        apart = np.reshape(
            shares, (*lead, *(n for count in np.shape(shares)[-rank:] for n in (count, 1)))
        )
        whole = spread(
            np.broadcast_to(apart, (*lead, *windows)), (Ellipsis, *places), (*lead, *shape)
        )
        return cropped(whole, [a for a, _ in wide], sizes)

    return forward, backward


for _rank in (1, 2, 3):
    _forward, _backward = _average_pool(_rank)
    reads(f"avg_pool{_rank}d")(_forward)
    if _rank > 1:  # In one dimension torch itself goes through two.
        reads(f"avg_pool{_rank}d_backward")(_backward)


def _shares(size: int, count: int, dtype: Any) -> Any:
    """The matrix of means over `count` stretches that cover `size` elements."""
    matrix = np.zeros((count, size), dtype)
    for row in range(count):
        start, end = row * size // count, -(-(row + 1) * size // count)
        matrix[row, start:end] = 1 / (end - start)
    return matrix


def _adaptive(x: Any, output_size: Any) -> Any:
    rank = len(output_size)
    for step, count in enumerate(output_size):
        axis = np.ndim(x) - rank + step
        matrix = _shares(np.shape(x)[axis], count, x.dtype)
        x = np.moveaxis(np.tensordot(x, matrix, axes=([axis], [1])), -1, axis)
    return x


reads("adaptive_avg_pool1d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d")(_adaptive)


@reads("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_backward(g: Any, x: Any) -> Any:
    """The transposed means."""
    rank = 2 if np.ndim(x) - 2 < 3 else 3
    for axis in range(np.ndim(x) - rank, np.ndim(x)):
        matrix = _shares(np.shape(x)[axis], np.shape(g)[axis], g.dtype)
        g = np.moveaxis(np.tensordot(g, matrix, axes=([axis], [0])), -1, axis)
    return g
