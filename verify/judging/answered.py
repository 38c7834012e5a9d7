"""An answer of a claim beside what is known of its point, and what to say of it.

What fails is shown by the gravest of its entries: one at the fringe hides no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from verify.claimants.claim import Answer, Claim
from verify.judging.rounding.comparison import Comparison, compare
from verify.judging.rounding.float_value import (
    Allowance,
    allowance,
    bound_allowance,
    claimed_unit,
    widen_allowance,
)
from verify.judging.rounding.programs import Point, Programs
from verify.model.grade import gravest
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict

if TYPE_CHECKING:
    from verify.judging.diagnosis.blame import Blame


@dataclass(frozen=True, slots=True)
class AnsweredClaim:
    """What is judged.

    Attributes
    ----------
    claim : Claim
    programs : Programs
        Of the claim.
    point : Point
    answer : Answer
        Of the claim at the point.
    explain : bool
        Whether to say from which operation and which mistake a failure comes.
    """

    claim: Claim
    programs: Programs
    point: Point
    answer: Answer
    explain: bool

    @property
    def unit(self) -> float:
        """Unit roundoff of the least precise floats."""
        return claimed_unit(self.point.graph, self.answer.parts)

    def compare(self, allowed: Allowance, only: Sequence[Any] | None = None) -> Comparison:
        """The answer beside the exact derivative."""
        return compare(self.answer.parts, self.point.exact, allowed, only)

    def reference_allowance(self) -> Allowance:
        """What rounding may cost the same derivative as symtape's tape computes it."""
        program = self.programs.reference(self.point)
        return allowance(program, self.point.x, self.point.exact, self.unit)

    def widen(self, allowed: Allowance) -> Allowance:
        """As `widen_allowance` of the room of roundings, by the derivative of the tape."""
        program = self.programs.reference(self.point)
        return widen_allowance(allowed, program, self.point.x, self.point.exact, self.unit)

    def bound_unknown(self, allowed: Allowance) -> Allowance:
        """As :func:`verify.judging.rounding.float_value.bound_allowance`."""
        return bound_allowance(allowed, self.point.exact, self.unit)

    def abstain(self, compared: Comparison, words: str) -> PointOutcome:
        """That nothing is known of the answer."""
        return self.point.outcome(Verdict.UNDECIDED, compared, words)

    def wrong(self, compared: Comparison, remark: str = "") -> PointOutcome:
        """As :func:`verify.judging.diagnosis.findings.wrong`."""
        from verify.judging.diagnosis import findings

        shown = self._show_gravest(Verdict.WRONG, compared)
        return findings.wrong(self.claim, self.point, self.answer, shown, remark, self.explain)

    def inaccurate(
        self,
        compared: Comparison,
        right: bool = True,
        lost: Blame | None = None,
        remark: str = "",
    ) -> PointOutcome:
        """As :func:`verify.judging.diagnosis.findings.inaccurate`."""
        from verify.judging.diagnosis import findings

        shown = self._show_gravest(Verdict.INACCURATE, compared)
        return findings.inaccurate(self.claim, self.point, shown, self.explain, right, lost, remark)

    def _show_gravest(self, verdict: Verdict, compared: Comparison) -> Comparison:
        failing = PointOutcome.from_judgement(self.point.x, verdict, bits=self.point.exact.bits)
        entries = chain(filter(None, [compared.worst]), compared.entries())
        quantity, graph = self.claim.quantity, self.point.graph
        entry = gravest(failing, entries, quantity, graph, approximates=not self.claim.ours)
        return compared if entry is None else replace(compared, worst=entry)
