"""Points with directions behind them: a region of the arguments, and what to go along at each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from symtape.recording.structure import separate_entries
from verify.regions.box import Box
from verify.regions.region import Point, Product, Region, measure
from verify.regions.shapes import Shape

_ROOM: Final = 2.0**20
"""Entries of directions are up to this large."""

_SIZES: Final = (1.0, 1.0, 1.0, 1.0, 2.0**-10, 2.0**4, 2.0**18)
"""What short directions are scaled by, for a claim may be linear along the short ones alone."""

_DECIMALS: Final = (1.0, -0.5, 0.75, 2.0, -1.25, 0.3, -2.0, 1.5)
"""Short, so that a message is easy to read, and no two the same."""

_TURNS: Final = 64
"""So many directions of a given region stand beside special points."""

_PASSES: Final = 8
"""So often a region of few points is gone through, each time with other directions."""

Forms = tuple[tuple[Shape, np.dtype[Any]], ...]


def plain_directions(forms: Forms) -> list[tuple[Any, ...]]:
    """Directions that are worth a look at any point, of these shapes and dtypes.

    Short decimals, zeros, ones, and unit vectors: the first entry, the last, one in the middle.

    Examples
    --------
    >>> plain_directions((((2,), np.dtype(float)),))[:2]
    [(array([ 1. , -0.5]),), (array([0., 0.]),)]
    """
    size = sum(int(np.prod(shape)) for shape, _ in forms)
    flat = [np.resize(_DECIMALS, size), np.zeros(size), np.ones(size)]
    flat += [np.eye(1, size, at)[0] for at in sorted({0, size // 2, size - 1}) if 0 <= at < size]
    flat.append(np.resize(_DECIMALS[::-1], size))
    return [_split_vector(vector, forms) for vector in flat]


def _split_vector(vector: Any, forms: Forms) -> tuple[Any, ...]:
    parts = separate_entries(vector, [shape for shape, _ in forms])
    return tuple(part.astype(dtype)[()] for part, (_, dtype) in zip(parts, forms, strict=True))


class RegionWithDirections(Region):
    """A region of points, and directions behind them.

    Parameters
    ----------
    base : Region
        Of the arguments.
    names : sequence of str
        Of the directions.
    forms : callable ``(point) -> tuple of (shape, dtype)``
        Of the directions at a point of `base`.
    given : Region, optional
        Where the directions may lie; by default plain ones, and short ones by chance.
    """

    def __init__(
        self,
        base: Region,
        names: Sequence[str],
        forms: Callable[[Point], Forms],
        given: Region | None = None,
    ) -> None:
        self.base, self.given = base, given
        self.names = (*base.names, *names)
        self._directions, self._forms = tuple(names), forms
        self._spaces: dict[Forms, Region] = {}
        self._turns = [] if given is None else list(islice(given.points(0), _TURNS))
        first = next(iter(base.points(0)))
        self.arguments = (*base.arguments, *self._direction_region(first).arguments)

    @property
    def smooth(self) -> bool:
        """Whether points without a classical derivative are left out."""
        return self.base.smooth

    def describe(self) -> str:
        """A few words."""
        named = ", ".join(self._directions)
        if self.given is not None:
            return f"{self.base.describe()}, {self.given.describe()}"
        return f"{self.base.describe()}, along {named}, short and scaled"

    def contains(self, point: Any) -> bool:
        """Whether the arguments are where they may be, and the directions fit them."""
        if not isinstance(point, tuple) or len(point) != len(self.names):
            return False
        x, along = self._split_point(point)
        return self.base.contains(x) and self._direction_region(x).contains(along)

    def points(self, seed: int = 0) -> Iterator[Point]:
        """Special points, each with another direction."""
        for turn in range(_PASSES):
            for number, x in enumerate(self.base.points(seed)):
                yield (*x, *self._turn(x, number + turn))

    def draw(self, random: np.random.Generator, manner: str, turn: int = 0) -> Point:
        """A point by chance."""
        x = self.base.draw(random, manner, turn)
        if self.given is not None:
            return (*x, *self.given.draw(random, manner, turn))
        forms = self._forms(x)
        if manner == "mixed":
            plain = plain_directions(forms)
            return (*x, *plain[int(random.integers(len(plain)))])
        size = sum(int(np.prod(shape)) for shape, _ in forms)
        short = random.integers(-16, 17, size) / 8
        return (*x, *_split_vector(short * random.choice(_SIZES), forms))

    def simpler(self, point: Point) -> Iterator[Point]:
        """Simpler arguments with the same direction, and simpler directions."""
        x, along = self._split_point(point)
        now = measure(point)
        proposals = [*self._simplify_arguments(x, along), *self._simplify_directions(x, along)]
        sized = [(measure(p), p) for p in proposals]
        yield from (p for size, p in sorted(sized, key=lambda pair: pair[0]) if size < now)

    def _simplify_arguments(self, x: Point, along: Point) -> Iterator[Point]:
        for simpler in self.base.simpler(x):
            space = self._direction_region(simpler)
            if space.contains(along):
                yield (*simpler, *along)
            elif self.given is None:
                yield (*simpler, *plain_directions(self._forms(simpler))[0])

    def _simplify_directions(self, x: Point, along: Point) -> Iterator[Point]:
        if self.given is None:
            yield from ((*x, *plain) for plain in plain_directions(self._forms(x)))
        yield from ((*x, *simpler) for simpler in self._direction_region(x).simpler(along))

    def coordinates(self, point: Point) -> tuple[np.ndarray, list[str]]:
        """The free numbers of the arguments and of the directions, and their names."""
        x, along = self._split_point(point)
        numbers, names = self.base.coordinates(x)
        more, others = self._direction_region(x).coordinates(along)
        return np.concatenate([numbers, more]), [*names, *others]

    def replace_coordinate(self, point: Point, k: int, value: float) -> Point | None:
        """`point` with free number `k` moved."""
        x, along = self._split_point(point)
        count = len(self.base.coordinates(x)[0])
        if k < count:
            moved = self.base.replace_coordinate(x, k, value)
            return None if moved is None else (*moved, *along)
        turned = self._direction_region(x).replace_coordinate(along, k - count, value)
        return None if turned is None else (*x, *turned)

    def bounds(self, k: int, point: Point | None = None) -> tuple[float, float]:
        """Between which numbers free number `k` may move."""
        whole = next(iter(self.points(0))) if point is None else point
        x, along = self._split_point(whole)
        count = len(self.base.coordinates(x)[0])
        return (
            self.base.bounds(k, x)
            if k < count
            else self._direction_region(x).bounds(k - count, along)
        )

    def _split_point(self, point: Point) -> tuple[Point, Point]:
        count = len(self.base.arguments)
        return point[:count], point[count:]

    def _direction_region(self, x: Point) -> Region:
        """Where the directions at a point may lie."""
        if self.given is not None:
            return self.given
        forms = self._forms(x)
        found = self._spaces.get(forms)
        if found is None:
            spaces = [_box(shape, dtype) for shape, dtype in forms]
            found = self._spaces[forms] = Product(spaces, self._directions)
        return found

    def _turn(self, x: Point, number: int) -> Point:
        """The direction that goes with the point of this number."""
        found = self._turns or plain_directions(self._forms(x))
        return found[number % len(found)]


def _box(shape: Shape, dtype: np.dtype[Any]) -> Box:
    lower, upper = (np.array(end, dtype=dtype) for end in (-_ROOM, _ROOM))
    return Box(lower, upper, (shape,), dtype)
