"""Windows of arrays, as numbers of the elements in them, and products with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def windows(
    lengths: Sequence[int],
    counts: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    before: Sequence[int],
    spread: Sequence[int],
    dilation: Sequence[int],
) -> Any:
    """Where the elements of windows come from, in an array of shape `lengths`, raveled.

    Parameters
    ----------
    lengths, counts, sizes : sequence of int
        Of the array, of the windows along each axis, and of one window.
    strides, before : sequence of int
        From window to window, and how far before the array the first one begins.
    spread, dilation : sequence of int
        The distance of neighbours in the array, and in a window.

    Returns
    -------
    int array, shape ``(*counts, *sizes)``
        -1 where a window reaches beyond the array, or between its elements.

    Examples
    --------
    >>> windows((3,), (3,), (2,), (1,), (1,), (1,), (1,)).tolist()
    [[-1, 0], [0, 1], [1, 2]]
    """
    rank = len(lengths)
    flat = np.zeros((*counts, *sizes), dtype=np.intp)
    inside = np.ones((*counts, *sizes), dtype=bool)
    for axis in range(rank):
        place = (
            np.arange(counts[axis])[:, None] * strides[axis]
            + np.arange(sizes[axis])[None, :] * dilation[axis]
            - before[axis]
        )
        found, between = np.divmod(place, spread[axis])
        good = (between == 0) & (found >= 0) & (found < lengths[axis])
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = counts[axis], sizes[axis]
        flat = flat * lengths[axis] + np.where(good, found, 0).reshape(shape)
        inside = inside & good.reshape(shape)
    return np.where(inside, flat, -1)


def taken_or(x: Any, source: Any, value: Any) -> Any:
    """The elements along the last axis of `x` at `source`; where that is -1, `value`."""
    if np.any(source < 0):
        x = np.concatenate([x, np.broadcast_to(value, (*np.shape(x)[:-1], 1))], axis=-1)
    return x[..., source]


def convolve(x: Any, kernel: Any, source: Any, groups: int = 1, batches: int = 1) -> Any:
    """``y[n, m, a] = sum x[n, c, source[a, p]] * kernel[m, c, p]``.

    Channels, or batches, may be in groups, each with kernels of its own.
    """
    (size, channels), rank = np.shape(x)[:2], np.ndim(x) - 2
    counts = source.shape[:rank]
    flat = np.reshape(x, (size, channels, -1))
    found = taken_or(flat, source.reshape(math.prod(counts), -1), np.zeros((), x.dtype))
    lead = (size // batches, groups * batches, channels // groups)
    if batches > 1:
        found = np.moveaxis(np.reshape(found, (batches, size // batches, *found.shape[1:])), 0, 1)
    found = np.reshape(found, (*lead, *found.shape[-2:]))
    out = np.shape(kernel)[0]
    weights = np.reshape(kernel, (lead[1], out // lead[1], lead[2], -1))
    return np.reshape(np.einsum("nhcaw,hmcw->nhma", found, weights), (lead[0], out, *counts))
