"""Stronger evidence for a verdict that stands: proofs that are inherited, and equality over Q."""

from __future__ import annotations

from dataclasses import replace

from symtape.graph.graph import Graph
from verify.judging.rounding.programs import Point
from verify.model.result import PointOutcome
from verify.oracles.over_the_rationals import equal_over_q
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
