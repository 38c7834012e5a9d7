"""The proof of a claim over its region, beside what was found of it at points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symtape.graph.graph import Graph
from symtape.recording.structure import flatten
from verify.claimants.claim import Claim
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.oracles.over_region.part import RegionProof

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
            share=0.0 if wrong else proof.share,
            rounded=proof.rounded,
            enclosed=0.0 if wrong else proof.enclosed,
            enclosed_bits=proof.bits,
            covered=0.0 if wrong else proof.covered,
            conditions=() if wrong else proof.conditions,
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
