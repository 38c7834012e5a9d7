"""What one claim may cost, and from where its search begins: effort, budget and seed.

The options of the pytest plugin are read here, so nothing is imported that a start would feel.
"""

from __future__ import annotations

import math
import reprlib
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from symtape.process.budget import Budget

Effort: TypeAlias = float | Literal["quick", "normal", "thorough"]

EFFORTS: Final = {"quick": 0.05, "normal": 1.0, "thorough": 5.0}
"""Efforts by name: for a test-suite of hundreds, for one claim, and for the last word on it."""

_MOST_SECONDS: Final = 1e9
"""Beyond which clocks of the system overflow."""

_STATEMENTS: Final = 2_000_000
"""Of a symbolic step at most, unless a budget says how many."""


def to_effort(effort: Any) -> float:
    """An effort as a number.

    Raises
    ------
    UsageError
        No number above 0, and none of the names.

    Examples
    --------
    >>> to_effort("quick") == EFFORTS["quick"], to_effort(2)
    (True, 2.0)
    >>> to_effort("slow")
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: effort='slow'; expected a number above 0, where 1 is the usual \
search, or one of 'quick', 'normal', 'thorough'
    """
    number: Any = EFFORTS.get(effort) if isinstance(effort, str) else effort
    if not _is_above_zero(number) or math.isinf(number):
        from verify.errors import UsageError

        raise UsageError(f"effort={effort!r}; expected {_EXPECTED}")
    return float(number)


_EXPECTED: Final = (
    "a number above 0, where 1 is the usual search, or one of "
    f"{', '.join(repr(name) for name in EFFORTS)}"
)


def effort_from(text: str) -> float:
    """An effort as it is written on a command line.

    Raises
    ------
    ValueError
        Says what was expected.

    Examples
    --------
    >>> effort_from("thorough") == EFFORTS["thorough"], effort_from("0.2")
    (True, 0.2)
    """
    return EFFORTS[text] if text in EFFORTS else _parse_positive(text, math.inf, _EXPECTED)


def seconds_from(text: str) -> float:
    """The seconds of a budget as they are written on a command line.

    Raises
    ------
    ValueError
        Says what was expected.

    Examples
    --------
    >>> seconds_from("2.5")
    2.5
    """
    return _parse_positive(text, _MOST_SECONDS, "a number above 0 and below 1e9")


def _parse_positive(text: str, most: float, expected: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < most:
        raise ValueError(f"{reprlib.repr(text)}: expected {expected}")
    return number


def seed_from(text: str) -> int:
    """A seed as it is written on a command line.

    Raises
    ------
    ValueError
        Says what was expected.

    Examples
    --------
    >>> seed_from("7")
    7
    """
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise ValueError(f"{reprlib.repr(text)}: expected a whole number from 0")
    return number


def to_budget(budget: Any) -> Budget:
    """A budget, given one or the seconds of one.

    Raises
    ------
    UsageError
        No seconds above 0.

    Examples
    --------
    >>> to_budget(5).seconds
    5.0
    >>> to_budget("5")
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: budget='5'; expected seconds above 0, as in budget=30, or \
verify.Budget(seconds=30)
    """
    from symtape.process.budget import Budget
    from verify.errors import UsageError

    whole = isinstance(budget, Budget)
    seconds = budget.seconds if whole else budget
    if not _is_above_zero(seconds):
        raise UsageError(
            f"budget={budget!r}; expected seconds above 0, as in budget=30, or "
            "verify.Budget(seconds=30)"
        )
    return budget if whole else Budget(float(seconds), _STATEMENTS)


def _is_above_zero(number: Any) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and float(number) > 0
