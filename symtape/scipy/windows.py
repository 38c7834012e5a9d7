"""Windows of arrays that are extended beyond their ends, as filters look at them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Array

EXTENSIONS: Final = {
    "nearest": 0,
    "wrap": 1,
    "reflect": 2,
    "mirror": 3,
    "constant": 4,
    "grid-wrap": 5,
    "grid-constant": 6,
    "grid-mirror": 2,
}
"""How an array goes on beyond its ends, by ``scipy.ndimage``'s names and numbers."""

OUTSIDE_PLACE: Final = -1
"""The place of what is not in the array, where it goes on with a constant."""

Integers = np.ndarray[Any, np.dtype[np.intp]]


def places(at: Any, length: int, extension: int) -> Any:
    """Where in an axis of that length the positions `at` are found."""
    if extension == 0:
        return np.clip(at, 0, length - 1)
    if extension in (1, 5):
        return np.mod(at, length)
    if extension == 2:
        found = np.mod(at, 2 * length)
        return np.minimum(found, 2 * length - 1 - found)
    if extension == 3:
        period = max(2 * length - 2, 1)
        found = np.mod(at, period)
        return np.minimum(found, period - found)
    return np.where((at < 0) | (at >= length), OUTSIDE_PLACE, at)


def take_places(x: Array, found: Sequence[Integers], constant: Any = 0.0) -> Array:
    """Elements of `x` by their places along each axis, which broadcast; `constant` outside."""
    shape = np.shape(x)
    inside = np.all(np.broadcast_arrays(*[place != OUTSIDE_PLACE for place in found]), axis=0)
    held = [np.where(place == OUTSIDE_PLACE, 0, place) for place in found]
    flat = np.ravel_multi_index(np.broadcast_arrays(*held), shape)
    elements = np.reshape(x, (-1,))[flat]
    if np.all(inside):
        return elements
    return np.where(inside, elements, constant)


def axis_windows(
    x: Array, axis: int, size: int, origin: int, extension: int, constant: Any = 0.0
) -> Array:
    """The windows of that size along an axis, which comes last; the elements behind it."""
    length = np.shape(x)[axis]
    at = np.arange(length)[:, None] + np.arange(size) - (size // 2 + origin)
    found = places(at, length, extension)
    elements = np.moveaxis(x, axis, -1)[..., np.where(found == OUTSIDE_PLACE, 0, found)]
    if np.all(found != OUTSIDE_PLACE):
        return elements
    return np.where(found != OUTSIDE_PLACE, elements, constant)


def box_windows(
    x: Array, footprint: Any, origins: Sequence[int], extension: int, constant: Any = 0.0
) -> Array:
    """The elements under a footprint at each place of an array, along a last axis."""
    marked = np.nonzero(footprint)
    shape, rank = np.shape(x), np.ndim(x)
    found = []
    for axis, (length, offsets, origin) in enumerate(zip(shape, marked, origins, strict=True)):
        start = np.shape(footprint)[axis] // 2 + int(origin)
        at = np.arange(length)[:, None] + offsets - start
        spread = tuple(length if i == axis else 1 for i in range(rank))
        found.append(places(at, length, extension).reshape((*spread, len(offsets))))
    return take_places(x, found, constant)


def convolve_last_axes(x: Array, kernel: Array, rank: int) -> Array:
    """The whole convolution over the last `rank` axes; those before broadcast."""
    if rank == 1 and np.ndim(x) == np.ndim(kernel) == 1:
        return np.convolve(x, kernel)
    if math.prod(np.shape(kernel)[-rank:]) > math.prod(np.shape(x)[-rank:]):
        x, kernel = kernel, x
    sizes, lengths = np.shape(kernel)[-rank:], np.shape(x)[-rank:]
    ahead = np.ndim(x) - rank
    padded = np.pad(x, ((0, 0),) * ahead + tuple((size - 1, size - 1) for size in sizes))
    flat = np.reshape(padded, (*np.shape(x)[:ahead], -1))
    outer = [length + 2 * (size - 1) for length, size in zip(lengths, sizes, strict=True)]
    at = _window_places(outer, sizes)
    flipped = np.flip(kernel, tuple(range(-rank, 0)))
    weights = np.reshape(flipped, (*np.shape(kernel)[:-rank], -1))
    if np.ndim(weights) == 1:
        return flat[..., at] @ weights
    spread = (..., *(None,) * rank, slice(None))
    return np.sum(flat[..., at] * weights[spread], axis=-1)


def _window_places(lengths: Sequence[int], sizes: Sequence[int]) -> Integers:
    """Flat places of all windows of `sizes` in a box of `lengths`; each window is a last axis."""
    rank = len(lengths)
    found = []
    for axis, (length, size) in enumerate(zip(lengths, sizes, strict=True)):
        at = np.arange(length - size + 1)[:, None] + np.arange(size)
        spread = [1] * (2 * rank)
        spread[axis], spread[rank + axis] = at.shape
        found.append(at.reshape(spread))
    flat = np.ravel_multi_index(np.broadcast_arrays(*found), tuple(lengths))
    return np.reshape(flat, (*flat.shape[:rank], -1))
