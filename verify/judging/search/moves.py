"""Moves: walking in a region one number at a time, and halving the way between two points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from verify.regions import Region
from verify.regions.ordinals import from_ordinal, ordinal

_MOST_HALVINGS: Final = 70

_OFFSETS: Final = (2.0**-12, 2.0**-26)
"""How far from a boundary to look, of the size of its number: beyond what rounding blurs."""
_MOST_BESIDE: Final = 48
"""Such points, after which no more boundaries are looked at so."""
_EACH: Final = 2
"""Boundaries of one test that are."""

Point = tuple[Any, ...]


class Stepper:
    """Finds neighbouring points of a region that a test tells apart.

    Parameters
    ----------
    region : Region
    most : int
        Evaluations of tests in all.

    Attributes
    ----------
    beside : list of points
        A little way off the boundaries that were found first.
    """

    def __init__(self, region: Region, most: int) -> None:
        self.region = region
        self.left = most
        self.beside: list[Point] = []
        self._crossed = Counter[Callable[[Point], Any]]()

    def find_changes(self, a: Point, b: Point, test: Callable[[Point], Any]) -> list[Point]:
        """Points between `a` and `b` where the outcome of `test` changes.

        Coordinates are moved from their place in `a` to that in `b` one after the other; the
        first whose move changes the outcome is halved by floats, down to two neighbours.

        Returns
        -------
        list of points
            The neighbours, and whatever was met with an outcome of its own: a point on the
            boundary itself. Empty if the tests are spent, or no single move changes anything.
        """
        first = self._ask(test, a)
        before = a
        for k, after in steps_between(self.region, a, b):
            outcome = self._ask(test, after)
            if outcome is None:
                return []
            if outcome != first:
                found = self._bisect(before, after, k, test, first, outcome)
                if found and len(self.beside) < _MOST_BESIDE and self._crossed[test] < _EACH:
                    self._crossed[test] += 1
                    self.beside += self._iterate_sides(found[0], k)
                return found
            before = after
        return []

    def _iterate_sides(self, x: Point, k: int) -> Iterator[Point]:
        """`x`, on a boundary, with number `k` moved a little way to either side.

        Where a program changes its way a little later than the function does, the two disagree
        there; on the boundary itself nothing is held against it.
        """
        low, high = self.region.bounds(k, x)
        at = self.region.coordinate(x, k)
        size = abs(at) or min(1.0, high - low)
        for share in _OFFSETS:
            for value in (at - share * size, at + share * size):
                if low <= value <= high:
                    moved = self.region.replace_coordinate(x, k, value)
                    if moved is not None:
                        yield moved

    def _ask(self, test: Callable[[Point], Any], x: Point) -> Any:
        if self.left <= 0:
            return None
        self.left -= 1
        return test(x)

    def _bisect(
        self, a: Point, b: Point, k: int, test: Callable[[Point], Any], first: Any, last: Any
    ) -> list[Point]:
        """The neighbours between which the outcome changes from `first`, and later ones."""
        rest: tuple[Point, Point, Any, Any] | None = None
        here, there = (self.region.coordinate(x, k) for x in (a, b))
        for _ in range(_MOST_HALVINGS):
            found = halfway(self.region, a, k, here, there)
            if found is None:
                break
            middle, number = found
            outcome = self._ask(test, middle)
            if outcome is None:
                return []
            if outcome == first:
                a, here = middle, number
                continue
            if outcome != last and rest is None:
                rest = middle, b, outcome, last
            b, there, last = middle, number, outcome
        beyond = [] if rest is None else self._bisect(rest[0], rest[1], k, test, *rest[2:])
        return [b, a, *beyond]


def steps_between(region: Region, a: Point, b: Point) -> Iterator[tuple[int, Point]]:
    """From `a` towards `b`, a coordinate at a time, with the number of the coordinate."""
    start, goal = (region.coordinates(x)[0] for x in (a, b))
    if len(start) != len(goal):
        return
    for k in np.flatnonzero(start != goal).tolist():
        moved = region.replace_coordinate(a, k, float(goal[k]))
        if moved is not None:
            a = moved
            yield k, a


def halfway(
    region: Region, x: Point, k: int, here: float, there: float
) -> tuple[Point, float] | None:
    """`x` with number `k` moved from `here` halfway to `there`, and that number.

    None between neighbours.
    """
    low, high = min(here, there), max(here, there)
    middle = float(from_ordinal((ordinal(low) + ordinal(high)) // 2))
    for value in (middle, float(round(middle))):
        if not low < value < high:
            continue
        moved = region.replace_coordinate(x, k, value)
        if moved is None:
            continue
        number = region.coordinate(moved, k)
        if low < number < high:
            return moved, number
    return None
