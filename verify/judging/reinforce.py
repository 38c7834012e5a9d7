"""Stronger evidence for a verdict that stands: proofs that are inherited, and equality over Q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph
from symtape.process.collector import suspend_collector
from symtape.process.work import Work
from symtape.rigorous.rational import exactly, may_be_rational
from symtape.symbolic.rational import exact_values
from verify.judging.rounding.programs import Point
from verify.model.result import PointOutcome
from verify.oracles.closed_form import Truth
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
