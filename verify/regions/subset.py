"""Products of spaces, and the subsets of regions at which conditions hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.one_line import clip_line
from verify.errors import UsageError
from verify.regions.conditions import Condition, Conditional
from verify.regions.region import Point, Region
from verify.regions.words import short

_TRIES: Final = 60
"""Draws in the manner that is asked for, before points are drawn evenly instead."""

_MOST_TRIES: Final = 2_000
"""Draws in vain after which a region counts as empty."""


@dataclass(frozen=True)
class ImposedCondition:
    """A condition on some arguments of a region.

    Attributes
    ----------
    condition : Condition
    places : tuple of int
        The arguments that it is of.
    name : str
        What they are called, where it is one of several.
    """

    condition: Condition
    places: tuple[int, ...]
    name: str = ""

    @property
    def words(self) -> str:
        """For people."""
        return f"{self.name}: {self.condition.words}" if self.name else self.condition.words

    def is_met(self, point: Point) -> bool:
        """Whether it holds."""
        return self.condition.is_met(*(point[at] for at in self.places))


class Subset(Region):
    """The points of `base` at which all conditions hold, found by rejecting the others.

    Parameters
    ----------
    base : Region
    conditions : sequence of Imposed
    """

    def __init__(self, base: Region, conditions: Sequence[ImposedCondition]) -> None:
        self.base, self.conditions = base, tuple(conditions)
        self.arguments, self.names = base.arguments, base.names
        self.joint = getattr(base, "joint", None)

    @property
    def smooth(self) -> bool:
        """Whether points without a classical derivative are left out."""
        return self.base.smooth or any(one.condition.kinks for one in self.conditions)

    def __repr__(self) -> str:
        return clip_line(f"<region {self.describe()}>", ">")

    def describe(self) -> str:
        """A few words, with the conditions behind them."""
        return f"{self.base.describe()} ({'; '.join(one.words for one in self.conditions)})"

    def contains(self, point: Any) -> bool:
        """Whether the point is of the base, and all conditions hold."""
        return self.base.contains(point) and self._holds(point)

    def _holds(self, point: Point) -> bool:
        return all(one.is_met(point) for one in self.conditions)

    def points(self, seed: int = 0) -> Iterator[Point]:
        """The points of the base at which the conditions hold."""
        found, vain = 0, 0
        for point in self.base.points(seed):
            if self._holds(point):
                found, vain = found + 1, 0
                yield point
            elif (vain := vain + 1) > _MOST_TRIES:
                raise self._empty(vain)
        if not found:
            raise self._empty(vain)

    def draw(self, random: np.random.Generator, manner: str, turn: int = 0) -> Point:
        """A point by chance; evenly where its manner finds none."""
        for tried in range(_MOST_TRIES):
            point = self.base.draw(random, manner if tried < _TRIES else "uniform", turn)
            if self._holds(point):
                return point
        raise self._empty(_MOST_TRIES)

    def draw_many(self, random: np.random.Generator, manner: str, count: int) -> list[Point]:
        """So many points by chance, their shapes in turn."""
        drawn = self.base.draw_many(random, manner, count)
        return [
            point if self._holds(point) else self.draw(random, manner, turn)
            for turn, point in enumerate(drawn)
        ]

    def _empty(self, tried: int) -> UsageError:
        words = "; ".join(one.words for one in self.conditions)
        return UsageError(
            f"over={self.base.describe()}: none of {tried:,} points tried meets {words!r}; give a "
            "region most of which does, such as narrower bounds or verify.simplex"
        )

    def simpler(self, point: Point) -> Iterator[Point]:
        """Simpler points at which the conditions hold."""
        return filter(self._holds, self.base.simpler(point))

    def coordinates(self, point: Point) -> tuple[np.ndarray, list[str]]:
        """As of the base."""
        return self.base.coordinates(point)

    def coordinate(self, point: Point, k: int) -> float:
        """As of the base."""
        return self.base.coordinate(point, k)

    def replace_coordinate(self, point: Point, k: int, value: float) -> Point | None:
        """`point` with free number `k` moved; ``None`` where a condition does not hold."""
        moved = self.base.replace_coordinate(point, k, value)
        return moved if moved is not None and self._holds(moved) else None

    def bounds(self, k: int, point: Point | None = None) -> tuple[float, float]:
        """As of the base."""
        return self.base.bounds(k, point)


@dataclass(frozen=True, eq=False)
class Together(Conditional):
    """One region an argument; made by :func:`product`.

    Attributes
    ----------
    spaces : tuple
        Each as it is given for one argument.
    """

    spaces: tuple[Any, ...]

    def __repr__(self) -> str:
        return clip_line(f"product({', '.join(map(repr, self.spaces))})", ")")


def product(*spaces: Any) -> Together:
    """One region an argument, as a tuple of them; conditions may then hold between arguments.

    Parameters
    ----------
    *spaces : ``[lower, upper]`` or Space
        One an argument.

    Raises
    ------
    UsageError
        No region at all.

    Examples
    --------
    >>> from verify.regions import as_region, box
    >>> import numpy as np
    >>> apart = product(box(-1, 1), [0, 1]).where(lambda x, y: x != y, "x and y apart")
    >>> region = as_region(apart, ["x", "y"])
    >>> region.describe(), region.contains((np.float64(0.5), np.float64(0.5)))
    ('x in [-1, 1], y in [0, 1] (x and y apart)', False)
    """
    if not spaces:
        raise UsageError("product() of nothing; expected one region an argument, product(a, b)")
    if len(spaces) == 1 and isinstance(spaces[0], tuple):
        raise UsageError(f"product({short(spaces[0])}); give the regions one by one: product(a, b)")
    return Together(tuple(spaces))
