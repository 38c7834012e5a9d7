"""Findings: what there is to say of a claim that failed at a point.

The verdict stands before any of this is asked. An explanation costs more than a verdict, so a
search leaves it out until it knows which points it will show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from verify.cases import part_names
from verify.claim import Answer, Claim
from verify.comparison import Comparison
from verify.diagnosis.blame import Blame, blame, poison
from verify.diagnosis.causes import likely_cause
from verify.diagnosis.mistakes import Sighting, mistake
from verify.diagnosis.severity import severity
from verify.errors import NotADerivative
from verify.result import PointOutcome
from verify.verdict import Verdict
from verify.witnesses.closed_form import shape_of
from verify.witnesses.programs import Point

__all__ = ["inaccurate", "unfit", "wrong"]

_STEPS: Final = ((0.75, 0.125), (1.25, -0.0625), (-0.5, 0.5), (0.03125, 0.375))
"""How other points are made of one, ``scale * x + shift``: some near enough for the same branch
and far enough to tell a factor from an accident, one near 1 to tell what fails in a tail alone."""


def unfit(claim: Claim, point: Point, error: NotADerivative, explain: bool = True) -> PointOutcome:
    """What the claim did or returned is no derivative at all."""
    found = blame(claim, point.graph, point.exact.shadow.values) if explain else None
    words = f"{found.words}, where the derivative exists" if found else str(error)
    outcome = PointOutcome(point.x, Verdict.WRONG, words, bits=point.exact.bits, severity=1.0)
    return _blamed(outcome, found)


def wrong(
    claim: Claim,
    point: Point,
    answer: Answer,
    compared: Comparison,
    remark: str = "",
    explain: bool = True,
) -> PointOutcome:
    """The exact derivative excludes what is claimed.

    Parameters
    ----------
    claim : Claim
    point : Point
    answer : Answer
    compared : Comparison
    remark : str
        Said where nothing better is known.
    explain : bool
        Look for the operation and the mistake as well.
    """
    words = f"the exact {claim.quantity} excludes the value"
    outcome = _outcome(point, Verdict.WRONG, compared, words)
    if not explain:
        return outcome
    cause, found = _explained(claim, point, answer)
    said = [words, cause, found.words if found else remark * (not cause)]
    return _blamed(replace(outcome, message="; ".join(filter(None, said))), found)


def inaccurate(
    claim: Claim, point: Point, compared: Comparison, explain: bool = True, right: bool = True
) -> PointOutcome:
    """The float value is off; the rule is `right`, or cannot be told to be."""
    found = None
    if explain:
        found = blame(claim, point.graph, point.exact.shadow.values, wrong=False)
    words = "the rule is right in exact arithmetic, but " if right else ""
    words += "the float value is off by more than rounding explains"
    words += f"; {found.words}" if found else ""
    return _blamed(_outcome(point, Verdict.INACCURATE, compared, words), found)


def _explained(claim: Claim, point: Point, answer: Answer) -> tuple[str, Blame | None]:
    """The mistake in words, and the operation that it was made at."""
    values = point.exact.shadow.values
    found = blame(claim, point.graph, values)
    if found is None and claim.ours and not _finite(answer):
        found = poison(point.graph, values)
    here = Sighting(point.x, answer.parts, [_middles(part) for part in point.exact.parts])
    others = list(_sightings(claim, point))
    names = part_names(claim.function, len(point.x), claim.quantity)
    pairs = [(seen.claimed, seen.exact) for seen in others]
    cause = likely_cause(here.claimed, here.exact, names, pairs)
    of_the_whole = cause and "entries" not in cause
    if found is None and not claim.ours and _finite(answer) and not of_the_whole:
        found = mistake(point.graph, claim.quantity, [here, *others])
        if found is not None and cause.endswith("off"):
            cause = ""
        elif found is not None and cause:
            found = replace(found, words="")
    return cause, found


def _sightings(claim: Claim, point: Point) -> Iterator[Sighting]:
    """What is claimed at other points, beside the tape's derivative there."""
    shapes = shape_of(point.graph, claim.quantity)
    tape = claim.tape(len(point.x))
    for scale, shift in _STEPS:
        x = tuple((scale * arg + shift).astype(arg.dtype)[()] for arg in map(np.asarray, point.x))
        try:
            claimed = claim.answer(x, shapes).parts
            exact = tape.answer(x, shapes).parts
        except (SymtapeError, LookupError):
            continue
        if all(np.all(np.isfinite(part)) for part in (*claimed, *exact)):
            yield Sighting(x, claimed, exact)


def _finite(answer: Answer) -> bool:
    return all(bool(np.all(np.isfinite(part))) for part in answer.parts)


def _middles(part: Any) -> Any:
    return np.asarray(np.frompyfunc(lambda ball: float(ball.mid()), 1, 1)(part), dtype=float)


def _outcome(point: Point, verdict: Verdict, compared: Comparison, words: str) -> PointOutcome:
    outcome = PointOutcome(
        x=point.x,
        verdict=verdict,
        message=words,
        worst=compared.worst,
        bits=point.exact.bits,
    )
    value = point.exact.shadow.values[point.graph.outputs[0]]
    return replace(outcome, severity=severity(outcome, value))


def _blamed(outcome: PointOutcome, found: Blame | None) -> PointOutcome:
    if found is None:
        return outcome
    return replace(outcome, op=found.op, origin=found.origin or None)
