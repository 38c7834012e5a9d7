"""Numbers of an interval, drawn so that a failing one shrinks to a plain one inside it.

The numbers stand on rungs: wholes, fractions, a coarse grid, then the edges, the special ones and
those by chance. Hypothesis climbs down: to an earlier rung if the failure is there too, and on a
rung to an earlier number. Zero and the ends are late, for they are where another failure waits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from verify.regions.numbers import FloatRange, special
from verify.regions.ordinals import from_ordinal
from verify.regions.plain import cost

Draw = Callable[[st.SearchStrategy[Any]], Any]

_GRID: Final = 16
"""About so many numbers on the coarse grid of an interval."""

_BITS: Final = 24
"""Of a part of an interval; Hypothesis draws wider whole numbers unevenly."""


@lru_cache(maxsize=4096)  # lengths of ranges
def _integers_up_to(last: int) -> st.SearchStrategy[int]:
    return st.integers(0, last)


@lru_cache(maxsize=4)  # formats of floats
def _integers_around_zero(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2**bits) + 1, 2**bits - 1)


def draw_integer(draw: Draw, count: int) -> int:
    """A whole number from 0 to below `count`."""
    found: int = draw(_integers_up_to(count - 1))
    return found


def one_of(draw: Draw, items: tuple[Any, ...] | list[Any]) -> Any:
    """One of `items`; the first is the simplest."""
    return items[draw_integer(draw, len(items))]


def branch(draw: Draw, count: int) -> int:
    """Which of `count` ways to go on, the first the simplest.

    The others take one choice more: so Hypothesis sees that they are ways, and tries an earlier
    one with new numbers when it shrinks, instead of with the numbers that it has.
    """
    found = draw_integer(draw, count)
    if found:
        draw_integer(draw, 1)
    return found


def number(draw: Draw, interval: FloatRange) -> float:
    """Any number of the interval: plain, on an edge, special or by chance.

    Parameters
    ----------
    draw : callable
        Of a composite strategy.
    interval : FloatRange
    """
    rungs = _rungs(interval)
    chance = () if interval.whole else (_evenly, _draw_by_ordinal)
    rung = branch(draw, len(rungs) + len(chance))
    if rung < len(rungs):
        return float(one_of(draw, rungs[rung]))
    return chance[rung - len(rungs)](draw, interval)


def plain_number(draw: Draw, interval: FloatRange, taken: Iterable[float] = ()) -> float:
    """A plain number inside the interval, and none of those taken if there are others."""
    rungs = _plain_rungs(interval)
    rung = rungs[branch(draw, len(rungs))]
    used = set(taken)
    left = [near for near in rung if near not in used]
    return float(one_of(draw, left or rung))


def _evenly(draw: Draw, interval: FloatRange) -> float:
    part = draw(_integers_around_zero(_BITS)) / 2**_BITS
    middle, half = interval.lower / 2 + interval.upper / 2, interval.upper / 2 - interval.lower / 2
    return _nearest(middle + part * half, interval)


def _draw_by_ordinal(draw: Draw, interval: FloatRange) -> float:
    low, high = interval.ordinals()
    coarse = draw(_integers_around_zero(_BITS)) * 2**_BITS + draw(_integers_up_to(2**_BITS - 1))
    middle, half = (low + high) // 2, (high - low) // 2
    return _nearest(
        float(from_ordinal(middle + coarse * half // 4**_BITS, interval.dtype)), interval
    )


def _nearest(near: float, interval: FloatRange) -> float:
    kept = float(np.dtype(interval.dtype).type(min(max(near, interval.lower), interval.upper)))
    return min(max(kept, interval.lower), interval.upper)


@lru_cache(maxsize=1024)  # intervals of a region
def _plain_rungs(interval: FloatRange) -> tuple[tuple[float, ...], ...]:
    """Plain numbers inside the interval; on its edge only where there is nothing inside."""
    wholes = [float(k) for k in range(1, 17)]
    fractions = sorted((k / 8 for k in range(1, 65) if k % 8), key=cost)
    grid = sorted((x for x in _grid(interval) if abs(x) not in {*wholes, *fractions}), key=cost)
    decades = [float(f"1e{power}") for power in (-3, 3, -10, 10, -30, 30, -100, 100, -300, 300)]
    rungs = [
        wholes,
        [-x for x in wholes],
        fractions,
        [-x for x in fractions],
        [x for x in grid if x > 0],
        [x for x in grid if x < 0],
        [x for decade in decades for x in (decade, -decade)],
    ]
    inside = [tuple(x for x in rung if _is_inside(x, interval)) for rung in rungs]
    found = tuple(rung for rung in inside if rung)
    return found or (tuple(sorted(special(interval), key=cost)),)


def _is_inside(near: float, interval: FloatRange) -> bool:
    return near in interval and near != 0 and interval.lower < near < interval.upper


def _grid(interval: FloatRange) -> Iterable[float]:
    """Whole multiples of a power of two."""
    eighth = interval.upper / _GRID - interval.lower / _GRID
    if eighth > 0:
        step = math.ldexp(1.0, max(-1074, math.frexp(eighth)[1] - 1))
        first, last = math.ceil(interval.lower / step), math.floor(interval.upper / step)
        yield from (k * step for k in range(first, last + 1))


@lru_cache(maxsize=1024)  # intervals of a region
def _rungs(interval: FloatRange) -> tuple[tuple[float, ...], ...]:
    plain = _plain_rungs(interval)
    edges = [x for x in (0.0, interval.upper, interval.lower) if x in interval]
    known = {x for rung in (*plain, edges) for x in rung}
    others = [x for x in special(interval) if x not in known or (x == 0 and _is_negative(x))]
    rungs = (*plain, tuple(dict.fromkeys(edges)), tuple(others))
    return tuple(rung for rung in rungs if rung)


def _is_negative(zero: float) -> bool:
    return math.copysign(1.0, zero) < 0
