"""Difference quotients at as many digits as it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from mpmath import mp

from verify.oracles.recheck.differences import (
    STAGES,
    Functional,
    Quotient,
    difference_quotient,
    one_sided,
)
from verify.oracles.recheck.evaluation import NotRechecked

QUICK: Final = ((40, 8), *STAGES)
"""Stages for what is asked of thousands of functions, most of which are plain."""

BRIEF: Final = QUICK[:2]
"""Stages for functions that take mpmath minutes at more digits, as ``y1(1e100)`` does at 1000."""


_NOTHING: Final = mp.mpf(2) ** -1100
"""What no float shows: zero, found twice to so much, is zero."""

_NO_FLOAT: Final = mp.mpf("1e-330")
"""Below every float: what is known to be smaller is zero, though its roundings do not cancel."""


def settle_quotient(
    functional: Functional,
    claimed: float | None,
    side: int = 0,
    stages: Sequence[tuple[int, int]] = STAGES,
) -> tuple[Quotient, int]:
    """A difference quotient on which two numbers of digits agree, and the larger of these.

    What the function itself loses, as ``1 + exp(-400)`` does at 150 digits, no quotient shows.

    Parameters
    ----------
    functional : Functional
    claimed : float or None
        A value that is to be told apart, for which fewer digits may do.
    side : int
        1 or -1 for the one-sided derivative to the right or to the left.
    stages : sequence of pairs of int
        Digits, and digits of the step.

    Raises
    ------
    NotRechecked
    """
    before: tuple[Quotient, int] | None = None
    for digits, fine in stages:
        with mp.workdps(digits):
            found = _quotient(functional, side, mp.mpf(10) ** -fine, digits)
        if before is not None:
            if found.value == before[0].value == 0 and found.error <= _NOTHING:
                return Quotient(mp.zero, mp.zero), digits
            if abs(found.value) <= found.error <= _NO_FLOAT:
                return Quotient(mp.zero, mp.zero), digits
            found = Quotient(found.value, found.error + abs(found.value - before[0].value))
            if _answers(found, claimed):
                return found, digits
        before = found, digits
    assert before is not None
    return before


def _quotient(functional: Functional, side: int, relative: Any, digits: int) -> Quotient:
    steps = functional.steps(relative)
    try:
        if side:
            return one_sided(functional, side * steps[0], digits)
        return difference_quotient(functional, steps, digits)
    except NotRechecked:
        raise
    except Exception as error:  # noqa: BLE001  # whatever mpmath meets at the edge of a domain
        raise NotRechecked(f"mpmath stopped with {type(error).__name__}: {error}") from None


def _answers(found: Quotient, claimed: float | None) -> bool:
    """Whether a quotient is known to 20 digits, or well enough to be held against `claimed`.

    Zero at few digits is what cancels, not what is exact.
    """
    if not found.value or found.error <= abs(found.value) * mp.mpf(10) ** -20:
        return bool(found.value)
    if claimed is None or not math.isfinite(claimed):
        return False
    return bool(found.error <= mp.mpf(10) ** -6 * abs(found.value - mp.mpf(claimed)))
