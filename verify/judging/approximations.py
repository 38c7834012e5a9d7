"""A claim that states its accuracy, judged at a point by that alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from verify.judging.answered import AnsweredClaim
from verify.judging.rounding.to_accuracy import check_accuracy, tolerances
from verify.model.result import PointOutcome
from verify.model.stated_accuracy import StatedAccuracy
from verify.model.verdict import Verdict


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
