"""The judge: hears the witnesses on a claim, point by point, and gives a verdict.

The order of the questions is the order of certainty: does the point stand inside the domain,
is there a classical derivative, does the closed form enclose it, is the rule right in exact
arithmetic, and is the float value one that honest rounding may return.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NotTraceable, Unsupported
from symtape.graph.freeze import record
from symtape.graph.graph import Escape, Graph
from symtape.recording.origin import Origin
from symtape.symbolic.budget import Budget
from verify import places
from verify.branches import Misled, branch_at
from verify.cases import Case, argument_names, part_names
from verify.causes import likely_cause
from verify.claim import Answer, Claim, claim_of
from verify.comparison import Comparison, compare
from verify.diagnose import Blame, blame, poison
from verify.errors import NotADerivative, UsageError
from verify.kinks import kink_at
from verify.limit import time_limit
from verify.path import path_lines
from verify.result import PointOutcome, Result
from verify.standing import not_finite, out_of_range, outside_at
from verify.verdict import Verdict
from verify.witnesses.closed_form import Truth, shape_of, truth
from verify.witnesses.derivative_program import excluded
from verify.witnesses.float_value import allowance, unit_of

__all__ = ["DEFAULT_BUDGET", "verify_case"]

DEFAULT_BUDGET: Final = Budget(seconds=60.0, statements=2_000_000)

_OPERATIONS: Final = 2_000_000
"""Most operations recorded of a function, or of its derivative."""


@dataclass(frozen=True, slots=True)
class _Point:
    """What is known of a point before its claim is heard."""

    x: tuple[Any, ...]
    graph: Graph
    exact: Truth


def verify_case(case: Case, budget: Budget = DEFAULT_BUDGET) -> Result:
    """Judge a case at each of its points.

    Parameters
    ----------
    case : Case
    budget : Budget
        Seconds for the whole case, and statements for each symbolic step; what they do not
        suffice for ends UNDECIDED. In the main thread of a POSIX system Python code is stopped
        when the time is over, the user's own as well; elsewhere only the symbolic steps are.

    Raises
    ------
    UsageError
        The claim cannot be judged as it is put: a gradient of an array.
    NotTraceable, NotOnTape
        The function returned no array, or did what no tape can follow.
    """
    started = time.perf_counter()
    claim = claim_of(case)
    outcomes, first = [], None
    with np.errstate(all="ignore"):
        for x in case.at:
            left = budget.seconds - (time.perf_counter() - started)
            outcome, graph = _limited(claim, x, replace(budget, seconds=left), budget.seconds)
            outcomes.append(outcome)
            first = first or graph
    return Result(
        case=case,
        points=tuple(outcomes),
        claimant=claim.claimant,
        path=() if first is None else tuple(path_lines(first)),
        escapes=() if first is None else tuple(_left(escape) for escape in first.escapes),
        seconds=time.perf_counter() - started,
    )


def _limited(
    claim: Claim, x: tuple[Any, ...], budget: Budget, whole: float
) -> tuple[PointOutcome, Graph | None]:
    x = tuple(np.asarray(arg, dtype=_float_dtype(arg))[()] for arg in x)
    try:
        with time_limit(budget.seconds, whole):
            return _judge(claim, x, budget)
    except BudgetSpent as error:
        return PointOutcome(x, Verdict.UNDECIDED, str(error)), None


def _judge(claim: Claim, x: tuple[Any, ...], budget: Budget) -> tuple[PointOutcome, Graph | None]:
    if words := not_finite(x, argument_names(claim.function, len(x))):
        return PointOutcome(x, Verdict.OUTSIDE, words), None
    try:
        graph = record(claim.function, *x, budget=_OPERATIONS)
    except Exception as error:
        if not _leaves_the_domain(error):
            raise
        place = places.of_error(error)
        words = f"the function raised {type(error).__name__}: {error}"
        return PointOutcome(x, Verdict.OUTSIDE, words, origin=place or None), None
    try:
        return _judge_graph(claim, x, graph, budget), graph
    except (BudgetSpent, Unsupported) as error:
        return PointOutcome(x, Verdict.UNDECIDED, places.within(str(error))), graph
    except LookupError as error:
        if type(error) is not LookupError:
            raise
        return PointOutcome(x, Verdict.UNDECIDED, _unregistered(graph, error)), graph


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


def _judge_graph(claim: Claim, x: tuple[Any, ...], graph: Graph, budget: Budget) -> PointOutcome:
    _check_output(claim, graph)
    values = graph.values(*x)
    if outside := outside_at(graph, values):
        return _told(x, Verdict.OUTSIDE, *outside)
    if graph.escapes:
        words = ", ".join(dict.fromkeys(_left(escape) for escape in graph.escapes[:3]))
        return PointOutcome(
            x,
            Verdict.UNDECIDED,
            f"a value left the tape by {words}, and what came back counts as a constant; "
            "use the np.* function of the same name, which is recorded",
        )
    exact = truth(graph, x, claim.quantity, budget)
    branch = branch_at(graph, exact.shadow, x, claim.quantity)
    if isinstance(branch, Misled):
        return _told(x, Verdict.UNDECIDED, branch.words, branch.op, branch.origin)
    if kink := kink_at(graph, exact.shadow) or branch:
        return _told(x, Verdict.KINK, kink.words, kink.op, kink.origin)
    if not exact.finite:
        return PointOutcome(
            x, Verdict.UNDECIDED, "the closed form of the derivative has no finite enclosure here"
        )
    if words := out_of_range(exact.parts, np.result_type(*x)):
        return PointOutcome(x, Verdict.OUTSIDE, words)
    return _hear(claim, _Point(x, graph, exact))


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


def _hear(claim: Claim, point: _Point) -> PointOutcome:
    """Compare the claim with the truth: rule first, float value second."""
    shapes = shape_of(point.graph, claim.quantity)
    try:
        answer = claim.answer(point.x, shapes)
    except NotADerivative as error:
        return _unfit(claim, point, error)
    program = _program(claim, point, answer)
    honest = claim.reference(point.x, _OPERATIONS) if program is None else program
    allowed = allowance(honest, point.x, point.exact, _unit(point.graph, answer.parts))
    compared = compare(answer.parts, point.exact, allowed)
    wrong_rule = None if program is None else excluded(program, point.x, point.exact)
    if wrong_rule is not None and any(np.any(flags) for flags in wrong_rule):
        shown = compare(answer.parts, point.exact, allowed, wrong_rule)
        return _wrong(claim, point, answer, shown, "")
    if compared.beyond and program is None:
        return _wrong(claim, point, answer, compared, _UNFOLLOWED)
    if not _finite(answer):
        return _wrong(claim, point, answer, compared, "")
    if compared.beyond:
        return _inaccurate(claim, point, compared)
    if program is None and compared.powerless:
        return _outcome(point, Verdict.UNDECIDED, compared, _NO_POWER.format(compared.power))
    return _outcome(point, Verdict.CORRECT, compared, answer.note)


_NO_POWER: Final = (
    "rounding alone may cost {} here, so the float value can neither confirm nor exclude the claim"
)
_UNFOLLOWED: Final = (
    "its code could not be followed, so what it computes is not known, only what it returned"
)


def _program(claim: Claim, point: _Point, answer: Answer) -> Graph | None:
    """The claim's own program, if it can be followed."""
    try:
        program = claim.program(point.x, _OPERATIONS)
    except BudgetSpent:
        raise
    except Exception:
        if claim.ours:
            raise
        return None
    if claim.ours:
        return program
    # Without a trace of the inputs in it, the recording says nothing of how the claim computes.
    followed = any(program.nodes[at].constant is None for at in program.outputs)
    if not followed or program.escapes:
        return None
    return program if _gives(program, claim, point, answer) else None


def _gives(program: Graph, claim: Claim, point: _Point, answer: Answer) -> bool:
    """Whether a recorded program stands for the values: both are good, or neither is.

    Code may do one thing on arrays and another on what records it.
    """
    replayed = [np.asarray(part) for part in program.evaluate(*point.x)]
    if [part.shape for part in replayed] != [part.shape for part in answer.parts]:
        return False
    if all(np.array_equal(a, b) for a, b in zip(replayed, answer.parts, strict=True)):
        return True
    reference = claim.reference(point.x, _OPERATIONS)
    allowed = allowance(reference, point.x, point.exact, _unit(point.graph, answer.parts))
    found = [compare(parts, point.exact, allowed).beyond for parts in (replayed, answer.parts)]
    return found[0] == found[1]


def _unit(graph: Graph, claimed: Sequence[Any]) -> float:
    """Unit roundoff of the least precise float type in the computation or in the claim."""
    units = [float(np.finfo(part.dtype).eps) / 2 for part in claimed]
    return max(unit_of(graph), *units)


def _finite(answer: Answer) -> bool:
    return all(bool(np.all(np.isfinite(part))) for part in answer.parts)


def _unfit(claim: Claim, point: _Point, error: NotADerivative) -> PointOutcome:
    """What the claim did or returned is no derivative at all."""
    found = blame(claim, point.graph, point.exact.shadow.values)
    words = f"{found.words}, where the derivative exists" if found else str(error)
    return _blamed(PointOutcome(point.x, Verdict.WRONG, words, bits=point.exact.bits), found)


def _wrong(
    claim: Claim, point: _Point, answer: Answer, compared: Comparison, remark: str
) -> PointOutcome:
    values = point.exact.shadow.values
    found = blame(claim, point.graph, values)
    if found is None and claim.ours and not _finite(answer):
        found = poison(point.graph, values)
    exact = [_middles(part) for part in point.exact.parts]
    names = part_names(claim.function, len(point.x), claim.quantity)
    cause = likely_cause(answer.parts, exact, names)
    said = [f"the exact {claim.quantity} excludes the value", cause]
    said += [found.words] if found else [remark if not cause else ""]
    words = "; ".join(part for part in [*said, answer.note] if part)
    return _blamed(_outcome(point, Verdict.WRONG, compared, words), found)


def _inaccurate(claim: Claim, point: _Point, compared: Comparison) -> PointOutcome:
    found = blame(claim, point.graph, point.exact.shadow.values, wrong=False)
    words = (
        "the rule is right in exact arithmetic, but the float value is off by more than rounding "
        "explains"
    ) + (f"; {found.words}" if found else "")
    return _blamed(_outcome(point, Verdict.INACCURATE, compared, words), found)


def _middles(part: Any) -> Any:
    return np.asarray(np.frompyfunc(lambda ball: float(ball.mid()), 1, 1)(part), dtype=float)


def _blamed(outcome: PointOutcome, found: Blame | None) -> PointOutcome:
    if found is None:
        return outcome
    return replace(outcome, op=found.op, origin=found.origin or None)


def _outcome(point: _Point, verdict: Verdict, compared: Comparison, words: str) -> PointOutcome:
    return PointOutcome(
        x=point.x,
        verdict=verdict,
        message=words,
        worst=compared.worst,
        bits=point.exact.bits,
        power=f"rounding alone may cost {compared.power} here" if compared.powerless else "",
    )
