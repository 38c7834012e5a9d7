"""Stronger evidence for a verdict: proofs, inherited or of a region, and equality over Q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph
from symtape.process.work import Work, suspend_collector
from symtape.recording.structure import flatten
from symtape.rigorous.rational import exactly, may_be_rational
from symtape.symbolic.rational import exact_values
from verify.claimants.claim import Claim
from verify.judging.rounding.programs import Point
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Extent, Verdict
from verify.oracles.closed_form import Truth
from verify.oracles.over_region.part import RegionProof
from verify.oracles.proofs.inherit import rung_of


def reinforce_outcome(
    outcome: PointOutcome, point: Point, program: Graph, second: bool
) -> PointOutcome:
    """`outcome`, of the tape's own derivative, with what is known beyond enclosures.

    Parameters
    ----------
    outcome : PointOutcome
        CORRECT.
    point : Point
    program : Graph
        The derivative as it was computed.
    second : bool
        A second derivative rests on the rules of the operations in the first, as well.
    """
    proof = rung_of(point.graph, point.values)
    if proof is not None and second:
        proof = rung_of(program, program.values(*point.x))
    return replace(
        outcome,
        proof=None if proof is None else str(proof),
        exact=equal_over_q(program, point.x, point.exact),
    )


_MOST_WORK: Final = 50_000_000
"""Bits of the numbers that are worked with: about a fifth of a second for either side."""

_MOST_NODES: Final = 2000


@suspend_collector
def equal_over_q(program: Graph, point: Sequence[Any], exact: Truth) -> bool:
    """Whether a derivative program and the closed form are rational, and equal at `point`.

    Parameters
    ----------
    program : Graph
        The derivative as it is computed.
    point : sequence of arrays
        Floats, which are dyadic rationals.
    exact : Truth
    """
    if exact.by_jets or len(program) > _MOST_NODES:
        return False
    if not may_be_rational(program):
        return False
    try:
        claimed = exactly(program, point, _work())
        true = exact_values(exact.shadow.program, exact.ids, exact.inputs(point), _work())
    except (Unsupported, BudgetSpent):
        return False
    return all(
        a.shape == b.shape and bool(np.all(a == b)) for a, b in zip(claimed, true, strict=True)
    )


def _work() -> Work:
    return Work(_MOST_WORK, "exact arithmetic")


_CONFLICT = (
    "oracle conflict: the formula is proved in this part of the region, and excluded at this "
    "point: {}; this is a fault of symtape, not of the claim"
)


def add_region_proof(result: Result, claim: Claim, proof: RegionProof) -> Result:
    """A result of a search with what is proved on the region, in its evidence.

    A proof decides nothing that points have not decided. What is proved where a point is WRONG,
    though the claim computes there what was recorded, is an oracle conflict; of a claim that is
    WRONG in another way, nothing is said to be proved.
    """
    if result.coverage is None or result.sampled is not None:
        return result

    def is_in_conflict(point: PointOutcome) -> bool:
        # Numbers that constants were rounded from may be right where the constants are not.
        program = None if proof.rounded else proof.program_at(point.x)
        return program is not None and _computes(claim.derivative, program, point.x)

    wrong = [point for point in result.points if point.verdict is Verdict.WRONG]
    if not all(map(is_in_conflict, wrong)):
        return result
    conflicts = {id(point): point for point in wrong}
    return replace(
        result,
        points=tuple(
            _dispute(point) if id(point) in conflicts else point for point in result.points
        ),
        coverage=replace(
            result.coverage,
            **(Extent() if wrong else proof).extent,
            rounding=None if wrong else proof.rounding,
            conflicts=result.coverage.conflicts + len(wrong),
        ),
    )


def _computes(derivative: Any, program: Graph, x: tuple[Any, ...]) -> bool:
    """Whether a claim returns the finite numbers that a recording of it gives."""
    with np.errstate(all="ignore"):
        try:
            returned = [np.asarray(part) for part in flatten(derivative(*x))]
        except Exception:  # noqa: BLE001  # users' code
            return False
        replayed = [np.asarray(part) for part in program.evaluate(*x)]
    return len(returned) == len(replayed) and all(
        np.array_equal(a, b) and np.all(np.isfinite(a))
        for a, b in zip(returned, replayed, strict=True)
    )


def _dispute(point: PointOutcome) -> PointOutcome:
    return replace(
        point,
        verdict=Verdict.UNDECIDED,
        message=_CONFLICT.format(point.message),
        conflict=True,
        note="",
    )
