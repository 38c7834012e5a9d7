"""What the exact derivative is, by the closed form and jets, and what the value is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.process.budget import Budget
from verify.files import places
from verify.model.quantity import Quantity
from verify.model.verdict import Confirmation, ConfirmationStatus, conflict_in, silent_among
from verify.oracles.closed_form import ClosedForms, Truth
from verify.oracles.jets import agree, truth_by_jets
from verify.oracles.value_gate import confirm_values

_CLOSED_FORM: Final = "the closed form"


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
        return forms.evaluate(graph, point, budget, values)
    except Unsupported as error:
        found = truth_by_jets(graph, point, values, forms.quantity)
        if found is None:
            raise
        return _mark_unconfirmed(found, places.relativise_text(str(error)))


def confirm_one_function(
    graph: Graph, point: Sequence[Any], exact: Truth, values: list[Any], quantity: str | Quantity
) -> Truth | Conflict:
    """The truth, if templates, balls and floats may all be readings of one function."""
    found = confirm_values(graph, point, exact, values)
    conflict = conflict_in(found)
    if conflict is None:
        return _add_silences(exact, found)
    words = conflict.words
    if (
        not exact.by_jets
        and (further := agree(graph, point, exact, quantity)).status is ConfirmationStatus.CONFLICT
    ):
        words = f"{words}; {further.words}"
    return _oracle_conflict(words)


def confirm_by_jets(
    graph: Graph, point: Sequence[Any], exact: Truth, values: list[Any], quantity: str | Quantity
) -> Truth | Conflict:
    """The truth, if jets do not exclude it; theirs where the closed form's is not finite."""
    found = agree(graph, point, exact, quantity)
    if found.status is ConfirmationStatus.CONFLICT:
        return _oracle_conflict(found.words)
    if exact.finite:
        return _add_silences(exact, [found])
    theirs = truth_by_jets(graph, point, values, quantity, exact.shadow)
    return exact if theirs is None else _mark_unconfirmed(theirs, "its enclosure is not finite")


def _add_silences(exact: Truth, found: Sequence[Confirmation]) -> Truth:
    return replace(exact, unconfirmed=(*exact.unconfirmed, *silent_among(found)))


def _mark_unconfirmed(found: Truth, words: str) -> Truth:
    return _add_silences(found, [Confirmation(_CLOSED_FORM, ConfirmationStatus.SILENT, words)])


def _oracle_conflict(words: str) -> Conflict:
    return Conflict(f"oracle conflict: {words}; this is a fault of symtape, not of the claim")
