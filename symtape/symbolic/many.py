"""The values of a program at many points at once, as far as extended floats can tell."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.process.work import charge
from symtape.symbolic.arithmetic import Arithmetic
from symtape.symbolic.extended import AVAILABLE, PI, SMOOTH, ErrorBoundedNumbers, constant, power
from symtape.symbolic.program import Program
from symtape.symbolic.template import Number


class ManyPoints:
    """A program, ready to be run at many points at once.

    Parameters
    ----------
    program : Program
    order : sequence of int
        The statements to run, in order.

    Attributes
    ----------
    readable : bool
        Whether extended floats have a reading of every statement.
    """

    def __init__(self, program: Program, order: Sequence[int]) -> None:
        self._program = program
        self._order = order
        self._functions: list[tuple[int, Callable[..., ErrorBoundedNumbers], tuple[int, ...]]] = []
        self.readable = AVAILABLE and self._write()

    def _write(self) -> bool:
        for at in self._order:
            template = self._program.templates[at]
            if template is None:
                continue
            try:
                function = _EXTENDED.function(template)
            except Unsupported:
                return False
            self._functions.append((at, function, self._program.arguments[at]))
        return True

    def run(self, inputs: Any, wanted: Sequence[int]) -> tuple[Any, Any]:
        """The values of statements and bounds of their errors, at each point.

        Parameters
        ----------
        inputs : float array, points by inputs of the program
        wanted : sequence of int

        Returns
        -------
        tuple of long double arrays, points by `wanted`
            A bound that is not finite says that nothing is known there.

        Examples
        --------
        >>> program = Program()
        >>> x = program.input()
        >>> square = program.multiply(x, x)
        >>> many = ManyPoints(program, [x, square])
        >>> values, errors = many.run(np.array([[2.0], [3.0]]), [square])
        >>> values[:, 0].tolist() == [4, 9] if many.readable else True
        True
        """
        count = len(inputs)
        charge(len(self._order) * (4 + 0.02 * count))
        numbers: dict[int, ErrorBoundedNumbers] = {}
        zero = np.longdouble(0)
        for column, at in enumerate(self._program.inputs):
            numbers[at] = ErrorBoundedNumbers(inputs[:, column].astype(np.longdouble), zero)
        for at in self._order:
            if at in self._program.constants:
                numbers[at] = _constant(self._program.constants[at])
        with np.errstate(all="ignore"):
            for at, function, args in self._functions:
                numbers[at] = function(*[numbers[a] for a in args])
            columns = [numbers[at] for at in wanted]
            shape = (count, len(columns))
            values, errors = (np.zeros(shape, dtype=np.longdouble) for _ in range(2))
            for column, found in enumerate(columns):
                values[:, column], errors[:, column] = found.value, found.error
        return values, errors


def _constant(value: Number) -> ErrorBoundedNumbers:
    if isinstance(value, Fraction):
        return constant(value.numerator, value.denominator)
    return ErrorBoundedNumbers(np.longdouble(value), np.longdouble("inf"))


_EXTENDED: Final = Arithmetic(
    refusal="extended floats have no reading of {}",
    exact=lambda x: constant(x.numerator, x.denominator),
    number=lambda x: x,
    powers={
        "square": lambda x: power(x, 2),
        "int_power": power,
        "sqrt": ErrorBoundedNumbers.sqrt,
        "rsqrt": ErrorBoundedNumbers.rsqrt,
        "power": power,
    },
    functions={of: functools.partial(ErrorBoundedNumbers.apply, function=of) for of in SMOOTH},
    constants={"pi": lambda: PI},
    mixes=False,
)
