"""A claim judged at a point where there is a derivative: rule first, float value second."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np

from symtape.errors import BudgetSpent, SymtapeError, Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous.deciding import UndecidedOrder
from verify.claimants.claim import Answer
from verify.claimants.triangles import conventions
from verify.files import places
from verify.judging.answered import AnsweredClaim
from verify.judging.approximations import judge_approximation
from verify.judging.diagnosis.out_of_range import find_range_error, tighten_allowance
from verify.judging.rounding.comparison import Comparison, compare, rounds_to_infinity
from verify.judging.rounding.float_value import Allowance, allowance
from verify.judging.rounding.held_extremes import allow_held_extremes
from verify.judging.rounding.last_digits import has_residues, long_constants
from verify.judging.rounding.programs import Point, RuleCheck, examine, rule_errors
from verify.judging.rounding.rounded_constants import uncertainty
from verify.judging.rounding.unread import (
    allow_cancellation,
    cap_allowance,
    cap_constants,
    grossly,
)
from verify.limits.limit import DEFAULT_BUDGET
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.exact_derivative import Conflict, confirm_by_jets, derivative_at


def judge_answer(asked: AnsweredClaim) -> PointOutcome:
    """Compare the claim with the truth: rule first, float value second."""
    outcome = _judge_own(asked)
    if asked.claim.ours or not outcome.verdict.fails:
        return outcome
    for reading in conventions(asked.point.graph):
        if (shared := _judge_shared(asked, reading)) is not None:
            return shared
    return outcome


def _judge_own(asked: AnsweredClaim) -> PointOutcome:
    accuracy = asked.claim.accuracy
    return _judge_exact(asked) if accuracy is None else judge_approximation(accuracy, asked)


def _judge_shared(asked: AnsweredClaim, reading: frozenset[str]) -> PointOutcome | None:
    """CORRECT, if the claim is right where both triangles of a symmetric matrix are read."""
    point, answer = asked.point, asked.answer
    try:
        claim, forms, theirs = asked.programs.symmetrise(reading)
        graph = claim.record(point.x, asked.programs.budget)
        values = graph.values(*point.x)
        exact = derivative_at(forms, graph, point.x, DEFAULT_BUDGET, values)
        agreed = confirm_by_jets(graph, point.x, exact, values, claim.quantity)
        if isinstance(agreed, Conflict) or not agreed.finite:
            return None
        shared = AnsweredClaim(claim, theirs, Point(point.x, graph, agreed, values), answer, False)
        outcome = _judge_own(shared)
        allowed = shared.reference_allowance()
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
    compared = shared.compare(allowed, same)
    if not any(map(np.any, same)):
        compared = replace(compared, worst=None)
    return point.outcome(Verdict.CORRECT, compared, _ALONG_SYMMETRIC, outcome.power)


def _judge_exact(asked: AnsweredClaim) -> PointOutcome:
    claim, point = asked.claim, asked.point
    program = asked.programs.find_program(point, asked.answer)
    try:
        rule = None if program is None else examine(program, point.x, point.exact)
    except Unsupported as error:
        if claim.ours or isinstance(error, UndecidedOrder):
            raise
        return _judge_values(asked, error)
    honest = asked.programs.reference(point) if program is None else program
    allowed = _find_allowance(asked, honest, rule is not None and rule.wrong)
    if program is None or rule is None:
        return _judge_unfollowed(asked, allowed)
    if rule.wrong:
        excused = None
        if not claim.ours:
            told = program if any(map(program.is_computed, program.outputs)) else None
            excused = None if told else _computed_before(asked)
            room = allowed
            if told is None:
                room = cap_constants(allowed, _honest(asked), point, asked.unit)
            excused = excused or judge_constants(asked, told, room)
        return excused or _wrong_rule(asked, allowed, rule)
    return _judge_float_value(asked, program, allowed, rule)


def _wrong_rule(asked: AnsweredClaim, allowed: Allowance, rule: RuleCheck) -> PointOutcome:
    """WRONG, with the numbers of the floats where they show it, and else those of the rule."""
    compared = asked.compare(allowed, rule.excluded)
    if not _is_shown_entry_off(compared):
        # What the roundings of a wrong rule may reach is no measure of its error.
        compared = asked.compare(_honest(asked), rule.excluded)
    errors = rule_errors(rule, rule.excluded, asked.answer.parts, asked.point.exact)
    worst = compared.worst if _is_shown_entry_off(compared) else next(errors)
    beyond = compared.entries
    compared = replace(compared, worst=worst, entries=lambda: chain(beyond(), errors))
    return asked.wrong(compared)


def _computed_before(asked: AnsweredClaim) -> PointOutcome | None:
    """The verdict on constants alone that the tape's derivative may round to as well.

    An inverse of a matrix was computed, and rounded, before anybody could record it.
    """
    compared = asked.compare(asked.widen(asked.reference_allowance()))
    ruled_out = compared.beyond or compared.unbounded
    return None if ruled_out else _judge_within(asked.point, compared, None)


def _is_shown_entry_off(compared: Comparison) -> bool:
    """Whether the floats of the entry that is shown are off by more than rounding."""
    return compared.worst is not None and compared.worst.ulps > compared.worst.allowed


def _honest(asked: AnsweredClaim) -> Allowance:
    """What rounding may cost where the claim's own program is no measure."""
    if not asked.claim.ours:
        with contextlib.suppress(Unsupported, LookupError, ArithmeticError):
            return asked.bound_unknown(asked.reference_allowance())
    return asked.bound_unknown(_unlimited_allowance(asked.point))


def _unlimited_allowance(point: Point) -> Allowance:
    """Any error, where no bound is known."""
    return [np.full(np.shape(part), np.inf) for part in point.exact.parts]


def _judge_float_value(
    asked: AnsweredClaim, program: Graph, allowed: Allowance, rule: RuleCheck
) -> PointOutcome:
    """The float value of a rule that is right."""
    claim, point = asked.claim, asked.point
    compared, finite = asked.compare(allowed), _is_in_range(asked.answer, point)
    if finite:
        if (compared.lost and not claim.ours) or compared.unbounded:
            tight = tighten_allowance(
                program, allowed, point, None if claim.ours else asked.programs
            )
            allowed = allowed if tight is None else tight
            compared = asked.compare(allowed)
        if compared.unbounded and not compared.beyond:
            compared = asked.compare(asked.bound_unknown(allowed))
            if compared.beyond:
                return asked.abstain(compared, _NO_BOUND)
    if compared.beyond:
        lost = None if finite and not asked.explain else find_range_error(program, point.x)
        if not finite and (lost is None or not rule.certain):
            return asked.wrong(compared)
        if not claim.ours and (excused := _excuse(asked, program, allowed, rule)) is not None:
            return excused
        return asked.inaccurate(compared, rule.certain, lost)
    outcome = _judge_within(point, compared, rule)
    if rule.slight or not (claim.ours and outcome.verdict is Verdict.CORRECT):
        return outcome
    from verify.judging.reinforce import reinforce_outcome

    return reinforce_outcome(outcome, point, program, claim.quantity.second)


def _excuse(
    asked: AnsweredClaim, program: Graph, allowed: Allowance, rule: RuleCheck
) -> PointOutcome | None:
    """CORRECT, if residues explain the float value, or a closed form with extremes held does."""
    held = allow_held_extremes(program, asked.point, asked.claim.quantity, asked.unit)
    if held is not None:
        compared = asked.compare(held)
        if not (compared.beyond or compared.powerless):
            return _judge_within(asked.point, compared, rule)
    return _judge_residues(asked, program, allowed)


def _judge_residues(
    asked: AnsweredClaim, program: Graph, allowed: Allowance
) -> PointOutcome | None:
    """CORRECT, if the float value is off by what is left of zeros among the constants.

    In floats the cosine of a right angle is 6e-17, and what vanishes but for it has no digits.
    """
    if not has_residues(program):
        return None
    outcome = judge_constants(asked, program, allowed, residues=True)
    return outcome if outcome is not None and outcome.verdict is Verdict.CORRECT else None


def _judge_unfollowed(asked: AnsweredClaim, allowed: Allowance) -> PointOutcome:
    """The values alone, of code that goes its own way and rounds where nobody knows."""
    point = asked.point
    compared = asked.compare(allowed)
    if compared.beyond:
        allowed = allow_cancellation(asked.widen(allowed), point, asked.unit)
        compared = asked.compare(allowed)
    unknown = compared.unbounded
    if unknown:
        allowed = asked.bound_unknown(allowed)
        compared = asked.compare(allowed)
    if not compared.beyond:
        return _judge_within(point, compared, None)
    excused = judge_constants(asked, None, allowed)
    if excused is not None:
        return excused
    if asked.compare(_loosest(asked, allowed, unknown)).beyond:
        return asked.wrong(compared, _UNFOLLOWED)
    if unknown:
        return asked.abstain(compared, _NO_BOUND)
    return asked.inaccurate(compared, right=False, remark=_LITTLE)


def _loosest(asked: AnsweredClaim, allowed: Allowance, unknown: bool = True) -> Allowance:
    """What is still no gross error."""
    most = cap_allowance(allowed, asked.point, asked.unit)
    return grossly(most, asked.answer.parts, asked.point.exact, unknown)


def _judge_values(asked: AnsweredClaim, unread: Unsupported) -> PointOutcome:
    """Compare the values alone, of a program that has no reading in balls.

    Raises
    ------
    Unsupported
        As `unread`, if they are neither within rounding nor grossly off.
    """
    allowed = asked.widen(asked.reference_allowance())
    compared = asked.compare(allowed)
    if not compared.beyond and not compared.unbounded:
        return _judge_within(asked.point, compared, None)
    compared = asked.compare(_loosest(asked, allowed))
    if not compared.beyond:
        raise unread
    return asked.wrong(compared, places.relativise_text(str(unread)))


def _find_allowance(asked: AnsweredClaim, honest: Graph, excluded: bool) -> Allowance:
    """What rounding may cost `honest`; everything, if that is wrong and no bound can read it."""
    point = asked.point
    try:
        return allowance(
            honest, point.x, point.exact, asked.unit, lambda: asked.programs.reference(point)
        )
    except BudgetSpent:
        raise
    except Exception:
        # The arrays of wrong rules need not even fit each other. What exact arithmetic excludes
        # is excluded whatever rounding costs.
        if not excluded:
            raise
        return _unlimited_allowance(point)


def _judge_within(point: Point, compared: Comparison, rule: RuleCheck | None) -> PointOutcome:
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
_UNFOLLOWED: Final = "its code could not be followed, so symtape judged only what it returned"


def _is_in_range(answer: Answer, point: Point) -> bool:
    """Whether every value is finite, or the infinity that the exact one rounds to."""
    for part, balls in zip(answer.parts, point.exact.parts, strict=True):
        for index in map(tuple, np.argwhere(~np.isfinite(part)).tolist()):
            if not rounds_to_infinity(float(part[index]), balls[index], part.dtype):
                return False
    return True


def judge_constants(
    asked: AnsweredClaim, program: Graph | None, allowed: Allowance, residues: bool = False
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
    residues : bool
        As of :func:`uncertainty`.

    Returns
    -------
    PointOutcome or None
        None where constants do not explain what is off.
    """
    point, exact, programs = asked.point, asked.point.exact, asked.programs
    graphs = [point.graph] if program is None else [point.graph, program]
    shown = list(dict.fromkeys(chain.from_iterable(map(long_constants, graphs))))
    if not shown:
        return None
    rounded = uncertainty(programs.reference(point), program, point.x, exact, residues)
    if rounded is None:
        return None
    wider = [own + more for own, more in zip(allowed, rounded.parts, strict=True)]
    compared = asked.compare(wider)
    if compared.beyond and (program is None or not asked.answer.finite):
        return None
    words = _ROUNDED.format(", ".join(map(repr, shown[:_SHOWN])))
    if not rounded.telling:
        return asked.abstain(compared, f"{words}, and these hide all digits")
    # What an entry has lost to constants alone it has not lost to the rounding of its program.
    cleared = rounded.clear_claimed(asked.answer.parts, exact)
    if program is None:
        rest = rounded.confirmable(allowed, exact)
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


_SHOWN: Final = 3
_ROUNDED: Final = "its error is no larger than the last digits of these constants explain: {}"
_LOST: Final = "rounding may change all remaining digits of the float value"
