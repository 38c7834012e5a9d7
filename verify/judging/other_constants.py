"""A claim that is right for other last digits of its constants, or of the function's."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symtape.graph.graph import Graph
from verify.judging.answered import AnsweredClaim
from verify.judging.rounding.avoidable import tighten_allowance
from verify.judging.rounding.comparison import compare
from verify.judging.rounding.float_value import Allowance
from verify.judging.rounding.rounded_constants import uncertainty
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict


def judge_constants(
    asked: AnsweredClaim, program: Graph | None, allowed: Allowance
) -> PointOutcome | None:
    """The verdict on the values, if all that is off are the last digits of constants.

    Parameters
    ----------
    asked : Answered
        Of a claim by somebody else.
    program : Graph or None
        The claim's own, if it could be followed.
    allowed : Allowance
        What rounding may cost.

    Returns
    -------
    PointOutcome or None
        None where constants do not explain what is off.
    """
    point, exact, programs = asked.point, asked.point.exact, asked.programs
    rounded = uncertainty(point.graph, programs.reference(point), program, point.x, exact)
    if rounded is None:
        return None
    sums = [own + more for own, more in zip(allowed.parts, rounded.parts, strict=True)]
    wider = replace(allowed, parts=sums)
    compared = asked.compare(wider)
    if compared.beyond and (program is None or not asked.answer.finite):
        return None
    words = _ROUNDED.format(", ".join(map(repr, rounded.constants)))
    if not rounded.telling:
        return asked.abstain(compared, f"{words}, and these hide all digits")
    # What an entry has lost to constants alone it has not lost to the rounding of its program.
    cleared = rounded.clear_claimed(asked.answer.parts, exact)
    if program is None:
        rest = replace(allowed, parts=rounded.confirmable(allowed.parts, exact))
        lost = compare(cleared, exact, rest).powerless
    elif lost := bool(compare(cleared, exact, wider).lost):
        tight = compare(cleared, exact, tighten_allowance(program, wider, point, programs) or wider)
        compared = tight if tight.beyond else compared
        lost = bool(tight.lost) and not tight.beyond
    if lost:
        return asked.abstain(compared, f"{words}; {_LOST}")
    if compared.beyond:
        return asked.inaccurate(compared)
    return point.outcome(Verdict.CORRECT, compared, words, compared.power)


_ROUNDED: Final = (
    "in exact arithmetic its error is no larger than the last digits of these constants explain: {}"
)
_LOST: Final = "rounding may change all remaining digits of the float value"
