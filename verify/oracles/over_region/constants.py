"""Which real number the float of a constant was rounded from."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any, Final

import sympy as sp

_SHORT: Final = 1024
"""Up to this denominator a float is the number that is meant."""

_DENOMINATOR: Final = 10_000
_OF_BASE: Final = 1_000
_OF_DECIMALS: Final = 3_000_000
_DIGITS: Final = 15
"""Of decimals, which no two share a float of."""

_BASES: Final = (
    *(sp.pi**k for k in (1, -1, 2, sp.Rational(1, 2), sp.Rational(-1, 2))),
    *(sp.sqrt(n) for n in (2, 3, 5, 6)),
    *(sp.sqrt(2) * sp.pi**k for k in (sp.Rational(1, 2), sp.Rational(-1, 2))),
    *(sp.log(n) ** k for n in (2, 3, 10) for k in (1, -1)),
    sp.E,
)


_NEAR: Final = 4
"""Roundings after which a constant may still be that of a simple number."""


@functools.lru_cache(maxsize=4096)  # constants in programs
def number_near(value: Fraction) -> Any:
    """A simple real number within a few roundings of the float `value`, if there is one.

    Examples
    --------
    >>> number_meant(Fraction(3 * 0.1)), number_near(Fraction(3 * 0.1))
    (1351079888211149/4503599627370496, 3/10)
    """
    meant = number_meant(value)
    nearest = float(value)
    if meant != sp.Rational(value.numerator, value.denominator) or value.denominator <= _SHORT:
        return meant
    if nearest == 0 or Fraction(nearest) != value:
        return meant
    for number in _simple_numbers(nearest):
        if abs(float(number.evalf(40)) - nearest) <= _NEAR * math.ulp(nearest):
            return number
    return meant


@functools.lru_cache(maxsize=4096)  # constants in programs
def number_meant(value: Fraction) -> Any:
    """A real number that rounds to the float `value`: a fraction, one of a known root, or decimal.

    Any number that rounds to it may stand for it; where none is simple it is the float itself.

    Examples
    --------
    >>> import math
    >>> [number_meant(Fraction(x)) for x in (0.1, 1 / 3, math.pi / 180, 1 / math.log(2), 0.375)]
    [1/10, 1/3, pi/180, 1/log(2), 3/8]
    >>> float(number_meant(Fraction(1 + 2**-52)))
    1.0000000000000002
    """
    exact = sp.Rational(value.numerator, value.denominator)
    if value.denominator <= _SHORT or abs(value) > 2**1000:
        return exact
    nearest = float(value)
    if nearest == 0 or Fraction(nearest) != value:
        return exact
    for number in _simple_numbers(nearest):
        if float(number.evalf(40)) == nearest:
            return number
    return exact


def _simple_numbers(nearest: float) -> Any:
    yield _fraction(Fraction(nearest), _DENOMINATOR)
    for base, digits in _known_bases():
        yield base * _fraction(Fraction(nearest) / digits, _OF_BASE)
    shortest = repr(nearest)
    yield _fraction(Fraction(nearest), _OF_DECIMALS)
    if sum(map(str.isdigit, shortest.partition("e")[0].lstrip("-0."))) <= _DIGITS:
        yield sp.Rational(shortest)


def _fraction(value: Fraction, most: int) -> Any:
    nearest = value.limit_denominator(most)
    return sp.Rational(nearest.numerator, nearest.denominator)


@functools.cache
def _known_bases() -> list[tuple[Any, Fraction]]:
    return [(base, Fraction(str(base.evalf(40)))) for base in _BASES]
