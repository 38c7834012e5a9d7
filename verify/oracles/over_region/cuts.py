"""Cuts of a box exactly where a choice turns, such as at x = 1 for ``x < 1``.

Each of the two programs, function and claim, takes the path of one side at least on the face of a
cut. A part of the region is therefore one box for each program, with or without its faces: the
boxes of each program cover the region, and those of one part have the same inside. So a claim that
is the derivative on its box is, on the face, the derivative of a piece that ends there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Graph
from symtape.process.work import charge
from symtape.symbolic.interval import Interval
from verify.oracles.over_region.choices import choices_at

Programs = tuple[Graph, Graph]

_MOST_SIDES: Final = 4
"""Sides of a box that are looked at for a cut."""

_OTHER_LINE: Final = 0.3125
"""Where another line crosses the other sides, as a share of them."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a box is cut.

    Attributes
    ----------
    side : int
    place : float
    taken : bool array of shape (2, 2)
        Whether on the face function and claim take the path below, and that above.
    """

    side: int
    place: float
    taken: Any


@dataclass(frozen=True, slots=True)
class Faces:
    """The ends of a box that are cuts.

    Attributes
    ----------
    cut : bool array of shape (2, n)
        Whether the lower and the upper ends are.
    without : bool array of shape (2, 2, n)
        Whether function and claim take another path there.
    """

    cut: Any
    without: Any

    @classmethod
    def none(cls, size: int) -> Faces:
        """Of a box that is not cut."""
        return cls(np.zeros((2, size), dtype=bool), np.zeros((2, 2, size), dtype=bool))

    def divide(self, side: int, taken: Any = None) -> tuple[Faces, Faces]:
        """Those of two parts, below and above a cut, or two halves where nothing turns."""
        below, above = (Faces(self.cut.copy(), self.without.copy()) for _ in range(2))
        for end, faces in ((1, below), (0, above)):
            faces.cut[end, side] = taken is not None
            faces.without[:, end, side] = False if taken is None else ~taken[:, 1 - end]
        return below, above

    def intervals(self, bounds: Sequence[tuple[float, float]], program: int) -> list[Interval]:
        """The numbers of a box at which a program takes its path."""
        return [
            Interval(arb(low), arb(high), *map(bool, self.without[program, :, k]))
            for k, (low, high) in enumerate(bounds)
        ]

    def hold(self, lower: Any, upper: Any, numbers: Any) -> bool:
        """Whether the claim takes its path at numbers of the box."""
        low, high = self.without[1]
        return not np.any(low & (numbers == lower) | high & (numbers == upper))


class Cutter:
    """Looks for cuts.

    Nothing depends on their being the right ones: what is chosen is proved of each part.

    Parameters
    ----------
    lower, upper : arrays
        The ends of the region.
    programs_at : callable
        Function and claim as they are recorded at a point.
    arrays : callable
        The arguments that numbers are.
    """

    def __init__(
        self,
        lower: Any,
        upper: Any,
        programs_at: Callable[[Any], Programs],
        arrays: Callable[[Any], tuple[Any, ...]],
    ) -> None:
        self._ends = lower, upper
        self._programs_at, self._arrays = programs_at, arrays

    def find(
        self, lower: Any, upper: Any, inner: Any, faces: Faces, sides: Sequence[int]
    ) -> Cut | None:
        """A cut of a box where the path of function or claim turns; None if none is found.

        It may be at an end of the region, where points beside it have another path, but for ends
        at which the box was cut.

        Parameters
        ----------
        lower, upper, inner : arrays
            The ends of the box, and a point in it.
        faces : Faces
            Of the box.
        sides : sequence of int
            That may be cut.
        """
        for side in sides[:_MOST_SIDES]:
            through = [inner, lower + (upper - lower) * _OTHER_LINE][: lower.size]
            lines = [_Line(each, side, self._programs_at, self._arrays) for each in through]
            inside = itertools.pairwise((lower[side], inner[side], upper[side]))
            ends = [
                end[side]
                for end, outermost, cut in zip((lower, upper), self._ends, faces.cut, strict=True)
                if end[side] == outermost[side] and not cut[side]
            ]
            turns = itertools.starmap(lines[0].find_turn, inside)
            for place in itertools.chain(turns, ends):
                taken = None if place is None else lines[0].look_at(place)
                if taken is not None and all(
                    np.array_equal(taken, line.look_at(place)) for line in lines[1:]
                ):
                    return Cut(side, place, taken)
        return None


class _Path:
    """What function and claim choose at a point."""

    def __init__(self, programs: Programs, x: tuple[Any, ...]) -> None:
        self._programs = programs
        self._chosen = [choices_at(graph, graph.values(*x)) for graph in programs]

    def taken_at(self, x: tuple[Any, ...]) -> list[bool]:
        """Whether each program takes its path at another point."""
        charge(sum(graph.elements for graph in self._programs))
        return [
            (values := graph.values_on_path(*x)) is not None and choices_at(graph, values) == chosen
            for graph, chosen in zip(self._programs, self._chosen, strict=True)
        ]


class _Line:
    """A line across a box, along one side."""

    def __init__(
        self,
        through: Any,
        side: int,
        programs_at: Callable[[Any], Programs],
        arrays: Callable[[Any], tuple[Any, ...]],
    ) -> None:
        self._through, self._side = through, side
        self._programs_at, self._arrays = programs_at, arrays

    def _point(self, place: float) -> tuple[Any, ...]:
        numbers = self._through.copy()
        numbers[self._side] = place
        return self._arrays(numbers.tolist())

    def _path_at(self, place: float) -> _Path:
        x = self._point(place)
        return _Path(self._programs_at(x), x)

    def find_turn(self, low: float, high: float) -> float | None:
        """The simplest float between two beside which paths differ; None if they take one."""
        low, high = math.nextafter(low, high), math.nextafter(high, low)
        path = self._path_at(low)
        if all(path.taken_at(self._point(high))):
            return None
        place = None
        while math.nextafter(low, high) < high:
            simplest = _simplest_float(low, high)
            if simplest != place and low < simplest < high:
                place = simplest
                if self.look_at(place) is not None:
                    return place
            middle = low + (high - low) / 2
            if all(path.taken_at(self._point(middle))):
                low = middle
            else:
                high = middle
        return min(low, high, key=lambda number: len(repr(number)))

    def look_at(self, place: float) -> Any:
        """Whether each program takes the path below and that above at `place`.

        None if no path turns there, or one has a path of its own there.
        """
        below, above = (math.nextafter(place, end) for end in (-math.inf, math.inf))
        paths = self._path_at(below), self._path_at(above)
        if all(paths[0].taken_at(self._point(above))):
            return None
        taken = np.array([path.taken_at(self._point(place)) for path in paths]).T
        return taken if np.all(np.any(taken, axis=1)) else None


def _simplest_float(low: float, high: float) -> float:
    """The float between two numbers, one of them included, that has the shortest decimal."""
    return next(
        number for number in _decimals(low, high) if low <= number <= high or number == high
    )


def _decimals(low: float, high: float) -> Iterator[float]:
    """Decimals near the lower of two numbers, of more and more digits; the upper one is last."""
    if low <= 0 <= high:
        yield 0.0
    first = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for digits in range(first, first - 18, -1):
        yield float(f"{math.ceil(low / 10.0**digits)}e{digits}")
    yield high
