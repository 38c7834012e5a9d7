"""A claim heard at a point where there is a derivative: rule first, float value second."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous.deciding import Undecided
from verify import places
from verify.approximations import hear_approximation
from verify.claim import Answer, Claim
from verify.comparison import Comparison, compare, rounds_to_infinity
from verify.diagnosis.findings import inaccurate, wrong
from verify.other_constants import for_other_constants
from verify.proofs.reinforce import reinforced
from verify.result import PointOutcome
from verify.verdict import Verdict
from verify.witnesses.approximations import approximates
from verify.witnesses.avoidable import tightened
from verify.witnesses.derivative_program import Rule, examine
from verify.witnesses.float_value import Allowance, allowance, claimed_unit, widened
from verify.witnesses.programs import Point, Programs
from verify.witnesses.sides import other_side
from verify.witnesses.unread import grossly

__all__ = ["hear"]


def hear(
    claim: Claim, programs: Programs, point: Point, answer: Answer, explain: bool
) -> PointOutcome:
    """Compare the claim with the truth: rule first, float value second."""
    if claim.accuracy is not None:
        return hear_approximation(claim.accuracy, claim, point, answer, explain)
    program = programs.followed(point, answer)
    try:
        rule = None if program is None else examine(program, point.x, point.exact)
    except Unsupported as error:
        if claim.ours or isinstance(error, Undecided):
            raise
        return _hear_values(claim, programs, point, answer, explain, error)
    honest = programs.reference(point) if program is None else program
    unit = claimed_unit(point.graph, answer.parts)
    allowed = _allowed(programs, honest, point, unit, rule is not None and rule.wrong)
    compared = compare(answer.parts, point.exact, allowed)
    if compared.beyond and program is None:
        # Its code may go another way than the stand-in's, and round elsewhere.
        allowed = widened(allowed, honest, point.x, point.exact, unit)
        compared = compare(answer.parts, point.exact, allowed)
    if not claim.ours and (compared.beyond if rule is None else rule.wrong):
        excused = for_other_constants(claim, programs, program, point, answer, allowed, explain)
        if excused is not None:
            return excused
    excusable = rule is not None and rule.wrong and not (claim.ours or compared.beyond)
    if program and excusable and approximates(program, point.x, point.exact, unit):
        return replace(_within(point, compared, None), message=_APPROXIMATE)
    if rule is not None and rule.wrong:
        shown = compare(answer.parts, point.exact, allowed, rule.excluded)
        return wrong(claim, point, answer, shown, explain=explain)
    doubtful = compared.beyond and not claim.ours
    if doubtful and (words := _other_side(programs, honest, point, answer, allowed)):
        return _outcome(point, Verdict.UNDECIDED, compared, words)
    if compared.beyond and rule is None:
        return wrong(claim, point, answer, compared, _UNFOLLOWED, explain)
    if not _in_range(answer, point):
        return wrong(claim, point, answer, compared, explain=explain)
    if compared.lost and program is not None and not claim.ours:
        tight = tightened(program, allowed, point, programs)
        compared = compared if tight is None else compare(answer.parts, point.exact, tight)
    if compared.beyond:
        return inaccurate(claim, point, compared, explain, rule is not None and rule.certain)
    outcome = _within(point, compared, rule)
    if program is None or not (claim.ours and outcome.verdict is Verdict.CORRECT):
        return outcome
    return reinforced(outcome, point, program, claim.wanted.second)


def _other_side(
    programs: Programs, honest: Graph, point: Point, answer: Answer, allowed: Allowance
) -> str:
    """Words, if both the claim's program and the tape's may return the values by another choice.

    A claim that is wrong by a factor on all sides may well return what it returns.
    """
    words = other_side(point.graph, honest, point.x, answer.parts)
    tape = programs.reference(point)
    if not words or tape is honest:
        return words
    return other_side(point.graph, tape, point.x, answer.parts, allowed.parts)


def _hear_values(
    claim: Claim,
    programs: Programs,
    point: Point,
    answer: Answer,
    explain: bool,
    unread: Unsupported,
) -> PointOutcome:
    """Compare the values alone, of a program that has no reading in balls.

    Raises
    ------
    Unsupported
        As `unread`, if they are neither within rounding nor grossly off.
    """
    honest = programs.reference(point)
    unit = claimed_unit(point.graph, answer.parts)
    allowed = allowance(honest, point.x, point.exact, unit)
    allowed = widened(allowed, honest, point.x, point.exact, unit)
    compared = compare(answer.parts, point.exact, allowed)
    if not compared.beyond:
        return _within(point, compared, None)
    compared = compare(answer.parts, point.exact, grossly(allowed, answer.parts, point.exact))
    if not compared.beyond:
        raise unread
    return wrong(claim, point, answer, compared, places.within(str(unread)), explain)


def _allowed(
    programs: Programs, honest: Graph, point: Point, unit: float, excluded: bool
) -> Allowance:
    """What rounding may cost `honest`; everything, if that is wrong and no bound can read it."""
    try:
        return allowance(honest, point.x, point.exact, unit, lambda: programs.reference(point))
    except BudgetSpent:
        raise
    except Exception:
        # The arrays of wrong rules need not even fit each other. What exact arithmetic excludes
        # is excluded whatever rounding costs.
        if not excluded:
            raise
        parts = [np.full(np.shape(part), np.inf) for part in point.exact.parts]
        return Allowance(parts, conditioned=False)


def _within(point: Point, compared: Comparison, rule: Rule | None) -> PointOutcome:
    """The verdict on values that rounding explains: CORRECT, if that excludes anything."""
    if rule is None or not rule.certain:
        if compared.powerless:
            words = _NO_POWER.format(compared.cost)
            return _outcome(point, Verdict.UNDECIDED, compared, words)
        return _outcome(point, Verdict.CORRECT, compared, power=compared.power)
    if compared.lost:
        words = _NO_DIGITS.format(rule.bits, f"{compared.lost:.2g}", compared.cost)
        return _outcome(point, Verdict.UNDECIDED, compared, words)
    power = f"the rule: exact to 2^-{rule.bits}; its float value: {compared.power}"
    return _outcome(point, Verdict.CORRECT, compared, power=power)


_NO_POWER: Final = (
    "rounding alone may cost {} here, so the float value can neither confirm nor exclude the claim"
)
_NO_DIGITS: Final = (
    "the rule is right in exact arithmetic, to 2^-{}, but an entry of the float value is off by {} "
    "of itself, and as rounding alone may cost {} here, the value can neither be confirmed nor "
    "excluded"
)
_APPROXIMATE: Final = (
    "in exact arithmetic the branch that it takes here is an approximation, off by less than half "
    "a unit in the last place"
)
_UNFOLLOWED: Final = (
    "its code could not be followed, so what it computes is not known, only what it returned"
)


def _in_range(answer: Answer, point: Point) -> bool:
    """Whether every value is finite, or the infinity that the exact one rounds to."""
    for part, balls in zip(answer.parts, point.exact.parts, strict=True):
        for index in map(tuple, np.argwhere(~np.isfinite(part)).tolist()):
            if not rounds_to_infinity(float(part[index]), balls[index], part.dtype):
                return False
    return True


def _outcome(
    point: Point, verdict: Verdict, compared: Comparison, words: str = "", power: str = ""
) -> PointOutcome:
    return PointOutcome(
        x=point.x,
        verdict=verdict,
        message=words,
        worst=compared.worst,
        bits=point.exact.bits,
        power=power,
    )
