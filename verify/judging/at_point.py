"""A claim judged at a point where there is a derivative: rule first, float value second."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np

from symtape.errors import BudgetSpent, SymtapeError, Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous.deciding import Undecided
from verify.claimants.claim import Answer, Claim
from verify.claimants.triangles import conventions
from verify.diagnosis.out_of_range import out_of_range
from verify.judging.approximations import judge_approximation
from verify.judging.failing import inaccurate, wrong
from verify.judging.other_constants import for_other_constants
from verify.judging.reinforce import reinforced
from verify.kinks.sides import other_side
from verify.limits.budget import DEFAULT_BUDGET
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.exact_derivative import Conflict, confirmed, derivative_at
from verify.rounding.avoidable import tightened
from verify.rounding.comparison import Comparison, compare, rounds_to_infinity
from verify.rounding.derivative_program import RuleCheck, examine
from verify.rounding.float_value import Allowance, allowance, bounded, claimed_unit, widened
from verify.rounding.programs import Point, Programs
from verify.rounding.rule_error import rule_errors
from verify.rounding.unread import at_most, cancelling, grossly
from verify.sources import places


def judge_answer(
    claim: Claim, programs: Programs, point: Point, answer: Answer, explain: bool
) -> PointOutcome:
    """Compare the claim with the truth: rule first, float value second."""
    outcome = _judge_own(claim, programs, point, answer, explain)
    if claim.ours or not outcome.verdict.fails:
        return outcome
    for reading in conventions(point.graph):
        if (shared := _judge_shared(programs, point, answer, reading)) is not None:
            return shared
    return outcome


def _judge_own(
    claim: Claim, programs: Programs, point: Point, answer: Answer, explain: bool
) -> PointOutcome:
    if claim.accuracy is not None:
        return judge_approximation(claim.accuracy, claim, point, answer, explain)
    return _judge_exact(claim, programs, point, answer, explain)


def _judge_shared(
    programs: Programs, point: Point, answer: Answer, reading: frozenset[str]
) -> PointOutcome | None:
    """CORRECT, if the claim is right where both triangles of a symmetric matrix are read."""
    try:
        claim, forms, theirs = programs.symmetrised(reading)
        graph = claim.recorded(point.x, programs.budget)
        values = graph.values(*point.x)
        exact = derivative_at(forms, graph, point.x, DEFAULT_BUDGET, values)
        agreed = confirmed(graph, point.x, exact, values, claim.quantity)
        if isinstance(agreed, Conflict) or not agreed.finite:
            return None
        shared = Point(point.x, graph, agreed, values)
        outcome = _judge_own(claim, theirs, shared, answer, explain=False)
        allowed = _of_reference(theirs, shared, claimed_unit(graph, answer.parts))
    except BudgetSpent:
        raise
    except (SymtapeError, LookupError, ArithmeticError, ValueError):
        return None
    if outcome.verdict is not Verdict.CORRECT:
        return None
    # Shown is an entry that is the same either way, for the recheck knows the function alone.
    same = [
        np.array(np.frompyfunc(lambda a, b: a.overlaps(b), 2, 1)(one, other), dtype=bool)
        for one, other in zip(point.exact.parts, agreed.parts, strict=True)
    ]
    compared = compare(answer.parts, agreed, allowed, same)
    if not any(map(np.any, same)):
        compared = replace(compared, worst=None)
    return point.outcome(Verdict.CORRECT, compared, _ALONG_SYMMETRIC, outcome.power)


def _judge_exact(
    claim: Claim, programs: Programs, point: Point, answer: Answer, explain: bool
) -> PointOutcome:
    program = programs.followed(point, answer)
    try:
        rule = None if program is None else examine(program, point.x, point.exact)
    except Unsupported as error:
        if claim.ours or isinstance(error, Undecided):
            raise
        return _judge_values(claim, programs, point, answer, explain, error)
    honest = programs.reference(point) if program is None else program
    unit = claimed_unit(point.graph, answer.parts)
    allowed = _allowed(programs, honest, point, unit, rule is not None and rule.wrong)
    if program is None or rule is None:
        return _judge_unfollowed(claim, programs, honest, point, answer, allowed, explain)
    if rule.wrong:
        excused = None
        if not claim.ours:
            told = program if any(map(program.is_computed, program.outputs)) else None
            excused = None if told else _computed_before(programs, point, answer)
            excused = excused or for_other_constants(
                claim, programs, told, point, answer, allowed, explain
            )
        return excused or _wrong_rule(claim, programs, point, answer, allowed, rule, explain)
    return _judge_float_value(claim, programs, program, point, answer, allowed, rule, explain)


def _wrong_rule(
    claim: Claim,
    programs: Programs,
    point: Point,
    answer: Answer,
    allowed: Allowance,
    rule: RuleCheck,
    explain: bool,
) -> PointOutcome:
    """WRONG, with the numbers of the floats where they show it, and else those of the rule."""
    compared = compare(answer.parts, point.exact, allowed, rule.excluded)
    if not _shown(compared):
        # What the roundings of a wrong rule may reach is no measure of its error.
        honest = _honest(claim, programs, point, claimed_unit(point.graph, answer.parts))
        compared = compare(answer.parts, point.exact, honest, rule.excluded)
    errors = rule_errors(rule, rule.excluded, answer.parts, point.exact)
    worst = compared.worst if _shown(compared) else next(errors)
    beyond = compared.entries
    compared = replace(compared, worst=worst, entries=lambda: chain(beyond(), errors))
    return wrong(claim, point, answer, compared, explain=explain)


def _computed_before(programs: Programs, point: Point, answer: Answer) -> PointOutcome | None:
    """The verdict on constants alone that the tape's derivative may round to as well.

    An inverse of a matrix was computed, and rounded, before anybody could record it.
    """
    honest, unit = programs.reference(point), claimed_unit(point.graph, answer.parts)
    allowed = _of_reference(programs, point, unit)
    allowed = widened(allowed, honest, point.x, point.exact, unit)
    compared = compare(answer.parts, point.exact, allowed)
    return None if compared.beyond or compared.unbounded else _within(point, compared, None)


def _shown(compared: Comparison) -> bool:
    """Whether the floats of the entry that is shown are off by more than rounding."""
    return compared.worst is not None and compared.worst.ulps > compared.worst.allowed


def _honest(claim: Claim, programs: Programs, point: Point, unit: float) -> Allowance:
    """What rounding may cost where the claim's own program is no measure."""
    if not claim.ours:
        with contextlib.suppress(Unsupported, LookupError, ArithmeticError):
            allowed = _of_reference(programs, point, unit)
            return bounded(allowed, point.exact, unit)
    unknown = [np.full(np.shape(part), np.inf) for part in point.exact.parts]
    return bounded(Allowance(unknown, conditioned=False), point.exact, unit)


def _judge_float_value(
    claim: Claim,
    programs: Programs,
    program: Graph,
    point: Point,
    answer: Answer,
    allowed: Allowance,
    rule: RuleCheck,
    explain: bool,
) -> PointOutcome:
    """The float value of a rule that is right."""
    compared = compare(answer.parts, point.exact, allowed)
    if not claim.ours and compared.beyond:
        words = _other_side(programs, program, point, answer, allowed)
        if words:
            return point.outcome(Verdict.UNDECIDED, compared, words)
    if _in_range(answer, point):
        if (compared.lost and not claim.ours) or compared.unbounded:
            tight = tightened(program, allowed, point, None if claim.ours else programs)
            allowed = allowed if tight is None else tight
            compared = compare(answer.parts, point.exact, allowed)
        if compared.unbounded and not compared.beyond:
            unit = claimed_unit(point.graph, answer.parts)
            compared = compare(answer.parts, point.exact, bounded(allowed, point.exact, unit))
            if compared.beyond:
                return point.outcome(Verdict.UNDECIDED, compared, _NO_BOUND)
    if compared.beyond:
        finite = _in_range(answer, point)
        lost = None if finite and not explain else out_of_range(program, point.x)
        if not finite and (lost is None or not rule.certain):
            return wrong(claim, point, answer, compared, explain=explain)
        return inaccurate(claim, point, compared, explain, rule.certain, lost)
    outcome = _within(point, compared, rule)
    if rule.slight or not (claim.ours and outcome.verdict is Verdict.CORRECT):
        return outcome
    return reinforced(outcome, point, program, claim.quantity.second)


def _judge_unfollowed(
    claim: Claim,
    programs: Programs,
    honest: Graph,
    point: Point,
    answer: Answer,
    allowed: Allowance,
    explain: bool,
) -> PointOutcome:
    """The values alone, of code that goes its own way and rounds where nobody knows."""
    unit = claimed_unit(point.graph, answer.parts)
    compared = compare(answer.parts, point.exact, allowed)
    if compared.beyond:
        allowed = widened(allowed, honest, point.x, point.exact, unit)
        allowed = cancelling(allowed, point, unit)
        compared = compare(answer.parts, point.exact, allowed)
    if compared.beyond and (words := _other_side(programs, honest, point, answer, allowed)):
        return point.outcome(Verdict.UNDECIDED, compared, words)
    unknown = compared.unbounded
    if unknown:
        allowed = bounded(allowed, point.exact, unit)
        compared = compare(answer.parts, point.exact, allowed)
    if not compared.beyond:
        return _within(point, compared, None)
    excused = for_other_constants(claim, programs, None, point, answer, allowed, explain)
    if excused is not None:
        return excused
    loosest = grossly(at_most(allowed, point, unit), answer.parts, point.exact, unknown)
    if compare(answer.parts, point.exact, loosest).beyond:
        return wrong(claim, point, answer, compared, _UNFOLLOWED, explain)
    if unknown:
        return point.outcome(Verdict.UNDECIDED, compared, _NO_BOUND)
    return inaccurate(claim, point, compared, explain, right=False, remark=_LITTLE)


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


def _judge_values(
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
    allowed = _of_reference(programs, point, unit)
    allowed = widened(allowed, honest, point.x, point.exact, unit)
    compared = compare(answer.parts, point.exact, allowed)
    if not compared.beyond and not compared.unbounded:
        return _within(point, compared, None)
    loosest = grossly(at_most(allowed, point, unit), answer.parts, point.exact)
    compared = compare(answer.parts, point.exact, loosest)
    if not compared.beyond:
        raise unread
    return wrong(claim, point, answer, compared, places.within(str(unread)), explain)


def _of_reference(programs: Programs, point: Point, unit: float) -> Allowance:
    """What rounding may cost the same derivative as symtape's tape computes it."""
    return allowance(programs.reference(point), point.x, point.exact, unit)


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


def _within(point: Point, compared: Comparison, rule: RuleCheck | None) -> PointOutcome:
    """The verdict on values that rounding explains: CORRECT, if that excludes anything."""
    if rule is None or not rule.certain:
        if compared.powerless:
            words = _NO_POWER.format(compared.cost)
            return point.outcome(Verdict.UNDECIDED, compared, words)
        words = _SLIGHT if rule is not None and rule.slight else ""
        return point.outcome(Verdict.CORRECT, compared, words, compared.power)
    if compared.lost:
        words = _NO_DIGITS.format(rule.bits, f"{compared.lost:.2g}", compared.cost)
        return point.outcome(Verdict.UNDECIDED, compared, words)
    power = f"the rule: exact to 2^-{rule.bits}; its float value: {compared.power}"
    return point.outcome(Verdict.CORRECT, compared, _SLIGHT if rule.slight else "", power)


_NO_POWER: Final = (
    "rounding alone may cost {} here, so the float value can neither confirm nor exclude the claim"
)
_NO_DIGITS: Final = (
    "the rule is right in exact arithmetic, to 2^-{}, but an entry of the float value is off by {} "
    "of itself, and as rounding alone may cost {} here, the value can neither be confirmed nor "
    "excluded"
)
_SLIGHT: Final = (
    "in exact arithmetic it is off by less than half a unit in the last place, which no float shows"
)
_NO_BOUND: Final = (
    "what rounding may cost here has no bound, and the value is off by more than a few roundings"
)
_LITTLE: Final = (
    "its code could not be followed, and the value is off by more than such code has to lose, but "
    "not by more than it may lose where terms cancel"
)
_ALONG_SYMMETRIC: Final = (
    "as a derivative along symmetric matrices: NumPy reads one triangle of the matrix, and the "
    "claim shares its slopes between both"
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
