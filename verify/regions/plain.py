"""What makes a number plain, and the steps towards plainer ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from verify.regions.numbers import FloatRange

Cost = tuple[int, int, int, int, int]

_MANY: Final = 16
"""So many groups, blocks of one width, and other entries are tried."""

_EFFORT: Final = 4096
"""Entries moved one by one, times the length of the vector, at most."""


def cost(number: float, dtype: str = "float64") -> Cost:
    """How far from plain a number is: class, digits, exponent, mantissa and sign.

    Natural numbers all, compared in that order, so that a chain of ever plainer numbers ends.
    The classes: zero, wholes up to 16, halves up to 16, all others.

    Examples
    --------
    >>> cost(0.0) < cost(1.0) < cost(-1.0) < cost(2.0) < cost(0.5) < cost(100.0) < cost(0.1234)
    True
    """
    return (*_cost_of_size(abs(number), dtype), int(math.copysign(1.0, number) < 0))


@lru_cache(maxsize=65536)  # numbers, which a shrinking search meets again
def _cost_of_size(size: float, dtype: str) -> tuple[int, int, int, int]:
    if size == 0:
        return 0, 0, 0, 0
    digits, exponent = _decimal(size, dtype)
    kind = 3
    if size <= 16:
        kind = 1 if size == int(size) else 2 if 2 * size == int(2 * size) else 3
    return kind, len(str(digits)), abs(exponent), digits


def _decimal(number: float, dtype: str) -> tuple[int, int]:
    """The digits of the shortest decimal that rounds to `number`, and its exponent."""
    text = repr(number) if dtype == "float64" else str(np.dtype(dtype).type(number))
    mantissa, _, power = text.partition("e")
    before, _, after = mantissa.partition(".")
    digits = (before + after).lstrip("0")
    exponent = len(digits) - len(after) - 1 + int(power or 0)
    return int(digits.rstrip("0")), exponent


@lru_cache(maxsize=16384)  # numbers, which a shrinking search meets again
def _plainer(number: float, negative_zero: bool, interval: FloatRange) -> tuple[float, ...]:
    signed = -0.0 if negative_zero else number
    now = cost(signed, interval.dtype)
    costs = {near: cost(near, interval.dtype) for near in _proposals(signed, interval)}
    return tuple(sorted((near for near in costs if costs[near] < now), key=costs.__getitem__))


def plainer(number: float, interval: FloatRange) -> tuple[float, ...]:
    """Numbers of the interval that are plainer than `number`, the plainest first, few.

    Examples
    --------
    >>> plainer(1.5, FloatRange(1.2, 9.0))
    (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    """
    return _plainer(number, number == 0 and math.copysign(1.0, number) < 0, interval)


def _proposals(number: float, interval: FloatRange) -> set[float]:
    raw = [0.0, 1.0, -1.0, 2.0, 0.5, -number, abs(number), interval.lower, interval.upper]
    raw += [math.ceil(interval.lower), math.floor(interval.upper)]
    raw += [math.floor(number), math.ceil(number), math.trunc(number / 2), number / 2]
    raw += [number if abs(number) > 2.0**53 else math.floor(2 * number) / 2]
    raw += [float(f"{number:.{digits}e}") for digits in (0, 1, 2, 3, 5, 8, 12)]
    if number:
        exponent = math.floor(math.log10(abs(number)))
        parts = (exponent // 2, 3 * exponent // 4, 7 * exponent // 8, 15 * exponent // 16)
        nearby = (*parts, exponent - 1, exponent, exponent + 1)
        raw += [math.copysign(float(f"1e{power}"), number) for power in nearby]
        raw += [math.copysign(float(f"{lead}e{exponent}"), number) for lead in range(2, 10)]
        raw += [number - math.copysign(1.0, number)]
    return {near for near in _round_to_dtype(raw, interval.dtype) if near in interval}


def _round_to_dtype(numbers: list[float], dtype: str) -> set[float]:
    if dtype == "float64":
        return set(map(float, numbers))
    with np.errstate(over="ignore", under="ignore"):
        return set(np.array(numbers, dtype=np.float64).astype(dtype).tolist())


def shrunk(flat: np.ndarray, intervals: Sequence[FloatRange]) -> Iterator[np.ndarray]:
    """Vectors that may be plainer than `flat`: many entries moved at once, then few, then one.

    Of long vectors only the least plain entries are moved one by one.

    Parameters
    ----------
    flat : float64 array, shape (n,)
    intervals : sequence of FloatRange, n of them

    Returns
    -------
    iterator of float64 arrays, shape (n,)
    """
    options = [
        plainer(number, interval) for number, interval in zip(flat.tolist(), intervals, strict=True)
    ]
    yield from _rescale_entries(flat)
    yield from _round_entries(flat)
    yield from _groups(flat, options)
    yield from _blocks(flat, options)
    yield from _single(flat, options, intervals)


def _rescale_entries(flat: np.ndarray) -> Iterator[np.ndarray]:
    largest = float(np.abs(flat).max(initial=0.0))
    if largest:
        yield np.ldexp(flat, 1 - math.frexp(largest)[1])
        yield flat / float(f"1e{max(-307, math.floor(math.log10(largest)))}")


def _round_entries(flat: np.ndarray) -> Iterator[np.ndarray]:
    """All entries rounded alike, which often keeps what they have in common: their sum."""
    with np.errstate(over="ignore"):
        for parts in (1, 2, 10, 8, 100, 64):
            near = np.rint(flat * parts) / parts
            if np.isfinite(near).all():
                yield near


def _groups(flat: np.ndarray, options: list[tuple[float, ...]]) -> Iterator[np.ndarray]:
    """Equal and opposite entries moved together, so that ties stay ties."""
    sizes = np.abs(flat)
    for size in list(dict.fromkeys(sizes.tolist()))[:_MANY]:
        group = np.flatnonzero(sizes == size)
        if len(group) > 1:
            for number in options[group[0]]:
                moved = flat.copy()
                moved[group] = number * np.sign(flat[group]) * np.sign(flat[group[0]])
                yield moved


def _blocks(flat: np.ndarray, options: list[tuple[float, ...]]) -> Iterator[np.ndarray]:
    width = len(flat)
    while width > 1 and width * _MANY >= len(flat):
        for start in range(0, len(flat), width):
            for rank in range(4):
                moved = flat.copy()
                for k in range(start, min(len(flat), start + width)):
                    if options[k]:
                        moved[k] = options[k][min(rank, len(options[k]) - 1)]
                yield moved
        width = (width + 1) // 2


def _single(
    flat: np.ndarray, options: list[tuple[float, ...]], intervals: Sequence[FloatRange]
) -> Iterator[np.ndarray]:
    numbers = flat.tolist()
    ranked = sorted(range(len(numbers)), key=lambda k: cost(numbers[k], intervals[k].dtype))
    others = list(dict.fromkeys(numbers[k] for k in ranked))[:_MANY]
    tried = max(4, min(2 * _MANY, _EFFORT // max(1, len(flat))))
    for k in ranked[::-1][:tried]:
        equal = [other for other in others if other in intervals[k]]
        for number in (*options[k], *equal):
            moved = flat.copy()
            moved[k] = number
            yield moved
