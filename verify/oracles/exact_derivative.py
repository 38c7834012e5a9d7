"""The value and the exact derivative, by templates, closed forms, balls, jets and floats.

The value gate: what a function's value is, by templates, by balls and by plain floats. A derivative
of something else than what floats compute is no derivative of the function, however well oracles
agree on it. So the readings of every operation are set beside each other, node by node, before
anything is said of a claim: the template in Arb, the row's balls, and the float within what
rounding may make of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph, Node
from symtape.process.budget import Budget
from symtape.process.work import charge, suspend_collector
from symtape.rigorous.backward_error import roundings
from symtape.rigorous.enclose import enclose_nodes
from symtape.rigorous.rounding import LIBRARY, model_nodes
from symtape.rigorous.scalar import decimal_bounds, list_entries
from verify.files import places
from verify.model.quantity import Quantity
from verify.model.verdict import Confirmation, ConfirmationStatus, conflict_in, silent_among
from verify.oracles.closed_form import ClosedForms, Truth
from verify.oracles.jets import agree
from verify.oracles.single_operation import Single, single
from verify.oracles.without_closed_form import truth_by_jets

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


BALLS: Final = "balls"
FLOATS: Final = "floats"

_DIGITS: Final = arb(2) ** -20
"""What SciPy's functions lose far out, relatively: ``ive(2, 1e-10)`` loses 70 units, powers of
tiny numbers more. It is a loss of digits, and no other function."""

_EARLY: Final = arb(10) ** -100
"""Below it some underflow to 0: ``iv(1, 1e-155)``, and ``iv(0.5, 1e-206)``, which is 8e-104."""

_MOST_SINGLE: Final = 200
"""Operations that are looked into one by one where the function has no closed form."""

_LOSSY: Final = "{} loses digits beyond what is known of it"
_BY_CHOICE: Final = "floats take another branch than exact arithmetic"
_NOT_FINITE: Final = "they cannot compute the value"
_OVERFLOWS: Final = "rounding may cost the value everything"


@suspend_collector
def confirm_values(
    graph: Graph, point: Sequence[Any], truth: Truth, values: list[Any]
) -> list[Confirmation]:
    """What each reading of the values has to say.

    Parameters
    ----------
    graph : Graph
        The function.
    point : sequence of arrays
    truth : Truth
        Whose shadow knows what the nodes mean by their templates.
    values : list
        The floats of the nodes.

    Returns
    -------
    list of Confirmation
        A conflict names the first operation whose readings exclude each other, and its line.
    """
    try:
        balls = enclose_nodes(graph, point, truth.precision)
    except Unsupported as error:
        silent = Confirmation(BALLS, ConfirmationStatus.SILENT, places.relativise_text(str(error)))
        return [silent, _confirm_without_balls(graph, values)]
    charge(graph.elements)
    if any(np.shape(ball) != node.shape for ball, node in zip(balls, graph.nodes, strict=True)):
        return [_silent(BALLS, _BY_CHOICE), _silent(FLOATS, _BY_CHOICE)]
    templates = truth.nodes(point, truth.precision) if truth.nodes else None
    found = [_confirm_by_floats(graph, point, values, balls)]
    if templates is not None:
        found.insert(0, _confirm_by_templates(graph, truth, values, templates, balls))
    elif words := _find_template_conflict(graph, values):
        found.insert(0, Confirmation(BALLS, ConfirmationStatus.CONFLICT, words))
    return found


def _confirm_by_templates(
    graph: Graph, truth: Truth, values: list[Any], templates: list[Any], balls: list[Any]
) -> Confirmation:
    """Whether the template and the balls of every node overlap."""
    apart = [
        at
        for at in _floating_nodes(graph)
        if _excludes(templates[at], balls[at]) and not _is_convention(graph, values, at)
    ]
    for at in apart:
        if words := _describe_operation_conflict(graph, values, at):
            return Confirmation(BALLS, ConfirmationStatus.CONFLICT, words)
    if apart and not _chooses(graph, truth):
        return Confirmation(
            BALLS, ConfirmationStatus.CONFLICT, _locate_conflict(graph, apart[0], templates, balls)
        )
    if apart:
        return Confirmation(BALLS, ConfirmationStatus.SILENT, _BY_CHOICE)
    known = all(_is_known(balls[at]) and _is_known(templates[at]) for at in graph.outputs)
    return Confirmation(BALLS, ConfirmationStatus.AGREED) if known else _silent(BALLS, _NOT_FINITE)


def _find_template_conflict(graph: Graph, values: list[Any]) -> str:
    """Words, if an operation's template and balls part, where the function has no closed form."""
    for at in _floating_nodes(graph)[:_MOST_SINGLE]:
        row = graph.nodes[at].primitive
        if row is None or row.symbolic is None or row.ball is None:
            continue
        readings = None if _is_convention(graph, values, at) else _single(graph, values, at)
        if readings is not None and any(
            template is not None and ball is not None and _excludes(template, ball)
            for template, ball, _, _ in readings.entries()
        ):
            return _describe_operation_conflict(graph, values, at)
    return ""


def _confirm_by_floats(
    graph: Graph, point: Sequence[Any], values: list[Any], balls: list[Any]
) -> Confirmation:
    """Whether every float is one that rounding may have made of the exact value."""
    try:
        models = model_nodes(graph, point)
    except Unsupported as error:
        return _silent(FLOATS, places.relativise_text(str(error)))
    for at in _floating_nodes(graph):
        if _misses(models[at], values[at]) and not _is_convention(graph, values, at):
            if _is_lossy(graph.nodes[at], values[at], balls[at]):
                return _silent(FLOATS, _LOSSY.format(_describe_node(graph.nodes[at])))
            words = _describe_operation_conflict(graph, values, at) or _locate_conflict(
                graph, at, models, values
            )
            return Confirmation(FLOATS, ConfirmationStatus.CONFLICT, words)
    known = all(_is_known(models[at]) for at in graph.outputs)
    return Confirmation(FLOATS, ConfirmationStatus.AGREED) if known else _silent(FLOATS, _OVERFLOWS)


def _confirm_without_balls(graph: Graph, values: list[Any]) -> Confirmation:
    """Whether the floats are those of the templates, where a row has no balls to say so."""
    for at in _floating_nodes(graph):
        row = graph.nodes[at].primitive
        if (
            row is not None
            and row.ball is None
            and (words := _describe_operation_conflict(graph, values, at))
        ):
            return Confirmation(FLOATS, ConfirmationStatus.CONFLICT, words)
    return _silent(FLOATS, "what rounding makes of them is not known without balls")


def _is_convention(graph: Graph, values: list[Any], at: int) -> bool:
    """Whether a value is one by convention: of a step at the step itself, or of infinity."""
    node = graph.nodes[at]
    row, inputs = node.primitive, [np.asarray(values[i]) for i in node.inputs]
    if any(x.dtype.kind == "f" and not np.all(np.isfinite(x)) for x in inputs):
        return True
    if row is None or not row.cuts or row.kinks is None:
        return False
    return bool(np.any(row.kinks(*inputs, **node.params)))


def _is_lossy(node: Node, floats: Any, balls: Any) -> bool:
    """Whether all that a function of a library is off by are its last digits, or its underflow."""
    row = node.primitive
    if row is None or not row.elementwise or roundings(row, (), node.params)[1] < LIBRARY:
        return False
    return all(
        bool(abs(ball - arb(float(x))) <= abs(ball) * _DIGITS) or (x == 0 and abs(ball) < _EARLY)
        for x, ball in zip(list_entries(np.asarray(floats)), list_entries(balls), strict=True)
    )


def _silent(oracle: str, words: str) -> Confirmation:
    return Confirmation(oracle, ConfirmationStatus.SILENT, words)


def _floating_nodes(graph: Graph) -> list[int]:
    return [
        at
        for at, node in enumerate(graph.nodes)
        if node.primitive is not None and node.dtype.kind == "f"
    ]


def _chooses(graph: Graph, truth: Truth) -> bool:
    """Whether floats decide anything that exact arithmetic may decide otherwise."""
    held = bool(truth.shadow.selections or truth.shadow.held or graph.path)
    return held or truth.shadow.guided


def _is_known(meaning: Any) -> bool:
    return meaning is not None and all(
        type(ball) is arb and ball.is_finite() for ball in list_entries(meaning)
    )


def _excludes(one: Any, other: Any) -> bool:
    """Whether some entry of two readings cannot be one number."""
    if one is None:
        return False
    return any(
        type(b) is arb and not a.overlaps(b) and a.is_finite() and b.is_finite()
        for a, b in zip(list_entries(one), list_entries(other), strict=True)
    )


def _misses(models: Any, floats: Any) -> bool:
    """Whether a float is none that rounding explains; what may overflow may be anything."""
    return any(
        type(ball) is arb and ball.is_finite() and not _holds(ball, x)
        for ball, x in zip(list_entries(models), list_entries(np.asarray(floats)), strict=True)
    )


def _holds(ball: Any, x: Any) -> bool:
    return bool(np.isfinite(x)) and bool(ball.contains(arb(float(x))))


def _locate_conflict(graph: Graph, at: int, one: list[Any], other: list[Any]) -> str:
    """Readings that part somewhere before, of a node where that is seen."""
    node = graph.nodes[at]
    pairs = zip(
        list_entries(one[at]), list_entries(np.asarray(other[at], dtype=object)), strict=True
    )
    first = next((pair for pair in pairs if _excludes(*map(_ball, pair))), None)
    shown = "" if first is None else f": {_format_ball(first[0])} and {_format_ball(first[1])}"
    return f"readings of {_describe_node(node)} disagree{shown}"


def _ball(x: Any) -> Any:
    return x if type(x) is arb else arb(float(x))


def _format_ball(x: Any) -> str:
    return str(decimal_bounds(_ball(x)))


def _describe_node(node: Node) -> str:
    return f"{node.name} at {places.relative(places.place_of_origin(node.origin))}"


def _describe_operation_conflict(graph: Graph, values: list[Any], at: int) -> str:
    """Words, if the readings of one operation exclude each other on the floats given to it."""
    readings = _single(graph, values, at)
    if readings is None or not (parted := _describe_first_conflict(readings)):
        return ""
    given = ", ".join(f"{float(x):.6g}" for x in readings.given)
    named = _describe_node(graph.nodes[at])
    return f"readings of {named} disagree{f' at {given}' if given else ''}: {parted}"


def _single(graph: Graph, values: list[Any], at: int) -> Single | None:
    """The readings of one operation on the floats given to it; None where they are not known."""
    node = graph.nodes[at]
    try:
        return single(node, [values[i] for i in node.inputs])
    except (BudgetSpent, Unsupported, LookupError, ValueError, NotImplementedError):
        return None


def _describe_first_conflict(found: Single) -> str:
    """The readings of the first entry that exclude each other, in words; empty if none do."""
    for template, ball, model, x in found.entries():
        readings = [it for it in (template, ball) if it is not None]
        apart = len(readings) == 2 and _excludes(template, ball)
        if apart or (model is not None and _misses(model, x)):
            said = (("template", template), ("balls", ball))
            shown = [f"{name} {_format_ball(it)}" for name, it in said if it is not None]
            return ", ".join([*shown, f"floats {float(x)!r}"])
    return ""
