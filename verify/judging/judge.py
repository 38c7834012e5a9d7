"""The judge: asks every oracle about a claim, point by point, and gives a verdict.

The order of the questions is the order of certainty: does the point stand inside the domain,
is there a classical derivative, does the closed form enclose it, is the rule right in exact
arithmetic, and is the float value one that honest rounding may return.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NoGradient, NotTraceable, Unsupported
from symtape.graph.graph import Graph, has_complex_nodes
from symtape.process.budget import Budget
from symtape.reading.readings import remember_failures
from symtape.recording.origin import Origin
from symtape.rigorous.backward_error import allow_xla_answers, is_xla
from verify.adapters import advice
from verify.claimants.claim import Claim, claim_of, modes_of
from verify.claimants.determinism import Repeatability, check_repeatable, stale_tensors
from verify.claimants.stopped_gradients import (
    BOTH_OFF,
    HELD,
    OF_VALUES,
    do_balls_overlap,
    remove_stops,
    stopping_lines,
)
from verify.claimants.untraceable import unrecorded_result
from verify.errors import NotADerivative, NotAFunction, Refused
from verify.files import places
from verify.files.places import path_lines
from verify.judging.answered import (
    AnsweredClaim,
    RecordedPoint,
    check_output,
    describe_escapes,
    describe_unregistered,
    escape_place,
    float_dtype,
    leaves_the_domain,
    other_dtype,
)
from verify.judging.approximations import add_accuracy
from verify.judging.at_point import judge_answer
from verify.judging.kinks.at_kink import (
    NonsmoothPoint,
    derivative_or_kink,
    is_smooth,
    verdict_at_kink,
    zero_times_infinite,
)
from verify.judging.kinks.boundaries import RoundedChoice
from verify.judging.kinks.domain import (
    describe_flushed_argument,
    describe_overflow,
    find_domain_violation,
    not_finite,
)
from verify.judging.modes import Modes
from verify.judging.rounding.programs import Point, Programs
from verify.judging.sampled.fallback import add_samples
from verify.judging.search.ledger import add_given_up, no_function, stopped_outcomes
from verify.limits.limit import DEFAULT_BUDGET, Stopwatch, keep_ticking, time_limit
from verify.model.case import Case, argument_names
from verify.model.grade import grade_outcome
from verify.model.internal_errors import is_internal, outcome_of
from verify.model.result import KinkFacts, PointOutcome, Result
from verify.model.source import Located
from verify.model.verdict import Verdict, gravest
from verify.oracles.closed_form import ClosedForms, shape_of
from verify.oracles.exact_derivative import (
    Conflict,
    confirm_by_jets,
    confirm_one_function,
    derivative_at,
)
from verify.oracles.fidelity import Fidelity
from verify.oracles.recheck.opinion import recheck_outcomes

_OPERATIONS: Final = 250_000
"""Most operations, and decisions, recorded of a function: a loop that does not end reaches it long
before a call may not take any longer."""

_OF_DERIVATIVE: Final = 2_000_000
"""Most operations recorded of its derivative."""


def verify_case(
    case: Case, budget: Budget = DEFAULT_BUDGET, effort: float = 1.0, proved: bool = False
) -> Result:
    """Judge a case at each of its points, and at those that a search of its region finds.

    What cannot be decided is looked at by samples as well.

    Parameters
    ----------
    case : Case
    budget : Budget
        Seconds for the whole case, and statements for each symbolic step; what they do not
        suffice for ends UNDECIDED. Python code is stopped when the time is over, the user's own
        as well. A single call of the function or of the claim may take half of it.
    effort : float
        How much is searched of a region: 1 takes a second or two for a small function.
    proved : bool
        Whether to prove what can be proved on parts of the region, and not just all of it where
        that is cheap.

    Raises
    ------
    UsageError
        The claim cannot be judged as it is put: a gradient of an array.
    NotTraceable, NotOnTape
        The function returned no array, or did what no tape can follow.
    """
    with remember_failures(), np.errstate(all="ignore"):
        try:
            return _verify_limited(case, budget, effort, proved)
        except Exception as error:  # raised again, unless the function could not be recorded
            told = unrecorded_result(case, error)
            if told is None:
                raise
            result = add_samples(told, budget)
            if result.sampled is None and not is_internal(error):
                raise
            return result


def _verify_limited(case: Case, budget: Budget, effort: float, proved: bool) -> Result:
    started = time.perf_counter()
    claim = claim_of(case)
    further = modes_of(case, claim)
    modes = Modes(further, case.mode, _OF_DERIVATIVE, effort) if further else None
    judge = Judge(claim, budget, modes)
    try:
        with keep_ticking():
            outcomes = _judge_points(judge, case.at)
            found = None
            if case.over is not None:
                from verify.judging.search.explore import explore  # needed for regions alone

                found = explore(case, judge, effort, proved)
            searched = () if found is None else _worst_again(judge, found.points)
    except NotAFunction as error:
        return no_function(case, error, time.perf_counter() - started)
    first = judge.graph
    survey = None if found is None else found.survey
    points = (*outcomes, *searched)
    if claim.calls.stopped:
        points = (*outcomes, *stopped_outcomes(claim, points), *searched)
    points = recheck_outcomes(claim, points)
    result = Result.from_points(
        case,
        add_accuracy(claim, points, survey) if any(it.verdict.fails for it in points) else points,
        path=() if first is None else tuple(map(Located, path_lines(first))),
        escapes=() if first is None else tuple(Located(escape_place(it)) for it in first.escapes),
        seconds=time.perf_counter() - started,
        coverage=None if found is None else add_given_up(found.coverage, claim),
        survey=survey,
    )
    if result.verdict in (Verdict.UNDECIDED, Verdict.KINK) and not claim.calls.stopped:
        result = add_samples(result, budget)
    if found is None or found.proof is None:
        return result
    from verify.judging.reinforce import add_region_proof

    return add_region_proof(result, claim, found.proof)


def _judge_points(judge: Judge, points: Sequence[tuple[Any, ...]]) -> list[PointOutcome]:
    """The verdicts at points; UNDECIDED where the function cannot be recorded, if it can at one."""
    outcomes, errors = [], []
    for x in points:
        try:
            outcomes.append(judge.judge_with_modes(x))
        except NotTraceable as error:
            errors.append(error)
            outcomes.append(
                PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(error), code=error.code)
            )
    if errors and len(errors) == len(outcomes):
        raise errors[0]
    return outcomes


def _worst_again(judge: Judge, points: tuple[PointOutcome, ...]) -> tuple[PointOutcome, ...]:
    """The points of a search, of which the worst was put before every mode as well."""
    correct = [point for point in points if point.verdict is Verdict.CORRECT and point.worst]
    if judge.modes is None or len(correct) < len(points):
        return points
    worst = max(correct, key=lambda point: point.worst.ulps if point.worst else 0.0)
    again = judge.judge_with_modes(worst.x)
    return points if again.verdict is Verdict.CORRECT else (again, *points)


class Judge:
    """Judges one claim at point after point, and remembers what the points have in common.

    Parameters
    ----------
    claim : Claim
    budget : Budget
        For all points together, from now on.
    modes : Modes, optional
        Further ways to the same derivative.

    Attributes
    ----------
    explain : bool
        Whether to say, of what fails, which operation and which mistake it comes from.
    graph : Graph or None
        The function as it was recorded first.
    forms : ClosedForms
        Of the exact derivative, for each way that the function computed so far.
    """

    def __init__(
        self,
        claim: Claim,
        budget: Budget = DEFAULT_BUDGET,
        modes: Modes | None = None,
    ) -> None:
        self.claim = claim
        self.modes = modes
        self.budget = budget
        self.explain = True
        claim.calls.seconds = budget.seconds
        self._repeatability = Repeatability(claim, _OPERATIONS)
        self._stops = self._writes = ""
        self.graph: Graph | None = None
        self._watch = Stopwatch()
        self.forms = ClosedForms(claim.quantity)
        self.fidelity = Fidelity(claim)
        self._programs = Programs(claim, _OF_DERIVATIVE)

    @property
    def uses_xla(self) -> bool:
        """Whether any of the claims computes as XLA does."""
        return self.claim.uses_xla or (self.modes is not None and self.modes.uses_xla)

    @property
    def departure(self) -> str:
        """Where a recording was not the function, in words; empty where all were."""
        return self.fidelity.departed

    def judge_with_modes(self, x: tuple[Any, ...]) -> PointOutcome:
        """As :meth:`at`, where all modes are judged however many points there were before."""
        if self.modes is None:
            return self.judge_point(x)
        left, self.modes.left = self.modes.left, 1
        try:
            return self.judge_point(x)
        finally:
            self.modes.left = max(left, self.modes.left)

    def judge_point(self, x: tuple[Any, ...]) -> PointOutcome:
        """What there is to say of the claim at one point.

        Raises
        ------
        UsageError, NotTraceable, NotOnTape
            As :func:`verify_case`.
        """
        x = tuple(np.asarray(arg, dtype=float_dtype(arg))[()] for arg in x)
        left = self.budget.seconds - self._watch.seconds
        try:
            with (
                np.errstate(all="ignore"),
                time_limit(left, self.budget.seconds),
                allow_xla_answers(self.uses_xla),
            ):
                return self._judge(x, self.budget)
        except BudgetSpent as error:
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(error))
        except Exception as error:  # raised again, unless it is an error of symtape's own
            if not is_internal(error):
                raise
            return outcome_of(x, error)

    def _judge(self, x: tuple[Any, ...], budget: Budget) -> PointOutcome:
        if words := not_finite(x, argument_names(self.claim.function, len(x))):
            return PointOutcome.from_judgement(x, Verdict.OUTSIDE, words)
        if self.fidelity.departed:
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, self.fidelity.departed)
        if is_xla() and (
            words := describe_flushed_argument(x, argument_names(self.claim.function, len(x)))
        ):
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words)
        try:
            graph = self.claim.record(x, _OPERATIONS)
        except Exception as error:  # users' code: raised again, unless it is out of its domain
            if words := advice(error):
                raise NotTraceable(words) from error
            if isinstance(error, Unsupported):
                words = places.relativise_text(str(error))
                return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words, code=error.code)
            if not leaves_the_domain(error):
                raise
            if words := self.fidelity.check_raised(error, x):
                return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words)
            place = places.place_of_error(error)
            words = f"the function raised {type(error).__name__}: {error}"
            return PointOutcome.from_judgement(x, Verdict.OUTSIDE, words, origin=place or None)
        self.graph = self.graph or graph
        try:
            outcome = _add_words(self._judge_graph(x, graph, budget), self._writes)
            if not outcome.verdict.fails:
                return outcome
            return grade_outcome(
                outcome, self.claim.quantity, graph, approximates=not self.claim.ours
            )
        except (BudgetSpent, Unsupported) as error:
            words = places.relativise_text(str(error))
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words, code=error.code)
        except NoGradient as error:
            words = describe_unregistered(graph, error)
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words, code=error.code)

    def _judge_graph(self, x: tuple[Any, ...], graph: Graph, budget: Budget) -> PointOutcome:
        # Complex numbers that are left say here which operation of them has no reading.
        if has_complex_nodes(graph):
            from symtape.graph.cartesian.lower import split_complex_nodes

            split_complex_nodes(graph)
        check_output(self.claim, graph)
        values = graph.values(*x)
        if outside := find_domain_violation(graph, values):
            if words := self.fidelity.check_value(graph, x):
                return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words)
            return _point_outcome(x, Verdict.OUTSIDE, *outside)
        if words := stale_tensors(graph):
            raise NotAFunction(words, x)
        if graph.escapes:
            code = graph.escapes[0].code
            return PointOutcome.from_judgement(
                x, Verdict.UNDECIDED, describe_escapes(graph), code=code
            )
        if twice := self._repeatability.is_due():
            self._writes = self._repeatability.check_function(x) or self._writes
        if words := self.fidelity.check(graph, x):
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words)
        point = RecordedPoint(x, graph, values, twice)
        if any(node.stops for node in graph.nodes) and (lines := stopping_lines(graph)):
            return self._judge_stopped(point, budget, lines)
        return self._judge_derivative(point, budget)

    def _judge_stopped(self, point: RecordedPoint, budget: Budget, lines: str) -> PointOutcome:
        """A claim about a function that stops a gradient, which may be either derivative."""
        through = remove_stops(point.graph)
        free = replace(point, graph=through, values=through.values(*point.x), modes=False)
        if not self._stops_matter(point, free, budget):
            return self._judge_derivative(point, budget)
        if self._stops == OF_VALUES:
            return _add_words(self._judge_derivative(free, budget), OF_VALUES.format(lines))
        # One mode of a framework may stop, and another not.
        outcome = self._judge_derivative(replace(point, modes=False), budget)
        if outcome.verdict is Verdict.CORRECT:
            self._stops = HELD
            return _add_words(outcome, HELD.format(lines))
        if not outcome.verdict.fails:
            return outcome
        if not (self.claim.ours or self._stops):
            other = self._judge_derivative(free, budget)
            if gravest([other.verdict, outcome.verdict]) is not other.verdict:
                self._stops = "" if other.verdict is Verdict.UNDECIDED else OF_VALUES
                return _add_words(other, OF_VALUES.format(lines))
        return _add_words(outcome, BOTH_OFF.format(lines))

    def _stops_matter(self, point: RecordedPoint, free: RecordedPoint, budget: Budget) -> bool:
        """Whether the derivative is another one if nothing is stopped, or may be."""
        held = derivative_at(self.forms, point.graph, point.x, budget, point.values)
        try:
            of_values = derivative_at(self.forms, free.graph, free.x, budget, free.values)
        except (Unsupported, LookupError):
            return True
        return not all(map(do_balls_overlap, held.parts, of_values.parts))

    def _judge_derivative(self, point: RecordedPoint, budget: Budget) -> PointOutcome:
        """The claim beside the exact derivative of what was recorded."""
        x, graph, values, twice = point.x, point.graph, point.values, point.twice
        exact = derivative_at(self.forms, graph, x, budget, values)
        agreed = confirm_one_function(graph, x, exact, values, self.claim.quantity)
        if isinstance(agreed, Conflict):
            return _disputed_outcome(x, agreed)
        whole = exact = agreed
        if not exact.by_jets:
            found = derivative_or_kink(self.claim.function, exact, x, self.claim.quantity, budget)
            if isinstance(found, RoundedChoice):
                told = _point_outcome(x, Verdict.UNDECIDED, found.words, found.op, found.origin)
                return self._judge_on_sides(told, graph, budget, wrong_branch=True)
            if isinstance(found, NonsmoothPoint):
                told = verdict_at_kink(self.claim, found, Point(x, graph, exact, values))
                return self._judge_on_sides(told, graph, budget)
            exact = found
        if not exact.by_jets:
            agreed = confirm_by_jets(graph, x, exact, values, self.claim.quantity)
            if isinstance(agreed, Conflict):
                # Readings that stand on two sides of a branch need not be wrong.
                return self._judge_on_sides(
                    _disputed_outcome(x, agreed), graph, budget, wrong_branch=True
                )
            exact = agreed
        if not exact.finite:
            words = "the closed form of the derivative has no finite enclosure here"
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words)
        if words := describe_overflow(exact.parts, np.result_type(*x)):
            return PointOutcome.from_judgement(x, Verdict.OUTSIDE, words)
        known = Point(x, graph, exact, values)
        shapes = shape_of(graph, self.claim.quantity)
        try:
            if twice:
                check_repeatable(self.claim, x, shapes)
            answer = self.claim.answer(x, shapes)
        except Refused as error:
            if self.claim.ours:
                self._writes = self._repeatability.check_function(x) or self._writes
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(error), bits=exact.bits)
        except NotADerivative as error:
            return self._unfit(known, error)
        if unbounded := zero_times_infinite(whole if exact.given else None, answer):
            return PointOutcome.from_judgement(x, Verdict.KINK, unbounded, kink=KinkFacts())
        outcome = judge_answer(
            AnsweredClaim(self.claim, self._programs, known, answer, self.explain)
        )
        outcome = self._judge_on_sides(outcome, graph, budget)
        if outcome.verdict.fails and not twice and self._repeatability.is_due_where_it_fails():
            self._writes = self._repeatability.check_function(x) or self._writes
            try:
                check_repeatable(self.claim, x, shapes)
            except NotADerivative as error:
                return self._unfit(known, error)
        alone = self.fidelity.alone if outcome.verdict is Verdict.CORRECT else ""
        for words in (other_dtype(self.claim, graph, answer.parts), alone):
            outcome = _add_words(outcome, words) if words else outcome
        if point.modes and self.modes is not None:
            on_sides = functools.partial(self._judge_on_sides, graph=graph, budget=budget)
            outcome = self.modes.judge(known, outcome, self.explain, on_sides)
        return replace(outcome, unconfirmed=exact.unconfirmed)

    def _unfit(self, point: Point, error: NotADerivative) -> PointOutcome:
        """That the claim did or returned what is no derivative."""
        from verify.judging.diagnosis.findings import unfit

        return unfit(self.claim, point, error, self.explain)

    def _judge_on_sides(
        self,
        outcome: PointOutcome,
        graph: Graph,
        budget: Budget,
        wrong_branch: bool = False,
        claim: Claim | None = None,
    ) -> PointOutcome:
        """What becomes of a claim that does not pass where rounding picks the branch."""
        x, claim = outcome.x, claim or self.claim
        undecided = outcome.verdict is Verdict.UNDECIDED
        if is_smooth(graph) or not (outcome.verdict.fails or undecided):
            return outcome
        from verify.judging.kinks.rounded_branches import judge_on_sides, sides_at

        sides = sides_at(self.claim, self.forms, graph, x, budget, wrong_branch)
        if sides is None:
            return outcome
        try:
            answer = claim.answer(x, shape_of(graph, claim.quantity))
        except (NotADerivative, Refused):
            return outcome
        found = judge_on_sides(claim, sides, outcome, answer.parts, wrong_branch)
        return outcome if found is None else replace(found, conflict=False)


def _add_words(outcome: PointOutcome, words: str) -> PointOutcome:
    return replace(outcome, message="; ".join(filter(None, [outcome.message, words])))


def _point_outcome(
    x: tuple[Any, ...], verdict: Verdict, words: str, op: str, origin: Origin | None
) -> PointOutcome:
    """A verdict on the point itself, for which an operation of the function is the reason."""
    place = places.place_of_origin(origin)
    return PointOutcome.from_judgement(x, verdict, words, op=op or None, origin=place or None)


def _disputed_outcome(x: tuple[Any, ...], words: Conflict) -> PointOutcome:
    return PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(words), conflict=True)
