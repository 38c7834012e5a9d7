"""Exact arithmetic as an oracle: a rational rule gives the number that its closed form gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph
from symtape.process.collector import suspend_collector
from symtape.process.work import Work
from symtape.rigorous.rational import exactly, may_be_rational
from symtape.symbolic.rational import exact_values
from verify.oracles.closed_form import Truth

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
