"""The numbers of an interval at which derivatives go wrong, by kinds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from verify.regions.interleave import distinct, spread, turns
from verify.regions.ordinals import from_ordinal, neighbour, ordinal


@dataclass(frozen=True)
class FloatRange:
    """The finite floats of a dtype from `lower` to `upper`, both included.

    Attributes
    ----------
    lower, upper : float
        Both floats of the dtype.
    dtype : str
    whole : bool
        Whether only whole numbers count.
    """

    lower: float
    upper: float
    dtype: str = "float64"
    whole: bool = False

    def __contains__(self, number: float) -> bool:
        """Whether the number, as it is, is in the interval."""
        return (
            self.lower <= number <= self.upper
            and (not self.whole or number == math.floor(number))
            and (self.dtype == "float64" or float(np.dtype(self.dtype).type(number)) == number)
        )

    def count(self) -> int:
        """How many numbers there are; the two zeros of the floats count as two."""
        if self.whole:
            return int(self.upper) - int(self.lower) + 1
        low, high = self.ordinals()
        return high - low + 1 + (self.lower <= 0 <= self.upper)

    def ordinals(self) -> tuple[int, int]:
        """The ordinals of the ends."""
        kind = np.dtype(self.dtype).type
        return ordinal(kind(self.lower)), ordinal(kind(self.upper))

    def iterate(self) -> Iterator[float]:
        """Every number, in increasing order."""
        if self.whole:
            yield from map(float, range(int(self.lower), int(self.upper) + 1))
            return
        low, high = self.ordinals()
        for k in range(low, high + 1):
            if k == 0:
                yield -0.0
            yield float(from_ordinal(k, self.dtype))


@lru_cache(maxsize=4096)  # intervals of a region
def special(interval: FloatRange) -> tuple[float, ...]:
    """The special numbers in an interval, one of each kind in turn, none twice.

    Examples
    --------
    >>> special(FloatRange(0.0, 3.0, whole=True))
    (0.0, 3.0, 2.0, 1.0)
    >>> 2.0**-1074 in special(FloatRange(-1.0, 1.0))
    True
    """
    kind = np.dtype(interval.dtype).type

    def keep_inside(numbers: Iterable[float]) -> list[float]:
        with np.errstate(over="ignore", under="ignore"):
            near = [float(kind(number)) for number in numbers]
        if interval.whole:
            near = [float(round(number)) for number in near if math.isfinite(number)]
        return [number for number in near if number in interval]

    kinds = [
        _plain(),
        _ends(interval),
        _edges_of_the_format(kind),
        _evenly(interval),
        _magnitudes(interval),
        _circle(),
        _powers(2.0, interval),
        _small_wholes(),
        _powers(10.0, interval),
    ]
    return tuple(distinct(turns(keep_inside(numbers) for numbers in kinds), _bits))


def _bits(number: float) -> tuple[float, bool]:
    return number, math.copysign(1.0, number) < 0


def _plain() -> Iterator[float]:
    for number in (0.0, 1.0, 0.5, 2.0):
        yield number
        yield -number


def _ends(interval: FloatRange) -> Iterator[float]:
    low, high = (np.dtype(interval.dtype).type(x) for x in (interval.lower, interval.upper))
    yield from map(float, (high, low))
    yield interval.lower / 2 + interval.upper / 2
    steps = (1, 2) if not interval.whole else ()
    for step in steps:
        yield float(neighbour(high, -step))
        yield float(neighbour(low, step))


def _edges_of_the_format(kind: Any) -> Iterator[float]:
    format_ = np.finfo(kind)
    tiny, normal, eps = (float(x) for x in (format_.smallest_subnormal, format_.tiny, format_.eps))
    for number in (tiny, 1 + eps, normal, eps, float(format_.max), 1 - eps / 2):
        yield number
        yield -number
    for number in (math.sqrt(float(format_.max)), math.sqrt(normal), normal - tiny, 2 * tiny):
        yield number
        yield -number


def _evenly(interval: FloatRange) -> Iterator[float]:
    for k in spread(0, 32):
        part = k / 32
        yield (1 - part) * interval.lower + part * interval.upper


def _magnitudes(interval: FloatRange) -> Iterator[float]:
    low, high = interval.ordinals()
    for k in spread(0, 32):
        yield float(from_ordinal(low + (high - low) * k // 32, interval.dtype))


def _circle() -> Iterator[float]:
    for k in (2, 4, 1, 8, 3, 6, 5, 7, 100):
        for number in (k * math.pi / 4, math.nextafter(k * math.pi / 4, 0.0)):
            yield number
            yield -number


def _powers(base: float, interval: FloatRange) -> Iterator[float]:
    bound = max(abs(interval.lower), abs(interval.upper))
    least = math.ceil(math.log(float(np.finfo(interval.dtype).smallest_subnormal), base))
    most = math.floor(math.log(bound, base)) if bound else least
    for k in (*range(-3, 4), *islice(spread(least, most), 40)):
        power = float(np.power(base, float(k)))
        yield power
        yield -power


def _small_wholes() -> Iterator[float]:
    for number in range(3, 11):
        yield float(number)
        yield -float(number)
