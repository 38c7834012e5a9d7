"""Which real number the float of a constant was rounded from."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from flint import arb, fmpq

from symtape.process.precision import precision
from symtape.symbolic.arb_functions import BALLS
from symtape.symbolic.template import Template
from symtape.symbolic.trees import Tree

_SHORT: Final = 1024
"""Up to this denominator a float is the number that is meant."""

_DENOMINATOR: Final = 10_000
_OF_BASE: Final = 1_000
_OF_DECIMALS: Final = 3_000_000
_DIGITS: Final = 15
"""Of decimals, which no two share a float of."""

_BITS: Final = 160
_HALF: Final = Fraction(1, 2)
_BASES: Final[tuple[Tree, ...]] = (
    *("pi", *(("Pow", "pi", k) for k in (-1, 2, _HALF, -_HALF))),
    *(("Pow", n, _HALF) for n in (2, 3, 5, 6)),
    *(("Mul", ("Pow", 2, _HALF), ("Pow", "pi", k)) for k in (_HALF, -_HALF)),
    *(it for n in (2, 3, 10) for it in (("log", n), ("Pow", ("log", n), -1))),
    "E",
)
"""Numbers of which constants are fractions."""

_NEAR: Final = 4
"""Roundings after which a constant may still be that of a simple number."""


def number_near(value: Fraction) -> Tree:
    """A simple real number within a few roundings of the float `value`, if there is one.

    Examples
    --------
    >>> str(number_meant(Fraction(3 * 0.1))), str(number_near(Fraction(3 * 0.1)))
    ('1351079888211149/4503599627370496', '3/10')
    """
    meant = number_meant(value)
    return meant if meant != value else number_meant(value, _NEAR)


@functools.lru_cache(maxsize=4096)  # constants in programs
def number_meant(value: Fraction, roundings: int = 0) -> Tree:
    """A real number that rounds to the float `value`: a fraction, one of a known root, or decimal.

    Any number that rounds to it, or within so many `roundings` of it, may stand for it; where none
    is simple it is the float itself.

    Examples
    --------
    >>> import math
    >>> [str(number_meant(Fraction(x))) for x in (0.1, 1 / 3, 0.375)]
    ['1/10', '1/3', '3/8']
    >>> number_meant(Fraction(math.pi / 180)), number_meant(Fraction(1 / math.log(2)))
    (('Mul', Fraction(1, 180), 'pi'), ('Mul', Fraction(1, 1), ('Pow', ('log', 2), -1)))
    >>> float(number_meant(Fraction(1 + 2**-52)))
    1.0000000000000002
    """
    if value.denominator <= _SHORT or abs(value) > 2**1000:
        return value
    nearest = float(value)
    if nearest == 0 or Fraction(nearest) != value:
        return value
    return next(_simple_numbers(nearest, roundings), value)


def _simple_numbers(nearest: float, roundings: int) -> Iterator[Tree]:
    """Numbers that round to a float, or within so many roundings of it, the simplest first."""
    reach = roundings * math.ulp(nearest)
    simple = Fraction(nearest).limit_denominator(_DENOMINATOR)
    if abs(float(simple) - nearest) <= reach:
        yield simple
    for base in _BASES:
        if (factor := _find_factor(nearest, base, reach)) is not None:
            yield ("Mul", factor, base)
    simple = Fraction(nearest).limit_denominator(_OF_DECIMALS)
    if abs(float(simple) - nearest) <= reach:
        yield simple
    shortest = repr(nearest)
    if sum(map(str.isdigit, shortest.partition("e")[0].lstrip("-0."))) <= _DIGITS:
        yield Fraction(shortest)


def _find_factor(nearest: float, base: Tree, reach: float) -> Fraction | None:
    """A simple fraction times `base` that rounds to a float within `reach` of `nearest`."""
    with precision(_BITS):
        ball = BALLS.function(Template(base, 0))()
        quotient = (arb(nearest) / ball).mid().fmpq()
        factor = Fraction(int(quotient.p), int(quotient.q)).limit_denominator(_OF_BASE)
        rounded = float(ball * fmpq(factor.numerator, factor.denominator))
    return factor if abs(rounded - nearest) <= reach else None
