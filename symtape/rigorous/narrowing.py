"""Functions on narrow balls, where Arb's own ball of the value is far too wide.

Arb sums series of a ball as it does of a number. Where their terms cancel, the radius of the
argument is multiplied by as much as cancels: by ``exp(2 x)`` in K0. Taylor's theorem about the
middle holds the same values: the coefficients are those of a number, which more bits make
narrow, and only the remainder, of the third power of the radius, is that of a ball.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import flint
from flint import arb, arb_series

from symtape.errors import Unsupported
from symtape.process.precision import precision, refine_ball
from symtape.rigorous.jets import functions
from symtape.rigorous.jets.jet import Jet, Lost, coefficients
from symtape.rigorous.scalar import UNKNOWN, Ball

_TERMS: Final = 4
_GUARD: Final = 256
_NARROW: Final = 40
"""Bits from which an argument is as good as a number that was rounded some times."""

_WIDE: Final = 32
"""Bits below which the value of such an argument lost more than it need."""

_WITHOUT_SERIES: Final = (
    *(ArithmeticError, AttributeError, NotImplementedError, TypeError, Unsupported, ValueError),
)


def narrow_value(function: Callable[..., Any], value: Ball, *args: Ball) -> Ball:
    """A ball of the values of `function` on the balls `args`, no wider than `value`.

    Parameters
    ----------
    function : callable
        The reading of a row: of a module of functions, and of as many elements as `args`.
    value : arb
        A ball of these values.
    *args : arb

    Examples
    --------
    >>> from flint import arb
    >>> x = arb(22.5, 1e-14)
    >>> wide = x.bessel_k(arb(0))
    >>> narrow = narrow_value(lambda ball, x: x.bessel_k(type(x)(0)), wide, x)
    >>> wide.rel_accuracy_bits() < 0 < 40 < narrow.rel_accuracy_bits()
    True
    """
    if value.rel_accuracy_bits() >= _WIDE or value.is_exact():
        return value
    moving = [x for x in args if not x.is_exact()]
    if len(moving) > 1 or any(x.rel_accuracy_bits() < _NARROW for x in moving):
        return value
    radius = arb(0, moving[0].rad()) if moving else arb(0)
    with precision(flint.ctx.prec + _GUARD, terms=_TERMS):
        found = refine_ball(lambda: _enclose_by_taylor(function, args, radius), _WIDE)
    return found if not value.is_finite() or found.rad() < value.rad() else value


def _enclose_by_taylor(function: Callable[..., Any], args: Sequence[Ball], radius: Ball) -> Ball:
    """By Taylor's theorem; unknown, if there are no series."""
    about = _taylor(function, [arb(x.mid()) for x in args], args)
    within = _taylor(function, args, args)
    if about is None or within is None:
        return UNKNOWN
    found = within[-1]
    for part in reversed(about[:-1]):
        found = part + radius * found
    return found


def _taylor(
    function: Callable[..., Any], at: Sequence[Ball], args: Sequence[Ball]
) -> list[Ball] | None:
    """Coefficients by the argument that is no number."""
    elements = [
        Jet(middle) if x.is_exact() else Jet(arb_series([middle, 1]))
        for middle, x in zip(at, args, strict=True)
    ]
    try:
        found = function(functions, *elements)
    except _WITHOUT_SERIES:
        # Flint has no power series of a ball that holds too much, or this row has none.
        return None
    return None if type(found) is Lost else coefficients(found, _TERMS - 1)
