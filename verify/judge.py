"""The judge: hears the witnesses on a claim, point by point, and gives a verdict.

The order of the questions is the order of certainty: does the point stand inside the domain,
is there a classical derivative, does the closed form enclose it, is the rule right in exact
arithmetic, and is the float value one that honest rounding may return.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NotTraceable, Unsupported
from symtape.graph.freeze import record
from symtape.graph.graph import Graph, Node
from symtape.symbolic.budget import Budget
from verify.cases import Case
from verify.claim import Claim, claim_of
from verify.comparison import Comparison, compare
from verify.diagnose import blame, likely_cause
from verify.errors import UsageError
from verify.result import PointOutcome, Result
from verify.standing import kink_at, not_finite, outside_at
from verify.verdict import Verdict
from verify.witnesses.closed_form import Truth, shape_of, truth
from verify.witnesses.derivative_program import excluded
from verify.witnesses.float_value import allowance

__all__ = ["DEFAULT_BUDGET", "verify_case"]

DEFAULT_BUDGET: Final = Budget(seconds=60.0, statements=2_000_000)

_OPERATIONS: Final = 2_000_000
"""Most operations recorded of a function, or of its derivative."""

_LEAVES_THE_DOMAIN: Final = (np.linalg.LinAlgError, ZeroDivisionError, FloatingPointError)


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
        For each symbolic step; a step that spends it ends UNDECIDED.

    Raises
    ------
    UsageError
        The claim cannot be judged as it is put: a gradient of an array, a shape that is wrong.
    """
    started = time.perf_counter()
    claim = claim_of(case)
    outcomes, first = [], None
    with np.errstate(all="ignore"):
        for x in case.at:
            outcome, graph = _judge(claim, x, budget)
            outcomes.append(outcome)
            first = first or graph
    return Result(
        case=case,
        points=tuple(outcomes),
        claimant=claim.claimant,
        path=_path(first),
        escapes=() if first is None else tuple(str(escape) for escape in first.escapes),
        seconds=time.perf_counter() - started,
    )


def _path(graph: Graph | None) -> tuple[str, ...]:
    if graph is None:
        return ()
    return tuple(
        f"{graph.nodes[step.node].name} was {step.outcome} at {step.origin}" for step in graph.path
    )


def _judge(claim: Claim, x: tuple[Any, ...], budget: Budget) -> tuple[PointOutcome, Graph | None]:
    graph: Graph | None = None
    x = tuple(np.asarray(arg, dtype=_float_dtype(arg))[()] for arg in x)
    try:
        if words := not_finite(x):
            return PointOutcome(x, Verdict.OUTSIDE, words), None
        graph = record(claim.function, *x, budget=_OPERATIONS)
        return _judge_graph(claim, x, graph, budget), graph
    except _LEAVES_THE_DOMAIN as error:
        words = f"the function raised {type(error).__name__}: {error}"
        return PointOutcome(x, Verdict.OUTSIDE, words), graph
    except (BudgetSpent, Unsupported, LookupError) as error:
        return PointOutcome(x, Verdict.UNDECIDED, str(error).strip("'\"")), graph


def _float_dtype(arg: Any) -> Any:
    dtype = np.asarray(arg).dtype
    return dtype if dtype.kind == "f" else np.float64


def _judge_graph(claim: Claim, x: tuple[Any, ...], graph: Graph, budget: Budget) -> PointOutcome:
    _check_output(claim, graph)
    values = graph.values(*x)
    if words := outside_at(graph, values):
        return PointOutcome(x, Verdict.OUTSIDE, words)
    if graph.escapes:
        words = "; ".join(str(escape) for escape in graph.escapes[:3])
        return PointOutcome(
            x,
            Verdict.UNDECIDED,
            f"a value left the tape by {words}, and what came back counts as a constant; "
            "use the np.* function of the same name, which is recorded",
        )
    exact = truth(graph, x, claim.quantity, budget)
    if found := kink_at(graph, exact.shadow):
        words, node = found
        return PointOutcome(x, Verdict.KINK, words, op=node.name, origin=str(node.origin))
    if not exact.finite:
        return PointOutcome(
            x, Verdict.UNDECIDED, "the closed form of the derivative has no finite enclosure here"
        )
    return _hear(claim, _Point(x, graph, exact))


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
        claimed = claim.values(point.x, shapes)
    except UsageError as error:
        return PointOutcome(point.x, Verdict.WRONG, str(error), bits=point.exact.bits)
    program = _program(claim, point.x)
    unit = _unit(point.graph, claimed)
    honest = claim.reference(point.x, _OPERATIONS) if program is None else program
    allowed = allowance(honest, point.x, point.exact, unit)
    compared = compare(claimed, point.exact, allowed)
    wrong_rule = None if program is None else excluded(program, point.x, point.exact)
    if wrong_rule is not None and any(np.any(flags) for flags in wrong_rule):
        return _wrong(claim, point, compare(claimed, point.exact, allowed, wrong_rule))
    if compared.beyond:
        if program is None:
            return _wrong(claim, point, compared)
        return _inaccurate(claim, point, compared)
    if program is None and compared.powerless:
        return _outcome(point, Verdict.UNDECIDED, compared, _NO_POWER.format(compared.power))
    return _outcome(point, Verdict.CORRECT, compared, "")


_NO_POWER: Final = (
    "rounding alone may cost {} here, so the float value can neither confirm nor exclude the claim"
)


def _program(claim: Claim, x: tuple[Any, ...]) -> Graph | None:
    """The claim's own program, if it can be followed."""
    try:
        program = claim.program(x, _OPERATIONS)
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
    return program if followed and not program.escapes else None


def _unit(graph: Graph, claimed: Sequence[Any]) -> float:
    """Unit roundoff of the least precise float type in the computation or in the claim."""
    dtypes = {node.dtype for node in graph.nodes if node.dtype.kind == "f"}
    dtypes |= {part.dtype for part in claimed}
    return max(float(np.finfo(dtype).eps) for dtype in dtypes) / 2


def _wrong(claim: Claim, point: _Point, compared: Comparison) -> PointOutcome:
    node = blame(claim, point.graph, point.exact.shadow.values)
    words = f"the exact {claim.quantity} excludes the value"
    cause = likely_cause(compared)
    if cause:
        words += f"; {cause}"
    return _outcome(point, Verdict.WRONG, compared, words, node)


def _inaccurate(claim: Claim, point: _Point, compared: Comparison) -> PointOutcome:
    words = "the rule is right in exact arithmetic, but the float value is off by more than rounding explains"
    return _outcome(point, Verdict.INACCURATE, compared, words)


def _outcome(
    point: _Point,
    verdict: Verdict,
    compared: Comparison,
    words: str,
    node: Node | None = None,
) -> PointOutcome:
    return PointOutcome(
        x=point.x,
        verdict=verdict,
        message=words,
        worst=compared.worst,
        bits=point.exact.bits,
        op=None if node is None else node.name,
        origin=None if node is None else str(node.origin),
        power=f"rounding alone may cost {compared.power} here" if compared.powerless else "",
    )
