"""Step functions of balls, and what is built on them: sign, floor, remainder."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil as least_integer
from math import floor as greatest_integer
from math import trunc as towards_zero
from typing import Any

from flint import arb

from symtape.rigorous.elementary import absolute
from symtape.rigorous.scalar import (
    UNKNOWN,
    Ball,
    binary,
    enclose_interval,
    hull,
    rational,
    to_ball,
    unary,
)


@unary
def sign(x: Ball) -> Ball:
    """-1, 0 or 1, or the hull of those it may be."""
    return x.sgn() if x.is_finite() else UNKNOWN


def _step(exactly: Callable[[Fraction], int], meaning: str) -> Callable[[Any], Any]:
    """An increasing step function, from the ends of a ball."""

    def step(x: Ball) -> Ball:
        if not x.is_finite():
            return UNKNOWN
        values = [rational(end) for end in (x.lower(), x.upper())]
        if values[0] is None or values[1] is None:
            return hull(x, x - 1, x + 1)
        first, last = (exactly(value) for value in values if value is not None)
        return arb(first) if first == last else enclose_interval(arb(first), arb(last))

    step.__name__, step.__doc__ = exactly.__name__, meaning
    return unary(step)


floor = _step(greatest_integer, "The greatest integer not above.")
ceil = _step(least_integer, "The least integer not below.")
trunc = _step(towards_zero, "The integer part.")
rint = _step(round, "The nearest integer, of two the even one.")


@binary
def heaviside(x: Ball, h: Ball) -> Ball:
    """0 below zero, `h` at zero, 1 above."""
    if x > 0:
        return arb(1)
    if x < 0:
        return arb(0)
    if x.is_zero():
        return h
    if not x.is_finite():
        return UNKNOWN
    parts = [h] + ([] if x >= 0 else [arb(0)]) + ([] if x <= 0 else [arb(1)])
    return hull(*parts)


@binary
def copysign(x: Ball, y: Ball) -> Ball:
    """``|x|`` with the sign of `y`, of both signs where `y` may be 0.0 or -0.0."""
    size = absolute(x)
    if y > 0:
        return size
    return -size if y < 0 else hull(size, -size)


@unary
def signbit(x: Ball) -> bool | None:
    """Whether the sign is minus; None where `x` may be 0.0 or -0.0."""
    return True if x < 0 else False if x > 0 else None


@binary
def floor_divide(x: Ball, y: Ball) -> Ball:
    """``floor(x / y)``, unknown where `y` may be zero."""
    exact = _exact_pair(x, y)
    if exact is not None:
        return arb(exact[0] // exact[1])
    return floor(x / y)


@binary
def remainder(x: Ball, y: Ball) -> Ball:
    """``x - floor(x / y) y``, with the sign of `y`; anywhere up to `y` where undecided."""
    exact = _exact_pair(x, y)
    if exact is not None:
        return to_ball(exact[0] % exact[1])
    if not (x.is_finite() and y.is_finite()) or y.contains(0):
        return UNKNOWN
    quotient = floor(x / y)
    if quotient.is_exact():
        return x - quotient * y
    return enclose_interval(arb(0), y.upper()) if y > 0 else enclose_interval(y.lower(), arb(0))


@binary
def fmod(x: Ball, y: Ball) -> Ball:
    """``x - trunc(x / y) y``, with the sign of `x`; anywhere up to `y` where undecided."""
    exact = _exact_pair(x, y)
    if exact is not None:
        return to_ball(exact[0] - towards_zero(exact[0] / exact[1]) * exact[1])
    if not (x.is_finite() and y.is_finite()) or y.contains(0):
        return UNKNOWN
    quotient = trunc(x / y)
    if quotient.is_exact():
        return x - quotient * y
    size = absolute(y).upper()
    return enclose_interval(arb(0) if x >= 0 else -size, arb(0) if x <= 0 else size)


def _exact_pair(x: Ball, y: Ball) -> tuple[Fraction, Fraction] | None:
    first, second = rational(x), rational(y)
    if first is None or second is None or not second:
        return None
    return first, second
