"""Claims that are near to the derivative everywhere: which accuracy they would have to state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any, Final

import numpy as np

from verify.claimants.claim import Claim
from verify.model.case import name_function
from verify.model.result import PointOutcome, Survey
from verify.model.verdict import Verdict

_CLOSENESS: Final = 1e-6
"""What is off by more is no approximation that anybody would have meant."""

_MARGIN: Final = 1.5
"""How much more than was seen is offered, for points that were not looked at."""


def add_accuracy(
    claim: Claim, points: Sequence[PointOutcome], survey: Survey | None
) -> tuple[PointOutcome, ...]:
    """The points, and at those that fail the accuracy to state, if the claim is near at all."""
    failing = [point for point in points if point.verdict.fails]
    if claim.ours or claim.accuracy is not None or not failing:
        return tuple(points)
    if any(point.worst is None or point.kink is not None for point in failing):
        return tuple(points)
    # A right formula that loses its digits approximates nothing but by accident.
    lossy = any(point.verdict is Verdict.INACCURATE for point in failing)
    words = _words(claim, *_compare_errors(points, survey), lossy)
    if not words:
        return tuple(points)
    return tuple(
        replace(point, message=f"{point.message}; {words}") if point.verdict.fails else point
        for point in points
    )


def _compare_errors(points: Iterable[PointOutcome], survey: Survey | None) -> tuple[Any, Any]:
    """Errors and exact values of the worst entries, wherever the claim was compared."""
    worst = [point.worst for point in points if point.worst is not None]
    exact = np.array([(float(one.lower) + float(one.upper)) / 2 for one in worst])
    claimed = np.array([one.claimed for one in worst])
    if survey is not None:
        exact = np.concatenate([exact, survey.exact])
        claimed = np.concatenate([claimed, survey.claimed])
    known = np.isfinite(exact)
    with np.errstate(invalid="ignore"):
        errors = np.abs(claimed - exact)[known]
    # A region may hold points where nothing was compared, and claims that are no number.
    return np.where(np.isnan(errors), np.inf, errors), np.abs(exact[known])


def _words(claim: Claim, errors: Any, sizes: Any, lossy: bool) -> str:
    with np.errstate(over="ignore"):  # of subnormal sizes
        relative = np.divide(errors, sizes, out=np.full(errors.shape, np.inf), where=sizes > 0)
    relative = np.where(errors == 0, 0.0, relative)
    near = relative <= _CLOSENESS
    rtol = float(np.max(relative[near], initial=0.0))
    atol = float(np.max(errors, initial=0.0)) if not np.all(near) else 0.0
    largest = float(np.max(sizes, initial=0.0))
    if not (rtol or atol) or atol > _CLOSENESS * largest or (atol and lossy):
        return ""
    given = {"rtol": rtol, "atol": atol}
    stated = ", ".join(
        f"{name}={_suggest_tolerance(value)}" for name, value in given.items() if value
    )
    return (
        f"it approximates the derivative to {atol or rtol:.2g}; state it if that is meant: "
        f"verify.approximately({_name(claim)}, {stated})"
    )


def _suggest_tolerance(value: float) -> str:
    """A tolerance of one digit that is somewhat larger."""
    rounded = Context(prec=1, rounding=ROUND_CEILING).create_decimal(Decimal(value * _MARGIN))
    return repr(float(rounded)) if math.isfinite(value) else "inf"


def _name(claim: Claim) -> str:
    name = name_function(claim.derivative)
    return name if name.replace(".", "_").isidentifier() else "g"
