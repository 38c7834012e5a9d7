"""Claims that state their accuracy, or would have to, judged by that alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.process.precision import precision
from verify.judging.answered import AnsweredClaim
from verify.judging.rounding.comparison import rounds_to_infinity
from verify.judging.rounding.float_value import Allowance
from verify.model.result import PointOutcome
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

    parts = [
        np.asarray(np.frompyfunc(allowed_error, 1, 1)(part), dtype=float) for part in truth.parts
    ]
    return Allowance(parts, conditioned=False)


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
