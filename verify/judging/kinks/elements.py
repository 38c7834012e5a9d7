"""The kink of an elementwise operation at one element: what a row writes its pieces with.

The pieces of ``abs`` are ``lambda kink, x: kink.ordered(x, 0, above=x, below=-x)``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from symtape.graph.graph import Node
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
