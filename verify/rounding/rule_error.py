"""How far a rule is off in exact arithmetic: the numbers of what only exact arithmetic shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.precision import precision
from symtape.rigorous.bounds import decimal_bounds
from verify.model.result import Entry
from verify.oracles.closed_form import Truth
from verify.rounding.derivative_program import RuleCheck, last_place
from verify.rounding.tolerances import HALF

_DIGITS: Final = 60


def rule_error(
    rule: RuleCheck, flags: Sequence[Any], claimed: Sequence[Any], truth: Truth
) -> Entry:
    """The entry that a rule is off by most, in ulps of its claim.

    Parameters
    ----------
    rule : RuleCheck
        With its balls.
    flags : list of bool arrays
        The entries in question; at least one.
    claimed : sequence of float arrays
        What floats make of the rule.
    truth : Truth
    """
    with precision(truth.precision):
        errors = [
            (
                _ulps(rule.balls[number][index], truth.parts[number][index], part.dtype),
                number,
                index,
            )
            for number, part in enumerate(claimed)
            for index in map(tuple, np.argwhere(flags[number]).tolist())
        ]
        ulps, number, index = max(errors, key=lambda error: error[0])
        exact = truth.parts[number][index]
        gap = float(abs(rule.balls[number][index] - exact).mid())
    bounds, size = decimal_bounds(exact), abs(float(exact.mid()))
    return Entry(
        argument=number,
        index=index,
        claimed=float(claimed[number][index]),
        lower=bounds.lower,
        upper=bounds.upper,
        ulps=ulps,
        allowed=HALF,
        relative=gap / size if size else gap,
        exactly=rule.balls[number][index].str(_DIGITS, radius=False),
    )


def _ulps(ball: Any, exact: Any, dtype: Any) -> float:
    return float((abs(ball - exact) / last_place(exact, dtype)).mid())
