"""Constants as people write them: 0.1, not 3602879701896397/36028797018963968."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final
from weakref import WeakValueDictionary

import sympy as sp

_SMALL = 10**6
_LARGE = 10**16


class Decimal(sp.NumberSymbol):  # type: ignore[misc]
    """A positive decimal constant in an expression to print; its name is its text."""

    is_real = True
    is_positive = True
    is_negative = False
    name: str

    def __new__(cls, text: str) -> Decimal:
        """Make the constant that prints as `text`; one object for one text."""
        found = _DECIMALS.get(text)
        if found is None:
            found = _DECIMALS[text] = sp.AtomicExpr.__new__(cls)
            found.name = text
        return found

    def _as_mpf_val(self, prec: int) -> Any:
        return sp.Float(self.name, precision=prec)._mpf_

    def _hashable_content(self) -> tuple[str]:
        return (self.name,)

    def _sympystr(self, printer: Any) -> str:
        return self.name


_DECIMALS: Final[WeakValueDictionary[str, Decimal]] = WeakValueDictionary()


def decimal_rational(value: Any) -> Any:
    """The SymPy rational that a person means by the exact rational `value`.

    A float that is no small fraction stands for the shortest decimal that reads back as it.

    Examples
    --------
    >>> decimal_rational(sp.Rational(0.1)), decimal_rational(sp.Rational(1, 3))
    (1/10, 1/3)
    >>> decimal_rational(sp.Rational(0.375))
    3/8
    """
    if value.q <= _SMALL and abs(value.p) < _LARGE:
        return value
    try:
        nearest = float(Fraction(int(value.p), int(value.q)))
    except OverflowError:
        return value
    if nearest in (0.0, float("inf")) or sp.Rational(nearest) != value:
        return value
    return sp.Rational(repr(nearest))


def decimal_text(value: Any) -> str | None:
    """How to print a positive rational as a decimal; None where the fraction reads better.

    Examples
    --------
    >>> decimal_text(sp.Rational(3, 10)), decimal_text(sp.Rational(1, 3))
    ('0.3', None)
    >>> decimal_text(sp.Rational("2.718281828459045") ** 2)
    '7.389056098930649'
    """
    p, q = int(value.p), int(value.q)
    if q == 1 and p < _LARGE:
        return None
    if q & (q - 1) == 0 and q <= 64 and p < _LARGE:
        return None
    if q < _SMALL and p < _SMALL and not _terminates(q):
        return None
    try:
        text = repr(p / q)
    except OverflowError:
        return None
    return None if text in ("0.0", "inf") else text.removesuffix(".0")


def _terminates(q: int) -> bool:
    while q % 2 == 0:
        q //= 2
    while q % 5 == 0:
        q //= 5
    return q == 1


def replace_long_rationals(expression: Any) -> Any:
    """`expression` with its long rationals replaced by :class:`Decimal`, for a printer.

    Examples
    --------
    >>> x = sp.Symbol("x")
    >>> replace_long_rationals(sp.Rational(3, 10) * x**2 - x / 2 - sp.Rational(1, 10))
    0.3*x**2 - x/2 - 0.1
    """
    table = {}
    for value in expression.atoms(sp.Rational):
        text = decimal_text(abs(value))
        if text is not None:
            table[value] = Decimal(text) if value > 0 else -Decimal(text)
    return expression.xreplace(table) if table else expression
