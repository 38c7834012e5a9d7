"""Values of a program as Arb balls, at any precision.

Each template is compiled once to a Python function over balls; a program is then run in a loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from flint import arb, fmpq

from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.symbolic.arb_functions import BALLS
from symtape.symbolic.matrix_products import MatrixProduct, matrix_products
from symtape.symbolic.program import Program
from symtape.symbolic.template import Number

_MANY_CONSTANTS: Final = 64
"""Fewer make no matrix that is worth looking for."""

_Step: TypeAlias = tuple[int, Callable[..., Any], int, int]
"""A statement, its function, and its one or two arguments: -1 where there is none."""

_LARGE: Final = 2**1000
_DIGITS: Final = 53


def enclose(program: Program, ids: Any, inputs: Sequence[Any], bits: int = 300) -> Any:
    """Enclose the exact values of statements `ids` at `inputs`, which are taken as exact.

    Parameters
    ----------
    program : Program
    ids : int array
        Any shape.
    inputs : sequence of float arrays
        All the inputs of the program, in order, in any shapes.
    bits : int
        Working precision; no global precision is changed, and threads take turns.

    Returns
    -------
    object array of flint.arb
        In the shape of `ids`. A ball that is not finite: undefined there, or too little
        precision to tell.

    Raises
    ------
    Unsupported
        No ball reading of a function that occurs; names it.
    ValueError
        Too few or too many numbers in `inputs`.

    Examples
    --------
    >>> program = Program()
    >>> x = program.input()
    >>> third = program.divide(x, program.constant(3))
    >>> enclose(program, [third], [1.0], bits=200)[0].rel_accuracy_bits() > 190
    True
    """
    return Plan(program, [ids]).enclose(inputs, bits)[0]


class Plan:
    """What to do in which order for the values of some statements, at point after point.

    Parameters
    ----------
    program : Program
    parts : sequence of int arrays
        The statements wanted.

    Attributes
    ----------
    program : Program
    parts : list of int arrays
    order : list of int
        The statements that they depend on, themselves included, in order.
    last : list
        The ball of every statement when it was run last; None of one that is not needed, or
        is only inside of a matrix product.
    """

    def __init__(self, program: Program, parts: Sequence[Any]) -> None:
        self.program = program
        self.parts = [np.asarray(part, dtype=np.int64) for part in parts]
        self.order = program.list_needed(at for part in self.parts for at in part.ravel().tolist())
        self.last: list[Any] = []
        self._size = len(program)
        self._exact: list[tuple[int, Any]] = []
        self._rounded: list[tuple[int, Number]] = []
        self._stages: list[tuple[list[_Step], MatrixProduct | None]] = []
        self._write()

    def _write(self) -> None:
        """The steps, with their arguments in place: -1 where there is none."""
        charge(2 * len(self.order))
        program = self.program
        templates, arguments, constants = program.templates, program.arguments, program.constants
        for at in self.order:
            if at in constants:
                self._add_constant(at, constants[at])
        products = self._products()
        starting = {product.first: product for product in products}
        extra = {at: rest for product in products for at, rest in product.rows.items()}
        inside = set().union(*(product.inside for product in products))
        steps: list[_Step] = []
        for at in self.order:
            template, args = templates[at], arguments[at]
            if at in starting:
                self._stages.append((steps, starting[at]))
                steps = []
            if at in extra:
                steps += [(at, operator.add, at, term) for term in extra[at]]
            elif template is not None and at not in inside:
                first, second = (*args, -1, -1)[:2] if len(args) <= 2 else (-1, -1)
                steps.append((at, BALLS.function(template), first, second))
        self._stages.append((steps, None))

    def _products(self) -> list[MatrixProduct]:
        if len(self._exact) < _MANY_CONSTANTS:
            return []
        wanted = {at for part in self.parts for at in part.ravel().tolist()}
        return matrix_products(self.program, self.order, wanted, dict(self._exact))

    def _add_constant(self, at: int, value: Number) -> None:
        """Floats are the same ball at every precision; a third is not."""
        if not isinstance(value, Fraction):
            self._exact.append((at, arb(value)))
            return
        above, below = value.numerator, value.denominator
        if below & (below - 1) == 0 and above.bit_length() <= _DIGITS and below < _LARGE:
            self._exact.append((at, arb(above / below)))
        else:
            self._rounded.append((at, value))

    def enclose(self, inputs: Sequence[Any], bits: int) -> list[Any]:
        """Object arrays of the balls of each part; as :func:`enclose`."""
        flat = [x for part in inputs for x in np.ravel(part).tolist()]
        if len(flat) != len(self.program.inputs):
            raise ValueError(
                f"inputs hold {len(flat)} numbers, and the program has "
                f"{len(self.program.inputs)} inputs"
            )
        charge(20 + 0.4 * len(self.order) * max(1.0, bits / 300))
        with precision(bits):
            self.last = self.run(flat)
        return [_take_balls(self.last, part) for part in self.parts]

    def run(self, inputs: list[float]) -> list[Any]:
        """The ball of every statement needed, at the precision in force."""
        balls: list[Any] = [None] * self._size
        for at, x in zip(self.program.inputs, inputs, strict=True):
            balls[at] = arb(x)
        for at, ball in self._exact:
            balls[at] = ball
        for at, value in self._rounded:
            balls[at] = _constant(value)
        arguments = self.program.arguments
        for steps, product in self._stages:
            for at, function, a, b in steps:
                if b >= 0:
                    balls[at] = function(balls[a], balls[b])
                elif a >= 0:
                    balls[at] = function(balls[a])
                else:
                    balls[at] = function(*[balls[k] for k in arguments[at]])
            if product is not None:
                product.fill(balls)
        return balls


def _take_balls(balls: list[Any], ids: Any) -> Any:
    flat = [balls[at] for at in ids.ravel().tolist()]
    return np.fromiter(flat, dtype=object, count=ids.size).reshape(ids.shape)


def run(program: Program, wanted: list[int], inputs: list[float]) -> list[Any]:
    """The ball of every statement that `wanted` need, at the precision in force."""
    return Plan(program, [wanted]).run(inputs)


def _constant(value: Number) -> Any:
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)
