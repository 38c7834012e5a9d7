"""The kink of an operation, at one element or on rows: what a row writes its pieces with.

The pieces of ``abs`` are ``lambda kink, x: kink.ordered(x, 0, above=x, below=-x)``.

The kinks of an operation that reduces or orders rows: what its row writes its pieces with. The
pieces of ``np.max`` are ``lambda kink, axis, keepdims: kink.largest(axis)``.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.extrema import merge_reduced_axes
from symtape.symbolic.program import ZERO, Program
from symtape.symbolic.shadow import Shadow
from verify.judging.kinks.alternatives import (
    Alternative,
    Choice,
    Sides,
    Statement,
    enclosing_planes,
    gap_of,
    line,
)


class Formula:
    """A formula in the operands of an element; ``+``, ``-`` and ``*`` make others of it."""

    def __init__(self, statement: Statement) -> None:
        self.statement: Final = statement

    def __add__(self, other: Formula | float) -> Formula:
        return _combine_formulas(Program.add, self, other)

    def __radd__(self, other: float) -> Formula:
        return _combine_formulas(Program.add, other, self)

    def __sub__(self, other: Formula | float) -> Formula:
        return _combine_formulas(Program.subtract, self, other)

    def __rsub__(self, other: float) -> Formula:
        return _combine_formulas(Program.subtract, other, self)

    def __mul__(self, other: Formula | float) -> Formula:
        return _combine_formulas(Program.multiply, self, other)

    def __rmul__(self, other: float) -> Formula:
        return _combine_formulas(Program.multiply, other, self)

    def __neg__(self) -> Formula:
        own = self.statement
        return Formula(lambda program, at, given: program.negate(own(program, at, given)))


def _combine_formulas(
    operation: Callable[[Program, int, int], int], a: Formula | float, b: Formula | float
) -> Formula:
    first, second = (x.statement if isinstance(x, Formula) else _constant(float(x)) for x in (a, b))
    return Formula(
        lambda program, at, given: operation(
            program, first(program, at, given), second(program, at, given)
        )
    )


def _constant(value: float) -> Statement:
    return lambda program, at, given: program.constant(value)


class Operand(Formula):
    """One of the numbers that the operation is given.

    Attributes
    ----------
    place : int
        Where it is among the elements of all inputs.
    value : float
    """

    def __init__(self, place: int, value: float, id_: Callable[[], int]) -> None:
        super().__init__(lambda program, at, given: given[place])
        self.place: Final = place
        self.value: Final = value
        self.id: Final = id_


class Element:
    """One element of an elementwise node."""

    def __init__(self, form: Shadow, at: int, flat: int) -> None:
        self.node: Node = form.graph.nodes[at]
        self.at, self.flat, self.form = at, flat, form
        self.operands: list[Operand] = []
        start = 0
        for i in self.node.inputs:
            shape = form.graph.nodes[i].shape
            places = np.arange(math.prod(shape)).reshape(shape)
            index = int(np.broadcast_to(places, self.node.shape).ravel()[flat])
            value = float(np.ravel(form.values[i])[index])
            self.operands.append(
                Operand(start + index, value, functools.partial(form.statement, i, index))
            )
            start += math.prod(shape)

    @property
    def places(self) -> list[int]:
        """Where its operands are among the elements of all inputs."""
        return [operand.place for operand in self.operands]

    def ordered(self, a: Operand, b: Operand | int, above: Formula, below: Formula) -> Choice:
        """One formula where `a` is above `b`, which may be 0, and another where it is below."""
        first, second = a.id(), b.id() if isinstance(b, Operand) else ZERO
        if first == second:
            return self._choice()
        gap, sign = gap_of(self.form.program, first, second)
        return self._choice(
            self._meaning(above.statement, ((gap, sign),)),
            self._meaning(below.statement, ((gap, -sign),)),
        )

    def stepped(self, x: Operand, values: Mapping[int, float]) -> Choice:
        """A step where `x` is 0: the value below (-1), at (0) and above (1) it."""
        gap, sign = gap_of(self.form.program, x.id(), ZERO)
        return self._choice(
            *[
                self._constant_alternative(value, ((gap, sign * side),))
                for side, value in values.items()
            ]
        )

    def choose_value(self, *values: float) -> Choice:
        """A step that has one value or another beside the point."""
        return self._choice(*[self._constant_alternative(value) for value in values])

    def flat_in(self, x: Operand, *, bent: bool) -> Choice:
        """The value 0 and the slope 0 in `x`; without a finite second derivative if `bent`."""
        return self._choice(self._meaning(line(x.place, 0.0, 0.0)), edge=True, bent=bent)

    def vertical(
        self, x: Operand, sign: int, value: float | Formula | None = None, *, edge: bool = True
    ) -> Choice:
        """A vertical tangent in `x`, as two lines through the point, one of them level.

        Parameters
        ----------
        x : Operand
        sign : int
            Of the infinite slope.
        value : float or Formula, optional
            At the point; by default what floats compute.
        edge : bool
            Whether the operation is defined on one side only.
        """
        base = value.statement if isinstance(value, Formula) else value
        return self._choice(
            self._meaning(line(x.place, 0.0, base)),
            self._meaning(line(x.place, float(sign), base), vertical=True),
            edge=edge,
        )

    def cone(self, *operands: Operand) -> Choice:
        """The tip of a cone: every slope of length 1 or less."""
        planes = enclosing_planes([operand.place for operand in operands], 1.0)
        return self._choice(*[self._meaning(plane) for plane in planes], loose=True)

    def _choice(self, *alternatives: Alternative, **kinds: bool) -> Choice:
        return Choice(self.at, (self.flat,), list(alternatives), **kinds)

    def _meaning(
        self, statement: Statement, sides: Sides = (), *, vertical: bool = False
    ) -> Alternative:
        return Alternative(sides, {self.flat: statement}, vertical=vertical)

    def _constant_alternative(self, value: float, sides: Sides = ()) -> Alternative:
        """Another constant; also as a formula, if the operation is one to the shadow."""
        formula = {} if self.form.ids[self.at] is None else {self.flat: _constant(value)}
        return Alternative(sides, formula, {self.flat: value})


_MOST_TIED: Final = 4
"""Of more elements in one tie, the orders that a sort may put them in are not gone through."""


class Rows:
    """A node that reduces or orders rows of its first input."""

    def __init__(self, form: Shadow, at: int) -> None:
        self.node: Node = form.graph.nodes[at]
        self.at, self.form = at, form
        self.source = self.node.inputs[0]
        self.x: Any = np.asarray(form.values[self.source])

    def values(self, axis: Any) -> Any:
        """The numbers that a reduction along `axis` takes, a row for each output element."""
        return self.x.ravel()[self._reduction_positions(axis)]

    def largest(self, axis: Any) -> Iterator[Choice]:
        """The largest number along `axis`: of tied ones each."""
        return self._extreme(axis, np.max, 1)

    def smallest(self, axis: Any) -> Iterator[Choice]:
        """The smallest number along `axis`: of tied ones each."""
        return self._extreme(axis, np.min, -1)

    def _extreme(
        self, axis: Any, best: Callable[[Any], Any], sign: int, *, by_place: bool = False
    ) -> Iterator[Choice]:
        flat = self.x.ravel()
        for at, row in enumerate(self._reduction_positions(axis)):
            tied = row[flat[row] == best(flat[row])].tolist()
            tied = tied if by_place else self._distinct(tied)
            if len(tied) < 2:
                continue
            alternatives = [
                Alternative(self._order_sides(k, tied, sign), values={at: _place(row, k)})
                if by_place
                else Alternative(self._order_sides(k, tied, sign), {at: _take_operand(k)})
                for k in tied
            ]
            yield Choice(self.at, (at,), alternatives)

    def place_of_largest(self, axis: int | None) -> Iterator[Choice]:
        """The place of the largest number along `axis`: of tied ones each."""
        return self._extreme(_axes(axis), np.max, 1, by_place=True)

    def place_of_smallest(self, axis: int | None) -> Iterator[Choice]:
        """The place of the smallest number along `axis`: of tied ones each."""
        return self._extreme(_axes(axis), np.min, -1, by_place=True)

    def sorted(self, axis: int) -> Iterator[Choice] | None:
        """The numbers in order: those in a tie in each; None if they are many."""
        return self._orders(axis, by_place=False)

    def places_sorted(self, axis: int) -> Iterator[Choice] | None:
        """The places of the numbers in order: those in a tie in each; None if they are many."""
        return self._orders(axis, by_place=True)

    def _orders(self, axis: int, *, by_place: bool) -> Iterator[Choice] | None:
        found = list(self._ties(axis))
        if any(len(places) > _MOST_TIED for _, _, places in found):
            return None
        return (
            Choice(
                self.at,
                (int(row[0]), *places) if by_place else tuple(places),
                [
                    self._order_alternative(row, places, picks, by_place)
                    for picks in itertools.permutations(order[places].tolist())
                ],
            )
            for row, order, places in found
        )

    def _order_alternative(
        self, row: Any, places: Sequence[int], picks: Sequence[int], by_place: bool
    ) -> Alternative:
        pairs = [(int(row[k]), i) for k, i in zip(places, picks, strict=True)]
        sides = self._sides(picks)
        if by_place:
            return Alternative(sides, values={at: _place(row, i) for at, i in pairs})
        return Alternative(sides, {at: _take_operand(i) for at, i in pairs})

    def _ties(self, axis: int) -> Iterator[tuple[Any, Any, list[int]]]:
        """Rows of positions, in which order they come, and where in that order a tie is."""
        flat = self.x.ravel()
        for row in self._axis_positions(axis):
            order = row[np.argsort(flat[row], kind="stable")]
            for _, group in itertools.groupby(range(len(order)), key=lambda k: flat[order[k]]):
                places = list(group)
                if len(places) > 1:
                    yield row, order, places

    def insertion_choices(self) -> Iterator[Choice] | None:
        """The place of numbers among sorted ones: before or after those that they are equal to.

        None where several of these are equal by chance, so that there are places between them.
        """
        given: Any = np.asarray(self.form.values[self.node.inputs[1]]).ravel()
        found = []
        for at, number in enumerate(given.tolist()):
            equal = np.flatnonzero(self.x == number).tolist()
            if not equal:
                continue
            if len(self._distinct(equal)) > 1:
                return None
            own = self.form.statement(self.node.inputs[1], at)
            knot = self.form.statement(self.source, equal[0])
            if own == knot:
                continue
            gap, sign = gap_of(self.form.program, own, knot)
            places = {-sign: equal[0], sign: equal[-1] + 1}
            alternatives = [
                Alternative(((gap, side),), values={at: place}) for side, place in places.items()
            ]
            found.append(Choice(self.at, (at,), alternatives))
        return iter(found)

    def cone(self, axis: Any, radius: float = 1.0, *, equal: bool = False) -> Iterator[Choice]:
        """Tips of cones: every slope of length `radius` or less.

        Parameters
        ----------
        axis
        radius : float
        equal : bool
            The tip is where all numbers along `axis` are equal; by default where they are 0.
        """
        pairs = zip(self._reduction_positions(axis), self.values(axis), strict=True)
        for at, (row, values) in enumerate(pairs):
            off = np.ptp(values) if equal else np.any(values)
            if not off:
                planes = enclosing_planes(row.tolist(), radius)
                alternatives = [Alternative(statements={at: plane}) for plane in planes]
                yield Choice(self.at, (at,), alternatives, loose=True)

    def _reduction_positions(self, axis: Any) -> Any:
        """Flat positions into the input, a row for each output element."""
        places = np.arange(self.x.size).reshape(self.x.shape)
        return merge_reduced_axes(places, axis).reshape(
            -1, merge_reduced_axes(places, axis).shape[-1]
        )

    def _axis_positions(self, axis: int) -> Any:
        """The same of the output of an operation along one axis."""
        places = np.arange(self.x.size).reshape(self.x.shape)
        moved = np.moveaxis(places, axis, -1)
        return moved.reshape(-1, moved.shape[-1])

    def _sides(self, order: Sequence[int], sign: int = -1) -> Sides:
        """That each of some elements is smaller (or larger) than the one after it in `order`."""
        found = []
        for i, j in itertools.pairwise(order):
            a, b = (self.form.statement(self.source, k) for k in (i, j))
            if a != b:
                gap, turned = gap_of(self.form.program, a, b)
                found.append((gap, sign * turned))
        return tuple(found)

    def _order_sides(self, pick: int, others: Sequence[int], sign: int) -> Sides:
        """That one element is larger (or smaller) than others."""
        return tuple(side for k in others if k != pick for side in self._sides((pick, k), sign))

    def _distinct(self, places: Sequence[int]) -> list[int]:
        """Of some elements, one for each statement."""
        by_statement = {self.form.statement(self.source, k): k for k in reversed(places)}
        return list(by_statement.values())[::-1]


def _axes(axis: int | None) -> tuple[int, ...] | None:
    return axis if axis is None else (axis,)


def _place(row: Any, position: int) -> int:
    """Where in a row of positions one is."""
    return int(np.flatnonzero(row == position)[0])


def _take_operand(place: int) -> Statement:
    return lambda program, own, given: given[place]
