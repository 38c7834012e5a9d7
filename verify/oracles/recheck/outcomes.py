"""Second opinions on the outcomes of a case, before anybody sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from symtape.errors import BudgetSpent
from symtape.graph.graph import Graph
from verify.claimants.claim import Claim
from verify.limits.limit import limit_time
from verify.model.internal_errors import describe_error, is_internal
from verify.model.result import KinkFacts, PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.recheck.elementwise import SLOW
from verify.oracles.recheck.opinion import (
    Opinion,
    OpinionStatus,
    opinion_on_entry,
    opinion_on_slope,
)

_FINDINGS: Final = 4
"""Findings of a case that are rechecked; the first of them is the one that is shown."""

_SMALL: Final = 1_000
"""Numbers in a graph up to which a finding is rechecked by the way."""

_TINY: Final = 200
"""The same, of what is no finding."""

_SECONDS: Final = 10.0
"""After which there is no opinion; :data:`SLOW` functions at awkward arguments get there."""

_OPERATIONS: Final = 250_000


def recheck_outcomes(claim: Claim, outcomes: Sequence[PointOutcome]) -> tuple[PointOutcome, ...]:
    """`outcomes` with second opinions on the first findings, or on one of those that pass.

    A finding that is contradicted, or a derivative that is, becomes UNDECIDED: an oracle conflict.
    """
    finding = [at for at, it in enumerate(outcomes) if it.verdict.fails][:_FINDINGS]
    passing = [at for at, it in enumerate(outcomes) if it.verdict is Verdict.CORRECT][:1]
    found = list(outcomes)
    for at in finding or passing:
        found[at] = _add_opinion(claim, outcomes[at], _SMALL if finding else _TINY)
    return tuple(found)


def _add_opinion(claim: Claim, outcome: PointOutcome, largest: int) -> PointOutcome:
    try:
        graph = claim.record(outcome.x, _OPERATIONS)
        if graph.elements > largest or (largest == _TINY and is_slow(graph)):
            return outcome
        opinion = opinion_on(claim, graph, outcome)
    except Exception as error:  # noqa: BLE001  # told as what it is: the verdict stands without
        words = describe_error(error) if is_internal(error) else str(error)
        return replace(outcome, recheck=f"{OpinionStatus.SILENT.value}: {words}")
    if opinion is None or opinion.status is OpinionStatus.SILENT:
        return outcome
    if opinion.status is OpinionStatus.CONFIRMED:
        return replace(outcome, recheck=opinion.words)
    words = f"oracle conflict: the recheck finds {opinion.words}"
    message = f"{words}; this is a fault of symtape, not of the claim"
    return replace(
        outcome, verdict=Verdict.UNDECIDED, message=message, recheck=opinion.words, conflict=True
    )


def is_slow(graph: Graph) -> bool:
    """Whether mpmath may take seconds for a value at hundreds of digits."""
    return any(node.primitive is not None and node.name in SLOW for node in graph.nodes)


def opinion_on(claim: Claim, graph: Graph, outcome: PointOutcome) -> Opinion | None:
    """A second opinion on the entry that an outcome shows; None where it shows none."""
    try:
        with limit_time(_SECONDS, lambda where: BudgetSpent(f"{_SECONDS:g} s were not enough")):
            if outcome.kink is not None:
                return _opinion_on_kink(claim, graph, outcome, outcome.kink)
            if (worst := outcome.worst) is None:
                return None
            return opinion_on_entry(
                graph,
                claim.quantity,
                outcome.x,
                worst.argument,
                worst.index,
                worst.claimed,
                (worst.lower, worst.upper),
                # Of a rule that is off in exact arithmetic the float may well be the nearest.
                fails=outcome.verdict.fails and not worst.exactly,
            )
    except BudgetSpent as error:
        return Opinion(OpinionStatus.SILENT, str(error))


def _opinion_on_kink(
    claim: Claim, graph: Graph, outcome: PointOutcome, kink: KinkFacts
) -> Opinion | None:
    for slope in kink.slopes:
        inside = slope.claimed is not None and slope.lower <= slope.claimed <= slope.upper
        if not inside:
            return opinion_on_slope(
                graph,
                claim.quantity,
                outcome.x,
                slope.argument,
                slope.index,
                slope.claimed,
                (slope.left, slope.right),
            )
    return None
