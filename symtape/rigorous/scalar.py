"""What a ball is made of: exact conversion, hulls, endpoints, and lifting to arrays.

A ball is a ``flint.arb``. One that is not finite (nan, or of infinite radius) means that
nothing is known: the value may be any number, an infinity or nan.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from flint import arb, fmpq

Ball: TypeAlias = Any
"""A ``flint.arb``; the library has no types."""

UNKNOWN: Final[Ball] = arb("nan")
"""The ball of which nothing is known."""

_LARGEST_EXPONENT: Final = 5000


def to_ball(x: Any) -> Ball:
    """Convert a number exactly; a three-valued truth becomes 1, 0, or the hull of both.

    Raises
    ------
    TypeError
        `x` is no real number that a ball can hold exactly.

    Examples
    --------
    >>> import numpy as np
    >>> to_ball(np.float32(0.5))
    0.500000000000000
    """
    if type(x) is arb:
        return x
    if x is None:
        return arb(0).union(arb(1)).nonnegative_part()
    if isinstance(x, np.ndarray) and not x.ndim:
        return to_ball(x[()])
    if isinstance(x, bool | int | np.bool_ | np.integer):
        return arb(int(x))
    if isinstance(x, float | np.float32 | np.float16):
        return arb(float(x))
    if isinstance(x, Fraction):
        return arb(fmpq(x.numerator, x.denominator))
    if isinstance(x, fmpq):
        return arb(x)
    raise TypeError(
        f"{x!r} ({type(x).__name__}) has no ball: expected an int, a bool, a float16, float32 "
        "or float64, or an arb"
    )


def rational(x: Ball) -> Fraction | None:
    """The value of an exact, finite ball of moderate size; None for any other."""
    if not (x.is_exact() and x.is_finite()):
        return None
    mantissa, exponent = (int(part) for part in x.man_exp())
    if abs(exponent) > _LARGEST_EXPONENT:
        return None
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def list_entries(meaning: Any) -> list[Any]:
    """The entries of what a node means: of an array of balls, or of one ball or truth value."""
    if type(meaning) is arb:
        return [meaning]
    found: list[Any] = np.asarray(meaning, dtype=object).ravel().tolist()
    return found


def hull(*balls: Ball) -> Ball:
    """The least ball around all of `balls`, up to rounding."""
    return functools.reduce(lambda a, b: a.union(b), balls)


def enclose_interval(lower: Ball, upper: Ball) -> Ball:
    """The ball around ``[lower, upper]``, not crossing zero where these do not.

    Rounding the radius upwards would otherwise take ``[0, 1]`` a little below zero, and out of
    the domain of the square root.
    """
    ball = lower.union(upper)
    if lower >= 0:
        return ball.nonnegative_part()
    if upper <= 0:
        return -((-ball).nonnegative_part())
    return ball


def nonnegative(x: Ball) -> Ball:
    """The part of a ball of which it is known that its value is not negative."""
    return x if x >= 0 or x.is_nan() else x.nonnegative_part()


def is_narrow(x: Ball) -> bool:
    """Whether the radius is small beside 1 or the midpoint, so that slopes describe all."""
    return bool(x.rel_one_accuracy_bits() > 9)


def unary(function: Callable[[Ball], Ball]) -> Callable[[Any], Any]:
    """Let a function of a ball take any real number, and object arrays by element."""

    @functools.wraps(function)
    def call(x: Any) -> Any:
        if type(x) is arb:
            return function(x)
        if isinstance(x, np.ndarray) and x.ndim:
            return np.frompyfunc(call, 1, 1)(x)
        return function(to_ball(x))

    return call


def binary(function: Callable[[Ball, Ball], Ball]) -> Callable[[Any, Any], Any]:
    """As :func:`unary`, for two arguments, which are broadcast."""

    @functools.wraps(function)
    def call(x: Any, y: Any) -> Any:
        if type(x) is arb and type(y) is arb:
            return function(x, y)
        if any(isinstance(arg, np.ndarray) and arg.ndim for arg in (x, y)):
            return np.frompyfunc(call, 2, 1)(x, y)
        return function(to_ball(x), to_ball(y))

    return call


def apply_increasing(function: Callable[[Ball], Ball], x: Ball) -> Ball:
    """An increasing `function` of a wide ball, from its ends."""
    return enclose_interval(function(x.lower()), function(x.upper()))


def apply_decreasing(function: Callable[[Ball], Ball], x: Ball) -> Ball:
    """A decreasing `function` of a wide ball, from its ends."""
    return enclose_interval(function(x.upper()), function(x.lower()))
