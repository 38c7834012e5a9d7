"""Values of a program as Arb balls, at any precision.

Each template is compiled once to a Python function over balls; a program is then run in a loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
import sympy as sp
from flint import arb, fmpq

from symtape.errors import Unsupported
from symtape.precision import precision
from symtape.symbolic.arb_functions import CONSTANTS, FUNCTIONS, exact, integer_power, power, square
from symtape.symbolic.program import Program
from symtape.symbolic.template import (
    ADD,
    DIVIDE,
    MULTIPLY,
    NEGATE,
    STOP,
    SUBTRACT,
    Number,
    Template,
    placeholder,
)

__all__ = ["compiled", "enclose", "run"]

_COMPILED: Final[dict[Template, Callable[..., Any]]] = {
    ADD: operator.add,
    SUBTRACT: operator.sub,
    MULTIPLY: operator.mul,
    DIVIDE: operator.truediv,
    NEGATE: operator.neg,
    STOP: operator.pos,
}


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
    ids = np.asarray(ids, dtype=np.int64)
    flat = [float(x) for part in inputs for x in np.ravel(part)]
    if len(flat) != len(program.inputs):
        raise ValueError(
            f"inputs hold {len(flat)} numbers, and the program has {len(program.inputs)} inputs"
        )
    result = np.empty(ids.size, dtype=object)
    with precision(bits):
        balls = run(program, ids.ravel().tolist(), flat)
        result[:] = [balls[at] for at in ids.ravel().tolist()]
    return result.reshape(ids.shape)


def run(program: Program, wanted: list[int], inputs: list[float]) -> list[Any]:
    """The ball of every statement that `wanted` need, at the precision in force."""
    balls: list[Any] = [None] * len(program)
    for at, x in zip(program.inputs, inputs, strict=True):
        balls[at] = arb(x)
    templates, arguments, constants = program.templates, program.arguments, program.constants
    for at in program.needed(wanted):
        template = templates[at]
        if template is not None:
            balls[at] = compiled(template)(*[balls[a] for a in arguments[at]])
        elif at in constants:
            balls[at] = _constant(constants[at])
    return balls


def _constant(value: Number) -> Any:
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


def compiled(template: Template) -> Callable[..., Any]:
    """The function over balls that `template` is."""
    return _COMPILED.get(template) or _compile(template)


def _compile(template: Template) -> Callable[..., Any]:
    """The function, from its source in Python."""
    names: dict[str, Any] = {"arb": arb, "square": square, "power": power}
    names["int_power"] = integer_power
    body = _Source(names).of(template.expression)
    arguments = ", ".join(f"a{k}" for k in range(template.arity))
    function: Callable[..., Any] = eval(f"lambda {arguments}: {body}", names)
    _COMPILED[template] = function
    return function


class _Source:
    """Writes SymPy expressions over placeholders as Python over balls."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names

    def of(self, e: Any) -> str:
        if e.is_Symbol:
            return next(f"a{k}" for k in range(99) if placeholder(k) is e)
        if e.is_Rational:
            return f"arb({self._number(e)})"
        if e in CONSTANTS:
            return f"{self._named(CONSTANTS[e])}()"
        if e.is_Add:
            return "(" + " + ".join(self._operand(term) for term in e.args) + ")"
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            return self._power(*e.args)
        if isinstance(e, sp.hyper):
            upper, lower = (", ".join(map(self.of, p)) for p in (e.ap, e.bq))
            return f"{self.of(e.argument)}.hypgeom([{upper}], [{lower}])"
        return self._function(e)

    def _function(self, e: Any) -> str:
        reading = next((FUNCTIONS[c] for c in type(e).__mro__ if c in FUNCTIONS), None)
        if reading is None:
            raise Unsupported(f"no reading on balls of the function {type(e).__name__}, in {e}")
        return f"{self._named(reading)}({', '.join(map(self.of, e.args))})"

    def _product(self, e: Any) -> str:
        above, below = [], []
        for factor in e.args:
            if factor.is_Pow and factor.exp.is_Rational and factor.exp < 0:
                below.append(self._power(factor.base, -factor.exp))
            else:
                above.append(self._operand(factor))
        numerator = " * ".join(above) or "arb(1)"
        return f"({numerator} / ({' * '.join(below)}))" if below else f"({numerator})"

    def _power(self, base: Any, exponent: Any) -> str:
        x = self.of(base)
        if exponent == 1:
            return x
        if exponent == 2:
            return f"square({x})"
        if exponent.is_Integer:
            return f"int_power({x}, {int(exponent)})"
        if abs(exponent) == sp.S.Half:
            return f"{x}.{'sqrt' if exponent > 0 else 'rsqrt'}()"
        return f"power({x}, {self.of(exponent)})"

    def _operand(self, e: Any) -> str:
        return self._number(e) if e.is_Rational else self.of(e)

    def _number(self, e: Any) -> str:
        return f"({int(e.p)})" if e.is_Integer else self._named(exact(e))

    def _named(self, value: Any) -> str:
        name = f"k{len(self._names)}"
        self._names[name] = value
        return name
