"""Claims that state their accuracy, or would have to, judged by that alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.process.precision import precision
from verify.claimants.claim import Claim
from verify.judging.answered import AnsweredClaim
from verify.judging.rounding.comparison import rounds_to_infinity
from verify.judging.rounding.float_value import Allowance
from verify.model.case import name_function
from verify.model.result import PointOutcome, Survey
from verify.model.stated_accuracy import StatedAccuracy
from verify.model.verdict import Verdict
from verify.oracles.closed_form import MOST_BITS, Truth


def judge_approximation(accuracy: StatedAccuracy, asked: AnsweredClaim) -> PointOutcome:
    """Compare the values with the truth, to the accuracy that the claim states."""
    point = asked.point
    check = check_accuracy(accuracy, asked.answer.parts, point.x, point.exact)
    only = check.beyond if check.fails else None
    compared = asked.compare(tolerances(accuracy, point.exact), only)
    if check.fails:
        outcome = asked.wrong(compared)
        return replace(outcome, message=f"{outcome.message}; {_BEYOND_ACCURACY.format(accuracy)}")
    verdict = Verdict.UNDECIDED if check.open else Verdict.CORRECT
    words = (_AT_THE_EDGE if check.open else _WITHIN_ACCURACY).format(accuracy)
    power = "" if check.open else f"excludes errors beyond {accuracy}"
    return point.outcome(verdict, compared, words, power)


_WITHIN_ACCURACY: Final = "within the accuracy that it states, {}"
_BEYOND_ACCURACY: Final = "beyond the accuracy that it states, {}"
_AT_THE_EDGE: Final = (
    "it may or may not be within the accuracy that it states, {}: the enclosure of the exact "
    "derivative is too wide to tell"
)


@dataclass(frozen=True, slots=True)
class AccuracyCheck:
    """What holding a claim to its accuracy found.

    Attributes
    ----------
    beyond : list of bool arrays
        Where it is certainly farther off than it says, one array a part.
    open : bool
        Whether that is not known of an entry at as many bits as are tried.
    """

    beyond: list[Any]
    open: bool

    @property
    def fails(self) -> bool:
        """Whether an entry is beyond."""
        return any(bool(np.any(flags)) for flags in self.beyond)


def check_accuracy(
    accuracy: StatedAccuracy, claimed: Sequence[Any], point: Sequence[Any], truth: Truth
) -> AccuracyCheck:
    """Set each entry beside the exact one, at more and more bits until that decides.

    Parameters
    ----------
    accuracy : StatedAccuracy
    claimed : sequence of float arrays
    point : sequence of arrays
    truth : Truth
    """
    bits, exact = truth.precision, truth.parts
    while True:
        with precision(bits):
            found = [
                [
                    _exceeds_accuracy(accuracy, x, ball, part.dtype)
                    for x, ball in _pairs(part, balls)
                ]
                for part, balls in zip(claimed, exact, strict=True)
            ]
        flags = [
            np.array([it is True for it in part], dtype=bool).reshape(np.shape(balls))
            for part, balls in zip(found, exact, strict=True)
        ]
        held = AccuracyCheck(flags, any(it is None for part in found for it in part))
        if held.fails or not held.open or 2 * bits > MOST_BITS:
            return held
        bits *= 2
        exact = truth.enclose(point, bits)


def tolerances(accuracy: StatedAccuracy, truth: Truth) -> Allowance:
    """What the accuracy allows each entry, as floats: to be shown."""

    def allowed_error(ball: Any) -> float:
        return accuracy.atol + accuracy.rtol * abs(float(ball.mid()))

    return [
        np.asarray(np.frompyfunc(allowed_error, 1, 1)(part), dtype=float) for part in truth.parts
    ]


def _pairs(part: Any, balls: Any) -> Any:
    return zip(np.ravel(part).tolist(), np.ravel(balls).tolist(), strict=True)


def _exceeds_accuracy(
    accuracy: StatedAccuracy, claimed: float, exact: Any, dtype: Any
) -> bool | None:
    """Whether an entry is farther off than is stated; None where the enclosure is too wide."""
    if not np.isfinite(claimed):
        return not rounds_to_infinity(claimed, exact, dtype)
    error = abs(arb(claimed) - exact)
    stated = arb(accuracy.atol) + arb(accuracy.rtol) * abs(exact)
    nearest = arb(float(np.spacing(dtype.type(abs(float(exact.mid())))))) / 2
    if error <= stated or error <= nearest:
        return False
    return True if error > stated and error > nearest else None


_CLOSENESS: Final = 1e-6
"""What is off by more is no approximation that anybody would have meant."""

_MARGIN: Final = 1.5
"""How much more than was seen is offered, for points that were not looked at."""


def add_accuracy(
    claim: Claim, points: Sequence[PointOutcome], survey: Survey | None
) -> tuple[PointOutcome, ...]:
    """The points, and at those that fail the accuracy to state, if the claim is near at all."""
    failing = [point for point in points if point.verdict.fails]
    if claim.ours or claim.accuracy is not None:
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
