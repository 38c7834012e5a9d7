"""What fails at a point, shown by the gravest of its entries: one at the fringe hides no other."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from verify.claimants.claim import Answer, Claim
from verify.diagnosis import findings
from verify.diagnosis.blame import Blame
from verify.model.grade import gravest
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.rounding.comparison import Comparison
from verify.rounding.programs import Point


def wrong(
    claim: Claim,
    point: Point,
    answer: Answer,
    compared: Comparison,
    remark: str = "",
    explain: bool = True,
) -> PointOutcome:
    """As :func:`verify.diagnosis.findings.wrong`, of the entry that matters most."""
    shown = _of_gravest(claim, point, Verdict.WRONG, compared)
    return findings.wrong(claim, point, answer, shown, remark, explain)


def inaccurate(
    claim: Claim,
    point: Point,
    compared: Comparison,
    explain: bool = True,
    right: bool = True,
    lost: Blame | None = None,
    remark: str = "",
) -> PointOutcome:
    """As :func:`verify.diagnosis.findings.inaccurate`, of the entry that matters most."""
    shown = _of_gravest(claim, point, Verdict.INACCURATE, compared)
    return findings.inaccurate(claim, point, shown, explain, right, lost, remark)


def _of_gravest(claim: Claim, point: Point, verdict: Verdict, compared: Comparison) -> Comparison:
    failing = PointOutcome.at(point.x, verdict, bits=point.exact.bits)
    entries = chain(filter(None, [compared.worst]), compared.entries())
    entry = gravest(failing, entries, claim.quantity, point.graph, approximates=not claim.ours)
    return compared if entry is None else replace(compared, worst=entry)
