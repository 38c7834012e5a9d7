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

from typing import Any, Final

import numpy as np

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


class Extended:
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

    def __add__(self, other: Extended) -> Extended:
        value = self.value + other.value
        return Extended(value, self.error + other.error + _UNIT * np.abs(value))

    def __sub__(self, other: Extended) -> Extended:
        value = self.value - other.value
        return Extended(value, self.error + other.error + _UNIT * np.abs(value))

    def __mul__(self, other: Extended) -> Extended:
        value = self.value * other.value
        error = np.abs(self.value) * other.error + self.error * (np.abs(other.value) + other.error)
        return Extended(value, error + _UNIT * np.abs(value))

    def __truediv__(self, other: Extended) -> Extended:
        value = self.value / other.value
        room = np.abs(other.value) - other.error
        error = (self.error + np.abs(value) * other.error) / room
        return _sure(value, error + _UNIT * np.abs(value), room > 0)

    def __neg__(self) -> Extended:
        return Extended(-self.value, self.error)

    def __pos__(self) -> Extended:
        return self

    def sqrt(self) -> Extended:
        """The square root."""
        value = np.sqrt(self.value)
        small = self._slight()
        return _sure(value, self.error / value + _UNIT * value, small & (self.value > 0))

    def rsqrt(self) -> Extended:
        """One over the square root."""
        return constant(1) / self.sqrt()

    def exp(self) -> Extended:
        """The exponential function."""
        value = np.exp(self.value)
        return self._by(value, value, self.error < _SLIGHT)

    def log(self) -> Extended:
        """The natural logarithm."""
        return self._by(np.log(self.value), 1 / self.value, self._slight() & (self.value > 0))

    def sin(self) -> Extended:
        """The sine."""
        return self._by(np.sin(self.value), np.longdouble(1), self.error < _SLIGHT)

    def cos(self) -> Extended:
        """The cosine."""
        return self._by(np.cos(self.value), np.longdouble(1), self.error < _SLIGHT)

    def tan(self) -> Extended:
        """The tangent."""
        value = np.tan(self.value)
        slope = 1 + value * value
        return self._by(value, slope, self.error * slope < _SLIGHT)

    def sinh(self) -> Extended:
        """The hyperbolic sine."""
        value = np.sinh(self.value)
        return self._by(value, 1 + np.abs(value), self.error < _SLIGHT)

    def cosh(self) -> Extended:
        """The hyperbolic cosine."""
        value = np.cosh(self.value)
        return self._by(value, value, self.error < _SLIGHT)

    def tanh(self) -> Extended:
        """The hyperbolic tangent."""
        return self._by(np.tanh(self.value), np.longdouble(1), self.error < _SLIGHT)

    def atan(self) -> Extended:
        """The inverse of the tangent."""
        return self._by(np.arctan(self.value), np.longdouble(1), self.error < _SLIGHT)

    def asinh(self) -> Extended:
        """The inverse of the hyperbolic sine."""
        return self._by(np.arcsinh(self.value), np.longdouble(1), self.error < _SLIGHT)

    def asin(self) -> Extended:
        """The inverse of the sine."""
        room = (1 - self.value) * (1 + self.value)
        return self._by(np.arcsin(self.value), 1 / np.sqrt(room), self.error < _SLIGHT * room)

    def acos(self) -> Extended:
        """The inverse of the cosine."""
        room = (1 - self.value) * (1 + self.value)
        return self._by(np.arccos(self.value), 1 / np.sqrt(room), self.error < _SLIGHT * room)

    def acosh(self) -> Extended:
        """The inverse of the hyperbolic cosine."""
        room = (self.value - 1) * (self.value + 1)
        return self._by(np.arccosh(self.value), 1 / np.sqrt(room), self.error < _SLIGHT * room)

    def atanh(self) -> Extended:
        """The inverse of the hyperbolic tangent."""
        room = (1 - self.value) * (1 + self.value)
        return self._by(np.arctanh(self.value), 1 / room, self.error < _SLIGHT * room)

    def _slight(self) -> Any:
        return self.error < _SLIGHT * np.abs(self.value)

    def _by(self, value: Any, slope: Any, linear: Any) -> Extended:
        """A function of this: its value, a bound of its slope, and where that is one."""
        error = _MORE * np.abs(slope) * self.error + _LIBRARY * np.abs(value)
        return _sure(value, error, linear)


def _sure(value: Any, error: Any, where: Any) -> Extended:
    return Extended(value, np.where(where, error, np.inf))


def constant(numerator: int, denominator: int = 1) -> Extended:
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
        return Extended(np.longdouble("nan"), np.longdouble("inf"))
    exact = denominator & (denominator - 1) == 0 and numerator.bit_length() <= _DIGITS
    return Extended(value, np.longdouble(0) if exact else 4 * _UNIT * abs(value))


PI: Final = Extended(np.longdouble("3.14159265358979323846264338327950288"), 4 * _UNIT)


def power(x: Extended, exponent: Any) -> Extended:
    """``x**exponent``: a whole exponent by repeated multiplication, else of positive `x`."""
    if isinstance(exponent, Extended):
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
