"""A claimed entry beside the exact one, in words that tell them apart, and how severe that is.

Severity: how much a failure matters, so that findings are told in the order of consequence. An
error of the derivative matters by what it does to a step: moving an input by its own size changes
the first-order prediction of the function by ``|error| * |x|``. Beside the size of the function's
value, or of the prediction itself, that is the consequence; what is below the last digit of the
value is a matter of principle more than of practice.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from verify.model.result import Entry, PointOutcome
from verify.model.verdict import Verdict

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


_BY_VERDICT: Final = {Verdict.WRONG: 1.0, Verdict.INACCURATE: 0.5}
"""A rule that is right in theory is the lesser fault of two with the same effect."""


def severity(outcome: PointOutcome, value: Any = 0.0) -> float:
    """How grave the failure at a point is, from 0 (none) to 1.

    The `value` is the function's, at the point.

    Returns
    -------
    float
        The relative error of the worst entry, at most 1, times how far its effect on a
        prediction of the value rises above the value's last digit: 1 where that effect is as
        large as the value.

    Examples
    --------
    >>> from verify.model.result import Entry
    >>> def failing(claimed, exact):
    ...     relative = abs(claimed / exact - 1)
    ...     worst = Entry(0, (), claimed, str(exact), str(exact), 9.0, 1.0, relative)
    ...     return PointOutcome.from_judgement((np.float64(2.0),), Verdict.WRONG, worst=worst)
    >>> severity(failing(-1.0, 1.0), 1.0)
    1.0
    >>> severity(failing(0.0, 1e-300), 1.0) < 1e-3
    True
    """
    weight = _BY_VERDICT.get(outcome.verdict, 0.0)
    if not weight or outcome.worst is None:
        return weight
    worst = outcome.worst
    exact = (float(worst.lower) + float(worst.upper)) / 2
    error = abs(worst.claimed - exact)
    if worst.exactly:
        # Of a rule in exact arithmetic, which floats may not be able to show.
        error = worst.relative * (abs(exact) or 1.0)
    if not math.isfinite(error):
        return weight
    relative = min(1.0, abs(worst.relative)) if math.isfinite(worst.relative) else 1.0
    return weight * relative * _prominence(error * _reach(outcome.x), exact, value)


def _reach(x: tuple[Any, ...]) -> float:
    """How far a step of the point's own size goes; at least 1 where that is the natural scale."""
    sizes = [float(np.max(np.abs(np.asarray(part, dtype=float)), initial=0.0)) for part in x]
    return max([1.0, *sizes])


def _prominence(effect: float, exact: float, value: Any) -> float:
    """How far `effect` rises above the last digit of the value, on a scale of logarithms."""
    sizes = np.abs(np.asarray(value, dtype=float))
    size = max(float(np.max(sizes, initial=0.0)), abs(exact))
    if not math.isfinite(size) or size == 0 or effect >= size:
        return 1.0
    if effect == 0:
        return 0.0
    digits = math.log2(size) - math.log2(effect)
    return max(1 - digits / 53, 2.0**-60 * max(0.0, 1 - digits / 2200))
