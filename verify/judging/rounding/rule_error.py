"""How far a rule is off in exact arithmetic: the numbers of what only exact arithmetic shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.process.precision import precision
from symtape.rigorous.bounds import decimal_bounds
from verify.judging.rounding.derivative_program import RuleCheck, last_place
from verify.judging.rounding.tolerances import HALF
from verify.model.result import Entry
from verify.oracles.closed_form import Truth

_DIGITS: Final = 60


def rule_errors(
    rule: RuleCheck, flags: Sequence[Any], claimed: Sequence[Any], truth: Truth
) -> Iterator[Entry]:
    """The entries that a rule is off by, in ulps of its claim, the farthest first.

    Parameters
    ----------
    rule : RuleCheck
        With its balls.
    flags : list of bool arrays
        The entries in question.
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
    for ulps, number, index in sorted(errors, key=lambda error: -error[0]):
        exact, ball = truth.parts[number][index], rule.balls[number][index]
        with precision(truth.precision):
            gap = float(abs(ball - exact).mid())
        bounds, size = decimal_bounds(exact), abs(float(exact.mid()))
        yield Entry(
            argument=number,
            index=index,
            claimed=float(claimed[number][index]),
            lower=bounds.lower,
            upper=bounds.upper,
            ulps=ulps,
            allowed=HALF,
            relative=gap / size if size else gap,
            exactly=ball.str(_DIGITS, radius=False),
        )


def _ulps(ball: Any, exact: Any, dtype: Any) -> float:
    return float((abs(ball - exact) / last_place(exact, dtype)).mid())
