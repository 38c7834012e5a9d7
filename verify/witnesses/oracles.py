"""What the exact derivative is, heard from the closed form and from jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.symbolic.budget import Budget
from verify.wanted import Wanted
from verify.witnesses.closed_form import ClosedForms, Truth
from verify.witnesses.jets import agree, truth_by_jets

__all__ = ["Conflict", "confirmed", "derivative_at"]


class Conflict(str):
    """Words of two oracles that exclude each other, of which nothing can be said of a claim."""

    __slots__ = ()


def derivative_at(
    forms: ClosedForms, graph: Graph, point: Sequence[Any], budget: Budget, values: list[Any]
) -> Truth:
    """The closed form's truth; that of jets where an operation has no closed form.

    Raises
    ------
    Unsupported
        From the shadow, where jets do not know it either.
    BudgetSpent
    """
    try:
        return forms.at(graph, point, budget, values)
    except Unsupported:
        found = truth_by_jets(graph, point, values, forms.wanted)
        if found is None:
            raise
        return found


def confirmed(
    graph: Graph, point: Sequence[Any], exact: Truth, values: list[Any], quantity: str | Wanted
) -> Truth | Conflict:
    """The truth, if jets do not exclude it; theirs where the closed form's is not finite."""
    words = agree(graph, point, exact, quantity)
    if words:
        return Conflict(f"oracle conflict: {words}; this is a fault of symtape, not of the claim")
    if exact.finite:
        return exact
    return truth_by_jets(graph, point, values, quantity, exact.shadow) or exact
