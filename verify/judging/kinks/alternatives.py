"""Alternatives: the problem at a kink, what its elements may be taken for, and active pieces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from symtape.graph.graph import Graph
from symtape.reading.record import record_readable
from symtape.symbolic.program import ZERO, Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.template import NEGATE, SUBTRACT

Gap: TypeAlias = tuple[int, int]
"""Two statements, the smaller first, whose difference is 0 at the point."""


Sides: TypeAlias = tuple[tuple[Gap, int], ...]
"""Gaps, each with the sign of its difference; 0 on the tie itself."""


Statement: TypeAlias = Callable[[Program, int, Sequence[int]], int]


_BOX: Final = 4
"""In more dimensions than this, a ball is put into a cross-polytope and not into a box."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One thing that some elements of a node may be taken for.

    Attributes
    ----------
    sides : Sides
        Where it holds.
    statements : dict
        By flat index, what the element means; see :func:`symtape.symbolic.walk.reread_shadow`.
    values : dict
        By flat index, the value of an element that is locally constant.
    vertical : bool
        Whether the element stands for one of infinite slope, by a line through the point.
    """

    sides: Sides = ()
    statements: dict[int, Statement] = field(default_factory=dict)
    values: dict[int, Any] = field(default_factory=dict)
    vertical: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """Elements of a node with several alternatives.

    Attributes
    ----------
    node : int
    key : tuple
        Which of the node's choices it is.
    alternatives : list of Alternative
    edge : bool
        Whether the operation is defined on one side only.
    loose : bool
        Whether the alternatives are no pieces of the function, but enclose its slopes.
    bent : bool
        Whether the operation has a derivative there, and no finite second one.
    """

    node: int
    key: tuple[int, ...]
    alternatives: list[Alternative]
    edge: bool = False
    loose: bool = False
    bent: bool = False


def gap_of(program: Program, a: int, b: int) -> tuple[Gap, int]:
    """The gap that ``a - b`` is, and the sign with which it is."""
    sign = 1
    while True:
        if b == ZERO and program.templates[a] is NEGATE:
            (a,), sign = program.arguments[a], -sign
        elif a == ZERO and b != ZERO:
            a, b, sign = b, a, -sign
        elif b == ZERO and program.templates[a] is SUBTRACT:
            a, b = program.arguments[a]
        else:
            break
    return ((a, b), sign) if a < b else ((b, a), -sign)


def line(place: int, slope: float, value: float | Statement | None = None) -> Statement:
    """The line of `slope` in the operand at `place`, through the point."""

    def base_of(program: Program, own: int, given: Sequence[int]) -> int:
        if value is None:
            return program.stop(own)
        return value(program, own, given) if callable(value) else program.constant(value)

    def meaning(program: Program, own: int, given: Sequence[int]) -> int:
        base = base_of(program, own, given)
        moved = program.subtract(given[place], program.stop(given[place]))
        return program.add(base, program.multiply(program.constant(slope), moved))

    return meaning


def enclosing_planes(places: Sequence[int], radius: float) -> Iterator[Statement]:
    """Planes whose slopes have every vector of length `radius` in their hull."""
    size = len(places)
    if size <= _BOX:
        vectors = [list(signs) for signs in itertools.product((radius, -radius), repeat=size)]
    else:
        reach = radius * math.sqrt(size) * (1 + 2.0**-40)
        vectors = [
            [sign * reach if k == which else 0.0 for k in range(size)]
            for which in range(size)
            for sign in (1, -1)
        ]
    for vector in vectors:
        yield _plane(places, vector)


def _plane(places: Sequence[int], slopes: Sequence[float]) -> Statement:
    def meaning(program: Program, own: int, given: Sequence[int]) -> int:
        total = program.constant(0)
        for place, slope in zip(places, slopes, strict=True):
            total = program.add(total, line(place, slope, 0.0)(program, own, given))
        return total

    return meaning


Key: TypeAlias = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Piece:
    """One reading.

    Attributes
    ----------
    form : Shadow
    ids : list of int arrays
        The statements of its derivative.
    sides : dict
        On which side of each gap it holds; 0 on the tie itself.
    real : bool
        Whether a neighbour of the point may follow it: no gap has two signs at once.
    vertical : frozenset
        Which elements of infinite slope are read as lines of slope 1, and not 0.
    family : tuple
        The same for pieces that differ in nothing else.
    group : int
        Which of several independent sums it belongs to: see the module `independent`.
    """

    form: Shadow
    ids: list[Any]
    sides: dict[Gap, int]
    real: bool
    vertical: frozenset[Key]
    family: tuple[Any, ...]
    group: int = 0


@dataclass(slots=True)
class ActivePieces:
    """All pieces at a point, or why they are not all.

    Attributes
    ----------
    pieces : list of Piece
    lost : str
        Why pieces are missing; empty if none are.
    edge, loose, vertical : bool
        Whether an operation is defined on one side only; whether pieces only enclose slopes;
        whether there are infinite slopes.
    crossings : list
        What other paths of the function begin at the point: the gap, the sign that takes them.
    """

    pieces: list[Piece] = field(default_factory=list)
    lost: str = ""
    edge: bool = False
    loose: bool = False
    vertical: bool = False
    crossings: list[tuple[Gap, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class State:
    """What has been chosen so far."""

    meant: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)
    values: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)
    done: frozenset[Key] = frozenset()
    sides: Mapping[Gap, int] = field(default_factory=dict)
    compared: Mapping[Gap, int] = field(default_factory=dict)
    real: bool = True
    vertical: frozenset[Key] = frozenset()
    family: tuple[Any, ...] = ()

    def choose_alternative(self, choice: Choice, which: int) -> State:
        """The state after one alternative of a choice is taken."""
        taken, key = choice.alternatives[which], (choice.node, choice.key)
        sides, real = _merge_sides(self.sides, taken)
        vertical = any(alternative.vertical for alternative in choice.alternatives)
        return replace(
            self,
            meant=_update_entry(self.meant, choice.node, taken.statements),
            values=_update_entry(self.values, choice.node, taken.values),
            done=self.done | {key},
            sides=sides,
            real=self.real and real,
            vertical=self.vertical | {key} if taken.vertical else self.vertical,
            family=self.family if vertical else (*self.family, (key, which)),
        )


def _merge_sides(sides: Mapping[Gap, int], taken: Alternative) -> tuple[dict[Gap, int], bool]:
    """The sides of both, and whether they go together; a tie goes with either side."""
    result, real = dict(sides), True
    for gap, sign in taken.sides:
        before = result.get(gap, 0)
        real = real and before * sign >= 0
        if gap not in result or sign == 0:
            result[gap] = sign
    return result, real


def _update_entry(
    table: Mapping[int, Mapping[int, Any]], node: int, more: Mapping[int, Any]
) -> Mapping[int, Mapping[int, Any]]:
    return {**table, node: {**table.get(node, {}), **more}} if more else table


_OPERATIONS: Final = 250_000
"""Most operations recorded of the function at a point nearby, where a loop may not end."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked there.

    Attributes
    ----------
    form : Shadow
        Of the graph of the function at `point`.
    point : sequence of arrays
    quantity : str
        ``gradient``, ``jacobian`` or ``hessian``.
    function : callable
    """

    form: Shadow
    point: Sequence[Any]
    quantity: str
    function: Callable[..., Any]

    @property
    def graph(self) -> Graph:
        """The function, recorded at the point."""
        return self.form.graph

    def record(self, near: Sequence[Any]) -> Graph:
        """What the function computes at a point nearby."""
        return record_readable(self.function, *near, budget=_OPERATIONS)

    @property
    def is_second(self) -> bool:
        """Whether second derivatives are asked for."""
        return self.quantity == "hessian"
