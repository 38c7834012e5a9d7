"""A claim that is right for other last digits of its constants, or of the function's."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symtape.graph.graph import Graph
from verify.claimants.claim import Answer, Claim
from verify.judging.failing import inaccurate
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.rounding.avoidable import tightened
from verify.rounding.comparison import Comparison, compare
from verify.rounding.float_value import Allowance
from verify.rounding.programs import Point, Programs
from verify.rounding.rounded_constants import Uncertainty, uncertainty


def for_other_constants(
    claim: Claim,
    programs: Programs,
    program: Graph | None,
    point: Point,
    answer: Answer,
    allowed: Allowance,
    explain: bool,
) -> PointOutcome | None:
    """The verdict on the values, if all that is off are the last digits of constants.

    Parameters
    ----------
    claim : Claim
        By somebody else.
    programs : Programs
    program : Graph or None
        The claim's own, if it could be followed.
    point : Point
    answer : Answer
    allowed : Allowance
        What rounding may cost.
    explain : bool

    Returns
    -------
    PointOutcome or None
        None where constants do not explain what is off.
    """
    exact = point.exact
    rounded = uncertainty(point.graph, programs.reference(point), program, point.x, exact)
    if rounded is None:
        return None
    sums = [own + more for own, more in zip(allowed.parts, rounded.parts, strict=True)]
    wider = replace(allowed, parts=sums)
    compared = compare(answer.parts, exact, wider)
    if compared.beyond and (program is None or not answer.finite):
        return None
    words = _ROUNDED.format(", ".join(map(repr, rounded.constants)))
    if not rounded.telling:
        return point.outcome(Verdict.UNDECIDED, compared, f"{words}, and these hide all digits")
    if program is None:
        return _by_values(point, answer, allowed, rounded, compared, words)
    # What an entry has lost to constants alone it has not lost to the rounding of its program.
    cleared = rounded.cleared(answer.parts, exact)
    if compare(cleared, exact, wider).lost:
        wider = tightened(program, wider, point, programs) or wider
        lost = compare(cleared, exact, wider)
        if lost.lost and not lost.beyond:
            return point.outcome(Verdict.UNDECIDED, compared, f"{words}; {_LOST}")
        compared = lost if lost.beyond else compared
    if compared.beyond:
        return inaccurate(claim, point, compared, explain)
    return point.outcome(Verdict.CORRECT, compared, words, compared.power)


def _by_values(
    point: Point,
    answer: Answer,
    allowed: Allowance,
    rounded: Uncertainty,
    compared: Comparison,
    words: str,
) -> PointOutcome:
    """The verdict on the values of code that could not be followed, if they exclude anything."""
    exact = point.exact
    rest = replace(allowed, parts=rounded.confirmable(allowed.parts, exact))
    if compare(rounded.cleared(answer.parts, exact), exact, rest).powerless:
        return point.outcome(Verdict.UNDECIDED, compared, f"{words}; {_LOST}")
    return point.outcome(Verdict.CORRECT, compared, words, compared.power)


_ROUNDED: Final = (
    "in exact arithmetic it is off by what the last digits of constants explain, of {}"
)
_LOST: Final = "rounding may cost the float value all that is left"
