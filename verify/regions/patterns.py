"""How special numbers are laid out over the entries of an array, or over several arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from verify.regions.numbers import FloatRange, special
from verify.regions.ordinals import neighbour

_MANY = 48
"""So many layouts of one kind at most."""


@dataclass(frozen=True)
class Entries:
    """What each entry may be; all arguments that are boxes, one after the other.

    Attributes
    ----------
    intervals : tuple of FloatRange
        One an entry.
    """

    intervals: tuple[FloatRange, ...]

    def common(self) -> tuple[float, ...]:
        """The special numbers that every entry may take, plain ones first."""
        kinds = set(self.intervals)
        first = self.intervals[0]
        low = max(kind.lower for kind in kinds)
        high = min(kind.upper for kind in kinds)
        if low > high:
            return ()
        whole = any(kind.whole for kind in kinds)
        narrowest = min((kind.dtype for kind in kinds), key=lambda name: np.dtype(name).itemsize)
        if len(kinds) > 1 and not all(low in kind and high in kind for kind in kinds):
            return tuple(
                number for number in special(first) if all(number in kind for kind in kinds)
            )
        return special(FloatRange(low, high, narrowest, whole))

    def fits(self, vector: np.ndarray) -> bool:
        """Whether each entry of `vector` may be what it is."""
        return all(
            float(number) in interval
            for number, interval in zip(vector, self.intervals, strict=True)
        )


def patterns(entries: Entries) -> list[Iterator[np.ndarray]]:
    """Vectors of special numbers, one finite iterator a kind.

    Parameters
    ----------
    entries : Entries
        One or more.

    Returns
    -------
    list of iterators of float64 arrays, shape (number of entries,)
        Every entry is in its interval.
    """
    size = len(entries.intervals)
    numbers = entries.common()
    if size == 1:
        return [iter([np.array([number]) for number in special(entries.intervals[0])])]
    each = _each_its_own(entries)
    if not numbers:
        return [each]
    layouts = [
        _all_equal(numbers, size),
        _neighbours_in_the_list(numbers, size),
        _opposite(numbers, size),
        _one_differs(numbers, size),
        _iterate_sorted(numbers, size),
        _pairs(numbers, size),
        _large_and_tiny(numbers, size),
        _one_ulp_apart(numbers, size, entries.intervals[0].dtype),
    ]
    fitting = [
        islice((vector for vector in layout if entries.fits(vector)), _MANY) for layout in layouts
    ]
    return [each, *fitting]


def _each_its_own(entries: Entries) -> Iterator[np.ndarray]:
    lists = [special(interval) for interval in entries.intervals]
    for k in range(_MANY):
        yield np.array([numbers[k % len(numbers)] for numbers in lists])
        strides = [(k * (2 * place + 1) + place) for place in range(len(lists))]
        yield np.array([x[at % len(x)] for x, at in zip(lists, strides, strict=True)])


def _all_equal(numbers: tuple[float, ...], size: int) -> Iterator[np.ndarray]:
    for number in numbers:
        yield np.full(size, number)


def _neighbours_in_the_list(numbers: tuple[float, ...], size: int) -> Iterator[np.ndarray]:
    ring = np.array(numbers)
    for stride in (1, 5, 7):
        for start in range(len(numbers)):
            yield ring[(start + stride * np.arange(size)) % len(numbers)]


def _opposite(numbers: tuple[float, ...], size: int) -> Iterator[np.ndarray]:
    signs = np.where(np.arange(size) % 2 == 0, 1.0, -1.0)
    for number in numbers:
        if number:
            yield number * signs


def _one_differs(numbers: tuple[float, ...], size: int) -> Iterator[np.ndarray]:
    """One-hot vectors, one zero among others, one huge among small."""
    largest = max(numbers, key=abs)
    for k, number in enumerate(numbers):
        for usual, odd in ((0.0, number), (number, 0.0), (number, largest)):
            if usual != odd:
                vector = np.full(size, usual)
                vector[k % size] = odd
                yield vector


def _iterate_sorted(numbers: tuple[float, ...], size: int) -> Iterator[np.ndarray]:
    ordered = np.array(sorted(set(numbers)))
    for width in (size, len(ordered), *range(size, len(ordered), max(1, len(ordered) // 16))):
        picked = ordered[np.linspace(0, width - 1, size).astype(int) % len(ordered)]
        yield np.sort(picked)
        yield np.sort(picked)[::-1].copy()


def _pairs(numbers: tuple[float, ...], size: int) -> Iterator[np.ndarray]:
    ring = np.array(numbers)
    for start in range(len(numbers)):
        yield ring[(start + np.arange(size) // 2) % len(numbers)]
        yield ring[(start + np.arange(size) % max(1, size // 2)) % len(numbers)]


def _large_and_tiny(numbers: tuple[float, ...], size: int) -> Iterator[np.ndarray]:
    nonzero = sorted((number for number in numbers if number), key=abs)
    for k in range(len(nonzero) // 2):
        small, large = nonzero[k], nonzero[-1 - k]
        yield np.where(np.arange(size) % 2 == 0, large, small)
        yield np.where(np.arange(size) % 2 == 0, small, large)


def _one_ulp_apart(numbers: tuple[float, ...], size: int, dtype: str) -> Iterator[np.ndarray]:
    for number in numbers:
        start = np.full(size, number).astype(dtype)
        yield neighbour(start, np.arange(size)).astype(np.float64)
