"""Choices: what an operation may be taken for at a point where it has no classical derivative.

``abs(x)`` at 0 is ``x`` or ``-x``; a maximum of equal numbers is each of them. Every alternative
is smooth, so that a graph read with one alternative for each such element has a gradient. Near
the point the function follows one of these readings, and whatever a rule answers at the point
itself (a half, an equal share, 0) is a mean of theirs.

An alternative says on which side of a tie it holds, so that readings which no neighbour of the
point follows can be told: where ``max(x, y)`` is ``x``, ``min(x, y)`` is ``y``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.symbolic.shadow import Shadow
from verify.judging.kinks.alternatives import Choice
from verify.judging.kinks.elements import Element
from verify.judging.kinks.rows import Rows


def choices_of(form: Shadow, at: int, mask: Any, *, second: bool = False) -> list[Choice] | str:
    """The choices of node `at` where `mask` holds; words where its alternatives are not known.

    Parameters
    ----------
    form : Shadow
        At the point.
    at : int
        A node whose row has `pieces`.
    mask : bool array
    second : bool
        Whether second derivatives are asked for.
    """
    node = form.graph.nodes[at]
    row = node.row
    assert row.pieces is not None
    unknown = f"what {node.name} may be taken for here is not known"
    if not row.elementwise:
        whole = row.pieces(Rows(form, at), **node.params)
        return unknown if whole is None else list(whole)
    kinks = [
        Element(form, at, flat)
        for flat in np.flatnonzero(np.broadcast_to(mask, node.shape)).tolist()
    ]
    found = [row.pieces(kink, *kink.operands, **node.params) for kink in kinks]
    if second and any(choice is not None and choice.bent for choice in found):
        return f"{node.name} that meets here has no finite second derivative"
    return unknown if any(choice is None for choice in found) else found
