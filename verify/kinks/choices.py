"""Choices: what an operation may be taken for at a point where it has no classical derivative.

``abs(x)`` at 0 is ``x`` or ``-x``; a maximum of equal numbers is each of them. Every alternative
is smooth, so that a graph read with one alternative for each such element has a gradient. Near
the point the function follows one of these readings, and whatever a rule answers at the point
itself (a half, an equal share, 0) is a mean of theirs.

An alternative says on which side of a tie it holds, so that readings which no neighbour of the
point follows can be told: where ``max(x, y)`` is ``x``, ``min(x, y)`` is ``y``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.symbolic.shadow import Shadow
from verify.kinks.alternatives import Choice
from verify.kinks.elements import BY_ELEMENT, Element
from verify.kinks.rows import WHOLE, Rows

__all__ = ["NAMES", "choices_of"]


NAMES: Final = frozenset(BY_ELEMENT) | frozenset(WHOLE)
"""The operations whose alternatives are known."""


def choices_of(graph: Graph, form: Shadow, at: int, mask: Any) -> Iterator[Choice] | None:
    """The choices of node `at` where `mask` holds; None where its alternatives are not known."""
    node = graph.nodes[at]
    by_element = BY_ELEMENT.get(node.name)
    if by_element is not None:
        flats = np.flatnonzero(np.broadcast_to(mask, node.shape)).tolist()
        found = [by_element(Element(graph, form, at, flat)) for flat in flats]
        return None if any(choice is None for choice in found) else _given(found)
    whole = WHOLE.get(node.name)
    return None if whole is None else whole(Rows(graph, form, at))


def _given(found: Sequence[Choice | None]) -> Iterator[Choice]:
    return (choice for choice in found if choice is not None and len(choice.alternatives) > 0)
