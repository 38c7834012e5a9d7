"""Region: where all arguments of a function may lie together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any, Final

import numpy as np

from symtape.one_line import clip_line
from symtape.recording.structure import concatenate_entries
from verify.regions.box import Box
from verify.regions.interleave import distinct, turns
from verify.regions.patterns import Entries, patterns
from verify.regions.plain import cost, shrunk
from verify.regions.shapes import Shape
from verify.regions.space import MANNERS, Space

Point = tuple[Any, ...]

_FEW: Final = 512
"""A region of no more points than this is gone through in full."""

_LEAD: Final = 96
"""So many special points come before the first by chance."""

_FILLERS: Final = 64
"""So many special values of an argument stand beside those of another."""


class Region(ABC):
    """Where the arguments of a function may lie.

    Attributes
    ----------
    arguments : tuple of Space
        One an argument.
    names : tuple of str
        What the arguments are called.
    """

    arguments: tuple[Space, ...]
    names: tuple[str, ...]

    @property
    def smooth(self) -> bool:
        """Whether points without a classical derivative are left out."""
        return False

    @abstractmethod
    def describe(self) -> str:
        """A few words: ``"x in [-60, 60], y > 0"``."""

    @abstractmethod
    def contains(self, point: Any) -> bool:
        """Whether the point is a tuple of arguments each of which is where it may be."""

    @abstractmethod
    def points(self, seed: int = 0) -> Iterator[Point]:
        """Special points, then ones by chance, without end; all of them, if they are few."""

    @abstractmethod
    def draw(self, random: np.random.Generator, manner: str, turn: int = 0) -> Point:
        """A point by chance, in one of the ``MANNERS``; shapes take turns."""

    def draw_many(self, random: np.random.Generator, manner: str, count: int) -> list[Point]:
        """So many points by chance, their shapes in turn."""
        return [self.draw(random, manner, turn) for turn in range(count)]

    @abstractmethod
    def simpler(self, point: Point) -> Iterator[Point]:
        """Points of the region that are simpler than `point`, the simplest first."""

    @abstractmethod
    def coordinates(self, point: Point) -> tuple[np.ndarray, list[str]]:
        """The free numbers of `point`, flat, and their names."""

    def coordinate(self, point: Point, k: int) -> float:
        """Free number `k` of `point`."""
        return float(self.coordinates(point)[0][k])

    @abstractmethod
    def replace_coordinate(self, point: Point, k: int, value: float) -> Point | None:
        """`point` with free number `k` moved to `value`; ``None`` if that leaves the region."""

    @abstractmethod
    def bounds(self, k: int, point: Point | None = None) -> tuple[float, float]:
        """Between which numbers free number `k` may move.

        Where several shapes are allowed, `point` says which is meant; by default the first.
        """


class Product(Region):
    """Each argument in a space of its own, whatever the others are.

    Parameters
    ----------
    arguments : sequence of Space
    names : sequence of str
    joint : sequence of tuples of shapes, optional
        Which shapes go together; by default all of each.
    """

    def __init__(
        self,
        arguments: Sequence[Space],
        names: Sequence[str],
        joint: Sequence[tuple[Shape, ...]] | None = None,
    ) -> None:
        self.arguments = tuple(arguments)
        self.names = tuple(names)
        self.joint = tuple(joint or product(*(space.shapes for space in arguments)))
        self._cells: dict[tuple[Shape, ...], tuple[Space, ...]] = {}
        self._labels: dict[tuple[Shape, ...], list[str]] = {}

    def __repr__(self) -> str:
        inner = ", ".join(f"{n}: {s!r}" for n, s in zip(self.names, self.arguments, strict=True))
        return clip_line(f"<region {inner}>", ">")

    def describe(self) -> str:
        """A few words."""
        return ", ".join(
            space.describe(name) for name, space in zip(self.names, self.arguments, strict=True)
        )

    def contains(self, point: Any) -> bool:
        """Whether each argument is where it may be."""
        return (
            isinstance(point, tuple)
            and len(point) == len(self.arguments)
            and all(s.contains(x) for s, x in zip(self.arguments, point, strict=True))
            and tuple(np.shape(x) for x in point) in self.joint
        )

    def points(self, seed: int = 0) -> Iterator[Point]:
        """Special points, then ones by chance."""
        cells = [self._cell(shapes) for shapes in self.joint]
        everything = self._list_all_points(cells)
        if everything is not None:
            yield from everything
            return
        random = np.random.default_rng(seed)
        # Each shape begins with another kind, so that all kinds come early.
        streams = [_kinds(cell) for cell in cells]
        begun = [s[k % len(s) :] + s[: k % len(s)] for k, s in enumerate(streams)]
        specials = distinct(turns(turns(kinds) for kinds in begun), key_of)
        yield from islice(specials, _LEAD)
        k = 0
        while True:
            for manner in MANNERS:
                yield from islice(specials, 1)
                yield tuple(space.draw(random, manner) for space in cells[k % len(cells)])
            k += 1

    def draw(self, random: np.random.Generator, manner: str, turn: int = 0) -> Point:
        """A point by chance."""
        cell = self._cell(self.joint[turn % len(self.joint)])
        return tuple(space.draw(random, manner) for space in cell)

    def draw_many(self, random: np.random.Generator, manner: str, count: int) -> list[Point]:
        """So many points by chance."""
        if len(self.joint) > 1:
            return super().draw_many(random, manner, count)
        columns = [space.draw_many(random, manner, count) for space in self._cell(self.joint[0])]
        return list(zip(*columns, strict=True)) if columns else [()] * count

    def _list_all_points(self, cells: list[tuple[Space, ...]]) -> list[Point] | None:
        found: list[Point] = []
        for cell in cells:
            members = [space.members(_FEW) for space in cell]
            if any(m is None for m in members):
                return None
            count = 1
            for m in members:
                count *= len(m or [])
            if count + len(found) > _FEW:
                return None
            found += product(*(m or [] for m in members))
        return sorted(found, key=measure)

    def _cell(self, shapes: tuple[Shape, ...]) -> tuple[Space, ...]:
        """The spaces of single shapes, which are asked for at every step of a search."""
        cell = self._cells.get(shapes)
        if cell is None:
            pairs = zip(self.arguments, shapes, strict=True)
            cell = self._cells[shapes] = tuple(space.pick_shape(shape) for space, shape in pairs)
        return cell

    def _cell_of(self, point: Point | None) -> tuple[Space, ...]:
        return self._cell(self.joint[0] if point is None else tuple(np.shape(x) for x in point))

    def simpler(self, point: Point) -> Iterator[Point]:
        """Points that are simpler than `point`, the simplest first."""
        now = measure(point)
        proposals = distinct((*self._smaller(point), *self._simplify_moved(point)), key_of)
        better = ((measure(p), p) for p in proposals if self.contains(p))
        less = [(size, p) for size, p in better if size < now]
        yield from (p for _, p in sorted(less, key=lambda pair: pair[0]))

    def _smaller(self, point: Point) -> Iterator[Point]:
        """The point cut down, or stretched, to each of the other shapes."""
        here = tuple(np.shape(x) for x in point)
        for shapes in self.joint:
            if shapes != here and all(map(np.size, point)):
                yield tuple(np.resize(x, shape)[()] for x, shape in zip(point, shapes, strict=True))
            elif shapes != here:
                yield next(turns(_kinds(self._cell(shapes))))

    def _simplify_moved(self, point: Point) -> Iterator[Point]:
        cell = self._cell_of(point)
        yield from _moved_together(cell, point)
        for k, space in enumerate(cell):
            for proposal in space.simpler(point[k]):
                yield (*point[:k], proposal, *point[k + 1 :])

    def coordinates(self, point: Point) -> tuple[np.ndarray, list[str]]:
        """The free numbers of `point` and their names."""
        shapes = tuple(np.shape(x) for x in point)
        parts = [s.coordinates(x) for s, x in zip(self._cell(shapes), point, strict=True)]
        labels = self._labels.get(shapes)
        if labels is None:
            labels = self._labels[shapes] = [
                name + label
                for name, (_, after) in zip(self.names, parts, strict=True)
                for label in after
            ]
        return np.concatenate([numbers for numbers, _ in parts]), list(labels)

    def coordinate(self, point: Point, k: int) -> float:
        """Free number `k` of `point`: searches for boundaries ask for it at every step."""
        for space, x in zip(self._cell_of(point), point, strict=True):
            count = space.freedom()
            if k < count:
                return float(space.coordinates(x)[0][k])
            k -= count
        raise IndexError(f"k={k} is beyond the last coordinate")

    def replace_coordinate(self, point: Point, k: int, value: float) -> Point | None:
        """`point` with free number `k` moved."""
        for place, (space, x) in enumerate(zip(self._cell_of(point), point, strict=True)):
            count = space.freedom()
            if k < count:
                moved = space.replace_coordinate(x, k, value)
                return None if moved is None else (*point[:place], moved, *point[place + 1 :])
            k -= count
        raise IndexError(f"k={k} is beyond the last coordinate")

    def bounds(self, k: int, point: Point | None = None) -> tuple[float, float]:
        """Between which numbers free number `k` may move."""
        for space in self._cell_of(point):
            count = space.freedom()
            if k < count:
                return space.bounds(k)
            k -= count
        raise IndexError(f"k={k} is beyond the last coordinate")


def _kinds(cell: tuple[Space, ...]) -> list[Iterator[Point]]:
    """Special points: layouts over all boxes at once, and special values of single arguments."""
    plain = [tuple(islice(turns(space.kinds()), _FILLERS)) for space in cell]
    places = [k for k, space in enumerate(cell) if isinstance(space, Box) and space.intervals]

    def fill_point(values: dict[int, Any], step: int) -> Point:
        return tuple(values.get(k, plain[k][step % len(plain[k])]) for k in range(len(cell)))

    def vary_boxes(vectors: Iterator[np.ndarray]) -> Iterator[Point]:
        for step, vector in enumerate(vectors):
            yield fill_point(_split(cell, places, vector), step)

    def vary_one(place: int, values: Iterator[Any]) -> Iterator[Point]:
        for step, value in enumerate(values):
            yield fill_point({place: value}, step)

    intervals = tuple(interval for k in places for interval in _box(cell[k]).intervals)
    streams = [vary_boxes(vectors) for vectors in (patterns(Entries(intervals)) if places else [])]
    for place, space in enumerate(cell):
        own = space.matrix_kinds() if isinstance(space, Box) else space.kinds()
        streams += [vary_one(place, values) for values in own]
    return streams or [iter([fill_point({}, 0)])]


def _box(space: Space) -> Box:
    assert isinstance(space, Box)
    return space


def _split(cell: tuple[Space, ...], places: list[int], vector: np.ndarray) -> dict[int, Any]:
    """The arguments at `places` whose entries, one after the other, are `vector`."""
    ends = np.cumsum([len(_box(cell[k]).intervals) for k in places])[:-1]
    parts = np.split(vector, ends)
    return {k: _box(cell[k]).value(part) for k, part in zip(places, parts, strict=True)}


def _moved_together(cell: tuple[Space, ...], point: Point) -> Iterator[Point]:
    """Entries of several boxes moved at once, so that what is equal stays equal."""
    places = [k for k, space in enumerate(cell) if isinstance(space, Box) and space.intervals]
    if len(places) < 2:
        return
    intervals = [interval for k in places for interval in _box(cell[k]).intervals]
    flat = concatenate_entries([point[k] for k in places])
    for vector in shrunk(flat, intervals):
        parts = _split(cell, places, vector)
        yield tuple(parts.get(k, x) for k, x in enumerate(point))


def key_of(point: Point) -> Any:
    """A point as something to look it up by: to the bit, with its shapes."""
    return tuple((np.shape(x), np.asarray(x).tobytes()) for x in point)


def measure(point: Point) -> tuple[int, ...]:
    """How far from simple a point is: natural numbers, compared in their order.

    Such an order has no endless descent, so simplifying step by step comes to an end.
    """
    flat = [(np.asarray(x).dtype.name, np.ravel(x).astype(np.float64).tolist()) for x in point]
    costs = [cost(entry, dtype) for dtype, entries in flat for entry in entries]
    kind, digits, exponent, mantissa, sign = map(
        sum, zip(*costs, strict=True) if costs else [()] * 5
    )
    axes = sum(map(np.ndim, point))
    extent = sum(sum(np.shape(x)) for x in point)
    return len(costs), axes, extent, kind, digits, len(set(costs)), exponent, mantissa, sign
