"""A claimed entry beside the exact one, in words, to the digits that tell them apart."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal

from verify.model.result import Entry

_FEWEST, _MOST = 6, 40
"""Digits that are shown of a number."""

_SMALLEST, _LARGEST = -5, 16
"""Powers of ten from which, and up to which, a number is written without an exponent."""


def entry_name(quantity: str, index: Sequence[int], by: str = "") -> str:
    """Which entry of which derivative, and of several arguments by which.

    Examples
    --------
    >>> entry_name("hessian", (0, 2), "w")
    'hessian[0, 2] with respect to w'
    """
    shown = f"[{', '.join(map(str, index))}]" if index else ""
    return f"{quantity}{shown}{f' with respect to {by}' if by else ''}"


def describe_both(quantity: str, worst: Entry, by: str = "") -> str:
    """What is claimed, and what is exact.

    An entry is `by` an argument where there are several.

    Examples
    --------
    >>> describe_both("gradient", Entry(0, (1,), 2.0, "3", "3", 1e15, 4.0, 0.3))
    'gradient[1] is 2.0; the exact value is 3.0'
    >>> describe_both("gradient", Entry(0, (), 0.1, "0.10000001", "0.10000001", 1e9, 4.0, 1e-7))
    'the gradient is 0.1; the exact value is 0.10000001'
    >>> describe_both("gradient", Entry(0, (), 3.0, "3", "3", 9.0, 0.5, 1e-15, "3.000000000000003"))
    'in exact arithmetic the gradient is 3.000000000000003; the exact value is 3.0: off by 1e-15 \
of it, though its float value is within rounding'
    """
    name = entry_name(quantity, worst.index, by)
    claimed, exact = _format_both(worst)
    the = "" if worst.index else "the "
    if worst.exactly:
        of_it = "" if worst.lower == worst.upper == "0" else " of it"
        return (
            f"in exact arithmetic {the}{name} is {claimed}; the exact value is {exact}: off by "
            f"{worst.relative:.2g}{of_it}, though its float value is within rounding"
        )
    return f"{the}{name} is {claimed}; the exact value is {exact}"


def _format_both(worst: Entry) -> tuple[str, str]:
    """Both numbers, in as many digits as it takes to see that they differ, and one more."""
    lower, upper = Decimal(worst.lower), Decimal(worst.upper)
    said = worst.exactly or repr(worst.claimed)
    if not (lower.is_finite() and upper.is_finite()):
        return said, f"between {worst.lower} and {worst.upper}"
    claimed = Decimal(said)
    if not claimed.is_finite():
        return said, _format_bounds(lower, upper)
    alike = True  # A tie that is rounded may differ in one digit less, and not in this.
    for digits in range(_FEWEST, _MOST):
        mine = _round_decimal(claimed, digits)
        low, high = _round_decimal(lower, digits), _round_decimal(upper, digits)
        differ = low == high != mine
        if differ and not alike:
            return _plain(mine), _plain(low)
        alike = not differ
    return _plain(claimed), _format_bounds(lower, upper)


def _format_bounds(lower: Decimal, upper: Decimal) -> str:
    """The number that both bounds round to, or else both."""
    low, high = _round_decimal(lower, _FEWEST), _round_decimal(upper, _FEWEST)
    if low == high:
        return _plain(low)
    low = _round_decimal(lower, _FEWEST, decimal.ROUND_FLOOR)
    high = _round_decimal(upper, _FEWEST, decimal.ROUND_CEILING)
    return f"between {_plain(low)} and {_plain(high)}"


def _round_decimal(number: Decimal, digits: int, rounding: str | None = None) -> Decimal:
    return decimal.Context(prec=digits, rounding=rounding).create_decimal(number)


def _plain(number: Decimal) -> str:
    """As Python writes a float."""
    number = number.normalize(decimal.Context(prec=_MOST + 1))
    if not _SMALLEST <= number.adjusted() < _LARGEST:
        return f"{number:e}"
    text = f"{number:f}"
    return text if "." in text else f"{text}.0"
