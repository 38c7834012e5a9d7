"""Splines on a regular grid: the coefficients that go through samples, and values between them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from contextvars import Context
from typing import Any, Final

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.indexing import getitem
from symtape.primitives.primitive import Array
from symtape.scipy.windows import EXTENSIONS, OUTSIDE_PLACE, places

_MIRROR: Final = EXTENSIONS["mirror"]
_GRID_CONSTANT: Final = EXTENSIONS["grid-constant"]
_NAMES: Final = {number: name for name, number in EXTENSIONS.items() if name != "grid-mirror"}


@functools.lru_cache(maxsize=64)  # shapes of data
def _filter(length: int, order: int, extension: int) -> Any:
    """What SciPy makes of each unit vector: the matrix that takes samples to coefficients."""
    from scipy.ndimage import spline_filter1d

    run: Any = spline_filter1d
    # Of plain arrays, whatever else is recorded around it.
    found = Context().run(run, np.eye(length), order, 0, np.float64, _NAMES[extension])
    found.flags.writeable = False
    return found


def coefficients(x: Array, order: int, axis: int, extension: int) -> Array:
    """The coefficients of the spline whose samples along an axis are `x`."""
    length = np.shape(x)[axis]
    if length < 2 or order < 2:
        return x
    moved = np.moveaxis(x, axis, 0)
    found = _filter(length, order, extension) @ np.reshape(moved, (length, -1))
    return np.moveaxis(np.reshape(found, moved.shape), 0, axis)


def _period(at: Array, period: int) -> Array:
    return at - period * np.floor(at / period)


def find_places(at: Array, length: int, extension: int) -> Array:
    """Where in an axis of that length the coordinates `at` are looked for."""
    last = length - 1
    inside = (at >= 0) & (at <= last)
    if extension == 0:
        return np.where(at < 0, 0.0, np.where(at > last, float(last), at))
    if last < 1 or extension in (4, 6):
        return at if extension in (4, 6) else np.where(inside, at, 0.0)
    if extension == 1:
        behind = at - last * np.floor(at / last)
        ahead = at + last * (np.floor(-at / last) + 1)
        return np.where(inside, at, np.where(at < 0, ahead, behind))
    if extension == 5:
        return np.where(inside, at, _period(at, length))
    if extension == 2:
        once = _period(at, 2 * length)
        return np.where(inside, at, np.where(once < length, once, 2 * length - 1 - once))
    once = _period(at, 2 * last)
    return np.where(inside, at, np.where(once <= last, once, 2 * last - once))


def weights(u: Array, order: int) -> list[Array]:
    """The B-splines of an order at the part `u` of a step, one for each coefficient."""
    b: list[Any] = [np.ones_like(u)]
    for d in range(1, order + 1):
        before, after = [0.0, *b], [*b, 0.0]
        b = [((u + d - j) * before[j] + (1 - u + j) * after[j]) / d for j in range(d + 1)]
    return b


def evaluate_at(
    x: Array, coordinates: Sequence[Array], order: int, extension: int, constant: Any, padded: int
) -> Array:
    """The spline of coefficients `x` at coordinates, which broadcast, in `x` before padding."""
    starts, parts, inside = [], [], []
    half = 0.0 if order % 2 else 0.5
    for length, at in zip(np.shape(x), coordinates, strict=True):
        place = find_places(at + padded, length, extension)
        inside.append((place >= 0) & (place <= length - 1))
        start = np.floor(place + half)
        parts.append(weights(place + half - start, order))
        starts.append(start.astype(np.intp) - order // 2)
    beyond = _MIRROR if extension in (1, 4) else extension
    total: Any = 0.0
    for offsets in np.ndindex((order + 1,) * np.ndim(x)):
        shares = [part[offset] for part, offset in zip(parts, offsets, strict=True)]
        at = [start + offset for start, offset in zip(starts, offsets, strict=True)]
        share = functools.reduce(operator.mul, shares)
        total = total + _element(x, at, beyond, constant) * share
    if extension != EXTENSIONS["constant"]:
        return total
    return np.where(functools.reduce(np.logical_and, inside), total, constant)


def _element(x: Array, at: Sequence[Any], extension: int, constant: Any) -> Array:
    flat: Any = 0
    within: Any = True
    for position, length in zip(at, np.shape(x), strict=True):
        place = places(position, length, extension)
        within = within & (place != OUTSIDE_PLACE)
        flat = flat * length + np.maximum(place, 0)
    elements = getitem(to_array(np.reshape(x, (-1,))), flat)
    return np.where(within, elements, constant) if extension == _GRID_CONSTANT else elements
