"""The judge: hears the witnesses on a claim, point by point, and gives a verdict.

The order of the questions is the order of certainty: does the point stand inside the domain,
is there a classical derivative, does the closed form enclose it, is the rule right in exact
arithmetic, and is the float value one that honest rounding may return.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NotTraceable, Unsupported
from symtape.graph.freeze import record
from symtape.graph.graph import Escape, Graph
from symtape.recording.origin import Origin
from symtape.rigorous.deciding import Undecided
from symtape.symbolic.budget import Budget
from verify import places
from verify.cases import Case, argument_names
from verify.claim import Answer, Claim, claim_of
from verify.comparison import Comparison, compare, rounds_to_infinity
from verify.contract import check_repeatable, unsteady
from verify.diagnosis.findings import inaccurate, unfit, wrong
from verify.errors import NotADerivative, UsageError
from verify.kinks.at_kink import Ridge, heard, ridge_at
from verify.kinks.boundaries import Misled
from verify.limit import time_limit
from verify.path import path_lines
from verify.proofs.reinforce import reinforced
from verify.result import PointOutcome, Result
from verify.search.explore import explore
from verify.standing import not_finite, out_of_range, outside_at
from verify.verdict import Verdict
from verify.witnesses.approximations import approximates
from verify.witnesses.avoidable import tightened
from verify.witnesses.closed_form import ClosedForms, shape_of
from verify.witnesses.derivative_program import Rule, examine
from verify.witnesses.float_value import Allowance, allowance, claimed_unit, widened
from verify.witnesses.oracles import Conflict, confirmed, derivative_at
from verify.witnesses.programs import Point, Programs
from verify.witnesses.rounded_constants import absorbed, blurred
from verify.witnesses.unread import grossly

__all__ = ["DEFAULT_BUDGET", "Judge", "verify_case"]

DEFAULT_BUDGET: Final = Budget(seconds=60.0, statements=2_000_000)

_OPERATIONS: Final = 2_000_000
"""Most operations recorded of a function, or of its derivative."""


def verify_case(case: Case, budget: Budget = DEFAULT_BUDGET, effort: float = 1.0) -> Result:
    """Judge a case at each of its points, and at those that a search of its region finds.

    Parameters
    ----------
    case : Case
    budget : Budget
        Seconds for the whole case, and statements for each symbolic step; what they do not
        suffice for ends UNDECIDED. In the main thread of a POSIX system Python code is stopped
        when the time is over, the user's own as well; elsewhere only the symbolic steps are.

    effort : float
        How much is searched of a region: 1 for about a second of a small function.

    Raises
    ------
    UsageError
        The claim cannot be judged as it is put: a gradient of an array.
    NotTraceable, NotOnTape
        The function returned no array, or did what no tape can follow.
    """
    started = time.perf_counter()
    judge = Judge(claim_of(case), budget)
    outcomes = [judge.at(x) for x in case.at]
    found = None if case.over is None else explore(case, judge, effort)
    first = judge.graph
    return Result(
        case=case,
        points=(*outcomes, *(() if found is None else found.points)),
        claimant=judge.claim.claimant,
        path=() if first is None else tuple(path_lines(first)),
        escapes=() if first is None else tuple(_left(escape) for escape in first.escapes),
        seconds=time.perf_counter() - started,
        coverage=None if found is None else found.coverage,
        survey=None if found is None else found.survey,
    )


class Judge:
    """Hears one claim at point after point, and remembers what the points have in common.

    Parameters
    ----------
    claim : Claim
    budget : Budget
        For all points together, from now on.

    Attributes
    ----------
    explain : bool
        Whether to say, of what fails, which operation and which mistake it comes from.
    graph : Graph or None
        The function as it was recorded first.
    forms : ClosedForms
        Of the exact derivative, for each way that the function computed so far.
    """

    def __init__(self, claim: Claim, budget: Budget = DEFAULT_BUDGET) -> None:
        self.claim = claim
        self.budget = budget
        self.explain = True
        self._steady = self._repeated = False
        self.graph: Graph | None = None
        self._started = time.perf_counter()
        self.forms = ClosedForms(claim.quantity)
        self._programs = Programs(claim, _OPERATIONS)

    def at(self, x: tuple[Any, ...]) -> PointOutcome:
        """What there is to say of the claim at one point.

        Raises
        ------
        UsageError, NotTraceable, NotOnTape
            As :func:`verify_case`.
        """
        x = tuple(np.asarray(arg, dtype=_float_dtype(arg))[()] for arg in x)
        left = self.budget.seconds - (time.perf_counter() - self._started)
        try:
            with np.errstate(all="ignore"), time_limit(left, self.budget.seconds):
                return self._judge(x, replace(self.budget, seconds=left))
        except BudgetSpent as error:
            return PointOutcome(x, Verdict.UNDECIDED, str(error))

    def _judge(self, x: tuple[Any, ...], budget: Budget) -> PointOutcome:
        if words := not_finite(x, argument_names(self.claim.function, len(x))):
            return PointOutcome(x, Verdict.OUTSIDE, words)
        try:
            graph = record(self.claim.function, *x, budget=_OPERATIONS)
        except Exception as error:
            if not _leaves_the_domain(error):
                raise
            place = places.of_error(error)
            words = f"the function raised {type(error).__name__}: {error}"
            return PointOutcome(x, Verdict.OUTSIDE, words, origin=place or None)
        self.graph = self.graph or graph
        try:
            return self._judge_graph(x, graph, budget)
        except (BudgetSpent, Unsupported) as error:
            return PointOutcome(x, Verdict.UNDECIDED, places.within(str(error)))
        except LookupError as error:
            if type(error) is not LookupError:
                raise
            return PointOutcome(x, Verdict.UNDECIDED, _unregistered(graph, error))

    def _judge_graph(self, x: tuple[Any, ...], graph: Graph, budget: Budget) -> PointOutcome:
        _check_output(self.claim, graph)
        values = graph.values(*x)
        if outside := outside_at(graph, values):
            return _told(x, Verdict.OUTSIDE, *outside)
        if graph.escapes:
            return PointOutcome(x, Verdict.UNDECIDED, _escaped(graph))
        if words := self._unsteady(x):
            return PointOutcome(x, Verdict.UNDECIDED, words)
        exact = derivative_at(self.forms, graph, x, budget, values)
        if not exact.by_jets:
            found = ridge_at(self.claim.function, exact, x, self.claim.quantity)
            if isinstance(found, Misled):
                return _told(x, Verdict.UNDECIDED, found.words, found.op, found.origin)
            if isinstance(found, Ridge):
                return heard(self.claim, found, Point(x, graph, exact))
            exact = found
        if not exact.by_jets:
            sworn = confirmed(graph, x, exact, values, self.claim.quantity)
            if isinstance(sworn, Conflict):
                return PointOutcome(x, Verdict.UNDECIDED, str(sworn))
            exact = sworn
        if not exact.finite:
            words = "the closed form of the derivative has no finite enclosure here"
            return PointOutcome(x, Verdict.UNDECIDED, words)
        if words := out_of_range(exact.parts, np.result_type(*x)):
            return PointOutcome(x, Verdict.OUTSIDE, words)
        point = Point(x, graph, exact)
        shapes = shape_of(graph, self.claim.quantity)
        try:
            if not self._repeated:
                check_repeatable(self.claim, x, shapes)
                self._repeated = True
            answer = self.claim.answer(x, shapes)
        except NotADerivative as error:
            return unfit(self.claim, point, error, self.explain)
        return _hear(self.claim, self._programs, point, answer, self.explain)

    def _unsteady(self, x: tuple[Any, ...]) -> str:
        """Words for a function without a single value; it is asked twice at the first point."""
        if self._steady:
            return ""
        words = unsteady(self.claim.function, x)
        self._steady = not words
        return words


def _leaves_the_domain(error: Exception) -> bool:
    """Whether a function raised because it is undefined, rather than because it is broken."""
    if isinstance(error, np.linalg.LinAlgError | ArithmeticError):
        return not isinstance(error, AssertionError)
    return isinstance(error, ValueError) and "math domain error" in str(error)


def _float_dtype(arg: Any) -> Any:
    dtype = np.asarray(arg).dtype
    return dtype if dtype.kind == "f" else np.float64


def _unregistered(graph: Graph, error: LookupError) -> str:
    """The registry's words, and the lines that applied the operation."""
    (words,) = error.args
    lines = {
        places.relative(places.of_origin(node.origin)): None
        for node in graph.nodes
        if node.primitive is not None and node.primitive.missing and node.name in str(words)
    }
    return f"{words}, applied at {', '.join(lines)}" if any(lines) else str(words)


def _left(escape: Escape) -> str:
    return f"{escape.how} at {places.relative(str(escape.origin))}"


def _escaped(graph: Graph) -> str:
    words = ", ".join(dict.fromkeys(_left(escape) for escape in graph.escapes[:3]))
    return (
        f"a value left the tape by {words}, and what came back counts as a constant; "
        "use the np.* function of the same name, which is recorded"
    )


def _told(
    x: tuple[Any, ...], verdict: Verdict, words: str, op: str, origin: Origin | None
) -> PointOutcome:
    """A verdict on the point itself, for which an operation of the function is the reason."""
    place = places.of_origin(origin)
    return PointOutcome(x, verdict, words, op=op or None, origin=place or None)


def _check_output(claim: Claim, graph: Graph) -> None:
    if len(graph.outputs) != 1:
        raise NotTraceable(
            f"the function returned {len(graph.outputs)} outputs; verify one at a time, or join "
            "them with np.stack or np.concatenate"
        )
    output = graph.nodes[graph.outputs[0]]
    if claim.quantity != "jacobian" and output.shape != ():
        raise UsageError(
            f"the {claim.quantity} is that of a scalar function, and this one returned shape "
            f"{output.shape}; sum it, or verify its jacobian"
        )
    if output.dtype.kind != "f":
        raise NotTraceable(
            f"the function returned dtype {output.dtype}; expected real floating-point numbers"
        )


def _hear(
    claim: Claim, programs: Programs, point: Point, answer: Answer, explain: bool
) -> PointOutcome:
    """Compare the claim with the truth: rule first, float value second."""
    program = programs.followed(point, answer)
    try:
        rule = None if program is None else examine(program, point.x, point.exact)
    except Unsupported as error:
        if claim.ours or isinstance(error, Undecided):
            raise
        return _hear_values(claim, programs, point, answer, explain, error)
    honest = programs.reference(point) if program is None else program
    unit = claimed_unit(point.graph, answer.parts)
    allowed = _allowed(honest, point, unit, rule is not None and rule.wrong)
    compared = compare(answer.parts, point.exact, allowed)
    if compared.beyond and program is None:
        # Its code may go another way than the stand-in's, and round elsewhere.
        allowed = widened(allowed, honest, point.x, point.exact, unit)
        compared = compare(answer.parts, point.exact, allowed)
    if program and rule and rule.wrong and not (claim.ours or compared.beyond):
        rule = blurred(program, point.graph, point.x, point.exact)
        if rule.wrong and approximates(program, point.x, point.exact, unit):
            return replace(_within(point, compared, None), message=_APPROXIMATE)
        if rule.wrong and (outcome := _without_constant(programs, program, point, answer)):
            return outcome
    if rule is not None and rule.wrong:
        shown = compare(answer.parts, point.exact, allowed, rule.excluded)
        return wrong(claim, point, answer, shown, explain=explain)
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
    if program is None or not (claim.ours and explain and outcome.verdict is Verdict.CORRECT):
        return outcome
    return reinforced(outcome, point, program, claim.quantity)


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


def _without_constant(
    programs: Programs, program: Graph, point: Point, answer: Answer
) -> PointOutcome | None:
    """CORRECT by its values, if all that is off is a constant of the function that was rounded."""
    honest = programs.reference(point)
    unit = claimed_unit(point.graph, answer.parts)
    allowed = allowance(honest, point.x, point.exact, unit)
    allowed = widened(allowed, honest, point.x, point.exact, unit)
    compared = compare(answer.parts, point.exact, allowed)
    constant = absorbed(program, point.graph, point.x, point.exact, allowed.parts)
    if constant is None or compared.beyond:
        return None
    return replace(_within(point, compared, None), message=_ABSORBED.format(constant))


def _allowed(honest: Graph, point: Point, unit: float, excluded: bool) -> Allowance:
    """What rounding may cost `honest`; everything, if that is wrong and no bound can read it."""
    try:
        return allowance(honest, point.x, point.exact, unit)
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
_ABSORBED: Final = (
    "in exact arithmetic it is off by no more than rounding may cost; the function's constant {!r} "
    "is rounded, and the claim does without it"
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
