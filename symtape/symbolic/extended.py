"""Numbers at many points at once: extended floats, each with a bound of its error.

Arrays of NumPy's long double, where that has 64 bits, carry a running bound of what rounding and
the errors of what they were computed from may have cost. They say quickly what a straight-line
program comes to at thousands of points; where the bound is too wide, balls have to say it.

Source
------
Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. (2002), section 3.3, running
error analysis; the functions of the C library are taken to err by at most 4 units.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.errors import Unsupported
from symtape.process.work import charge
from symtape.symbolic.program import Program
from symtape.symbolic.template import Arithmetic, Number

AVAILABLE: Final = bool(np.finfo(np.longdouble).nmant >= 63)
"""Whether long doubles are any longer than doubles on this machine."""

_UNIT: Final = np.longdouble(2.0) ** -63
"""Twice the unit roundoff, so that the rounding of the bounds themselves is covered."""

_LIBRARY: Final = 4 * _UNIT

_DIGITS: Final = 53
"""Whole numbers of so many bits become long doubles without rounding, by way of doubles."""

_SLIGHT: Final = 2.0**-20
"""Relative errors up to which a function is taken for linear, with half as much again."""

_MORE: Final = np.longdouble(1.5)

_MOST_EXPONENT: Final = 1024


_Bound: TypeAlias = Callable[[Any, Any], Any]


class ErrorBoundedNumbers:
    """Numbers at many points, and bounds of their errors.

    Parameters
    ----------
    value, error : long double arrays of one shape
        An error that is not finite: nothing is known.
    """

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: Any) -> None:
        self.value = value
        self.error = error

    def __add__(self, other: ErrorBoundedNumbers) -> ErrorBoundedNumbers:
        value = self.value + other.value
        return ErrorBoundedNumbers(value, self.error + other.error + _UNIT * np.abs(value))

    def __sub__(self, other: ErrorBoundedNumbers) -> ErrorBoundedNumbers:
        value = self.value - other.value
        return ErrorBoundedNumbers(value, self.error + other.error + _UNIT * np.abs(value))

    def __mul__(self, other: ErrorBoundedNumbers) -> ErrorBoundedNumbers:
        value = self.value * other.value
        error = np.abs(self.value) * other.error + self.error * (np.abs(other.value) + other.error)
        return ErrorBoundedNumbers(value, error + _UNIT * np.abs(value))

    def __truediv__(self, other: ErrorBoundedNumbers) -> ErrorBoundedNumbers:
        value = self.value / other.value
        room = np.abs(other.value) - other.error
        error = (self.error + np.abs(value) * other.error) / room
        return _sure(value, error + _UNIT * np.abs(value), room > 0)

    def __neg__(self) -> ErrorBoundedNumbers:
        return ErrorBoundedNumbers(-self.value, self.error)

    def __pos__(self) -> ErrorBoundedNumbers:
        return self

    def sqrt(self) -> ErrorBoundedNumbers:
        """The square root."""
        value = np.sqrt(self.value)
        small = self.error < _SLIGHT * self.value
        return _sure(value, self.error / value + _UNIT * value, small)

    def rsqrt(self) -> ErrorBoundedNumbers:
        """One over the square root."""
        return constant(1) / self.sqrt()

    def exp(self) -> ErrorBoundedNumbers:
        """The exponential function."""
        return self.apply("exp")

    def log(self) -> ErrorBoundedNumbers:
        """The natural logarithm."""
        return self.apply("log")

    def apply(self, function: str) -> ErrorBoundedNumbers:
        """One of :data:`SMOOTH`."""
        evaluate, slope, room = SMOOTH[function]
        value = evaluate(self.value)
        steep = slope(self.value, value)
        error = _MORE * np.abs(steep) * self.error + _LIBRARY * np.abs(value)
        return _sure(value, error, self.error < _SLIGHT * room(self.value, value))


_ONE: Final = np.longdouble(1)


def _one(x: Any, y: Any) -> Any:
    return _ONE


def _one_minus_square(x: Any, y: Any) -> Any:
    return (1 - x) * (1 + x)


def _square_minus_one(x: Any, y: Any) -> Any:
    return (x - 1) * (x + 1)


SMOOTH: Final[Mapping[str, tuple[Callable[[Any], Any], _Bound, _Bound]]] = {
    "exp": (np.exp, lambda x, y: y, _one),
    "log": (np.log, lambda x, y: 1 / x, lambda x, y: x),
    "sin": (np.sin, _one, _one),
    "cos": (np.cos, _one, _one),
    "tan": (np.tan, lambda x, y: 1 + y * y, lambda x, y: 1 / (1 + y * y)),
    "sinh": (np.sinh, lambda x, y: 1 + np.abs(y), _one),
    "cosh": (np.cosh, lambda x, y: y, _one),
    "tanh": (np.tanh, _one, _one),
    "asin": (np.arcsin, lambda x, y: 1 / np.sqrt(_one_minus_square(x, y)), _one_minus_square),
    "acos": (np.arccos, lambda x, y: 1 / np.sqrt(_one_minus_square(x, y)), _one_minus_square),
    "atan": (np.arctan, _one, _one),
    "asinh": (np.arcsinh, _one, _one),
    "acosh": (np.arccosh, lambda x, y: 1 / np.sqrt(_square_minus_one(x, y)), _square_minus_one),
    "atanh": (np.arctanh, lambda x, y: 1 / _one_minus_square(x, y), _one_minus_square),
}
"""SymPy's functions: a bound of the slope at x with the value y, and the room there.

An error that is small beside the room changes the slope by no more than half.
"""


def _sure(value: Any, error: Any, where: Any) -> ErrorBoundedNumbers:
    return ErrorBoundedNumbers(value, np.where(where, error, np.inf))


def constant(numerator: int, denominator: int = 1) -> ErrorBoundedNumbers:
    """A fraction.

    Examples
    --------
    >>> third = constant(1, 3)
    >>> bool(abs(3 * third.value - 1) <= 3 * third.error)
    True
    """
    try:
        value = np.longdouble(numerator) / np.longdouble(denominator)
    except (OverflowError, ValueError):
        return ErrorBoundedNumbers(np.longdouble("nan"), np.longdouble("inf"))
    exact = denominator & (denominator - 1) == 0 and numerator.bit_length() <= _DIGITS
    return ErrorBoundedNumbers(value, np.longdouble(0) if exact else 4 * _UNIT * abs(value))


PI: Final = ErrorBoundedNumbers(np.longdouble("3.14159265358979323846264338327950288"), 4 * _UNIT)


def power(x: ErrorBoundedNumbers, exponent: Any) -> ErrorBoundedNumbers:
    """``x**exponent``: a whole exponent by repeated multiplication, else of positive `x`."""
    if isinstance(exponent, ErrorBoundedNumbers):
        return (exponent * x.log()).exp()
    if exponent < 0:
        return constant(1) / power(x, -exponent)
    if exponent > _MOST_EXPONENT:
        return (constant(exponent) * x.log()).exp()
    result, base = constant(1), x
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return result


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
