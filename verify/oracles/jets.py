"""Jets as an oracle: Taylor series in balls, which share nothing with rules or closed forms.

They say whether the closed form is right at a point, and stand in for it where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph, Node
from symtape.process.budget import Budget
from symtape.process.collector import suspend_collector
from symtape.process.precision import precision
from symtape.process.work import Work
from symtape.rigorous import jets
from symtape.rigorous.bounds import decimal_bounds
from symtape.rigorous.enclose import enclose
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from verify.files import places
from verify.model.quantity import Quantity, to_quantity
from verify.model.verdict import Confirmation, ConfirmationStatus
from verify.oracles.closed_form import MOST_BITS, ClosedForms, Truth, good_bits
from verify.oracles.lines import (
    Directions,
    axes,
    contract_truth,
    lines_for,
    pull_outputs,
    random_line,
)
from verify.oracles.single_operation import floating_places, isolate_operation

JETS: Final = "Taylor series"

_SHAKES: Final = 2
"""Directions in which it is asked whether the path stays the same."""

_FIRST_BITS: Final = 300
_MOST_EXPANSIONS: Final = 500
"""Most expansions that a whole derivative may take where there is no closed form."""

_MOST_SUSPECTS: Final = 200
_NOT_KNOWN: Final = (BudgetSpent, Unsupported, LookupError, ValueError)
"""Of an operation whose closed form, or jets, there are none."""

_SUSPICION: Final = Budget(statements=20_000)
_MOST_SUSPICION: Final = 200_000
"""Statements of the closed forms of all operations that are looked into."""


@suspend_collector
def agree(
    graph: Graph, point: Sequence[Any], truth: Truth, quantity: str | Quantity
) -> Confirmation:
    """Whether jets confirm the closed form at a point.

    Gradients, Jacobians and vector-Jacobian products are compared along every axis where there
    are at most 6 of them, and otherwise along two directions; Hessians by two pairs of
    directions, their products along two; what is pushed forward along its own tangents. Where
    jets do not know the derivative along one of them they have not confirmed it.

    Parameters
    ----------
    graph : Graph
        The function.
    point : sequence of arrays
    truth : Truth
        What the closed form says; entries that are not finite are not compared.
    quantity : str or Quantity

    Returns
    -------
    Confirmation
        A conflict has both enclosures in its words.
    """
    quantity = to_quantity(quantity)
    silent = ""
    try:
        here = enclose(graph, point, truth.precision)
        for lines in lines_for(graph, point, quantity):
            said = _differentiate_along(graph, point, quantity, truth.precision, lines, here)
            if isinstance(said, str):
                return _conflict(graph, point, f"along {_directions(lines)} {said}")
            if said is None:
                silent = silent or f"they cannot compute it along {_directions(lines)}"
                continue
            outputs, sides = said
            expected = contract_truth(truth, graph, quantity, lines)
            for found, closed in zip(outputs, expected, strict=True):
                for index in np.ndindex(found.shape):
                    one, other = found[index], closed[index]
                    if _are_disjoint(one, other):
                        words = _words(quantity, lines, index, (one, other), sides)
                        return _conflict(graph, point, words)
                    if not one.is_finite():
                        silent = silent or f"they cannot compute it along {_directions(lines)}"
    except Unsupported as error:
        silent = places.relativise_text(str(error))
    return Confirmation(
        JETS, ConfirmationStatus.SILENT if silent else ConfirmationStatus.AGREED, silent
    )


def _conflict(graph: Graph, point: Sequence[Any], words: str) -> Confirmation:
    place = _suspect(graph, point)
    return Confirmation(
        JETS, ConfirmationStatus.CONFLICT, words + (f"; they part at {place}" if place else "")
    )


def _are_disjoint(one: Any, other: Any) -> bool:
    return bool(one.is_finite() and other.is_finite() and not one.overlaps(other))


def _differentiate_along(
    graph: Graph,
    point: Sequence[Any],
    quantity: Quantity,
    bits: int,
    lines: list[Directions],
    here: list[Any],
) -> tuple[list[Any], str] | str | None:
    """The derivative of each output along `lines`; from both sides where only that is known.

    Words, if there is none: the values are not those of `here`, or both sides differ.
    """
    order, both, terms = len(lines), False, list[list[Any]]()
    with precision(bits):
        polarised = list(jets.polarise(lines))
    for weight, line in polarised:
        found = jets.taylor(graph, point, line, bits, order)
        if words := _other_values(found, here):
            return words
        if not all(one.is_finite() for part in found for one in part.flat):
            beside = _differentiate_both_sides(graph, point, bits, line, order, here)
            if isinstance(beside, str) and _weighs_nothing(point, quantity):
                return None
            if beside is None or isinstance(beside, str):
                return beside
            found, both = beside, True
        with precision(bits):
            terms.append([part[..., order] * weight for part in found])
    with precision(bits):
        total = [np.asarray(sum(parts), dtype=object) for parts in zip(*terms, strict=True)]
    if quantity.second:
        total = total[:1]
    elif quantity.name == "vjp":
        total = [pull_outputs(total, point, quantity, bits)]
    return total, ", from both sides" if both else ""


def _weighs_nothing(point: Sequence[Any], quantity: Quantity) -> bool:
    """Whether the cotangents of the point are 0 somewhere, so that what is there has no slope."""
    if quantity.name != "vjp":
        return False
    return any(not np.all(point[at]) for at in quantity.direction_places(len(point)))


def _other_values(found: list[Any], here: list[Any]) -> str:
    """Words, if series begin with other values than balls have."""
    for series, value in zip(found, here, strict=True):
        for index in np.ndindex(value.shape):
            one, other = series[index][0], value[index]
            if _are_disjoint(one, other):
                shown = (
                    f"{decimal_bounds(other)}, and Taylor series begin with {decimal_bounds(one)}"
                )
                return f"the value{_entry(index)} is {shown}"
    return ""


_OF_ORDER: Final = ("values", "slopes", "second derivatives")


def _differentiate_both_sides(
    graph: Graph, point: Sequence[Any], bits: int, line: Directions, order: int, here: list[Any]
) -> list[Any] | str | None:
    """What is chosen by a comparison at the point itself may be smooth across it all the same.

    Words, if it is not: it jumps, or has two slopes.
    """
    steps = [step for step in graph.path if graph.nodes[step.node].dtype.kind == "b"]
    whole = replace(graph, outputs=(*graph.outputs, *(step.node for step in steps)))
    sides = []
    for side in (line, [-part for part in line]):
        series = jets.taylor(whole, point, side, bits, order, germ=True)
        for step, taken in zip(steps, series[len(here) :], strict=True):
            if any(ball != int(step.outcome) for ball in taken[..., 0].flat):
                return None  # the function takes another path there
        sides.append(series[: len(here)])
    ahead, behind = sides
    known = True
    for value, right, left in zip(here, ahead, behind, strict=True):
        for index in np.ndindex(value.shape):
            for k in range(order + 1):
                one, other = right[index][k], (-1) ** k * left[index][k]
                if _are_disjoint(one, other):
                    both = decimal_bounds(one), decimal_bounds(other)
                    shown = "{} from one side and {} from the other".format(*both)
                    return f"Taylor series have two {_OF_ORDER[k]}{_entry(index)}: {shown}"
            known = known and all(side[index][0].overlaps(value[index]) for side in (right, left))
    return ahead if known else None


def _words(
    quantity: Quantity,
    lines: list[Directions],
    index: tuple[int, ...],
    both: tuple[Any, Any],
    sides: str,
) -> str:
    by_jets, closed = (str(decimal_bounds(one)) for one in both)
    return (
        f"for the {quantity.name}{_entry(index)} along {_directions(lines)} the closed form says "
        f"{closed}, and Taylor series say {by_jets}{sides}"
    )


def _entry(index: tuple[int, ...]) -> str:
    return f" of output {list(index)}" if index else ""


def _directions(lines: list[Directions]) -> str:
    return " and ".join(_direction(line) for line in lines)


def _direction(line: Directions) -> str:
    shown = ", ".join(" ".join(np.array2string(part, threshold=6).split()) for part in line)
    return f"({shown})" if len(line) > 1 else shown


def _suspect(graph: Graph, point: Sequence[Any]) -> str:
    """The first operation of which alone jets and the closed form disagree, and its line."""
    values = graph.values(*point)
    work = Work(_MOST_SUSPICION, "the search for the operation")
    for node in graph.nodes[:_MOST_SUSPECTS]:
        if node.primitive is None or node.dtype.kind != "f":
            continue
        try:
            if _parts_ways(node, [values[i] for i in node.inputs], work):
                return f"{node.name} at {places.relative(places.place_of_origin(node.origin))}"
        except _NOT_KNOWN:
            continue
    return ""


def _parts_ways(node: Node, values: list[Any], work: Work) -> bool:
    """Whether jets and the closed form of one operation disagree on its derivative by an input."""
    return any(_parts_by(node, values, place, work) for place in floating_places(values))


def _parts_by(node: Node, values: list[Any], place: int, work: Work) -> bool:
    graph, given = isolate_operation(node, values, [place])
    quantity = Quantity("jacobian")
    lines = [random_line(graph, [0], 0)]
    here = enclose(graph, given, _FIRST_BITS)
    said = _differentiate_along(graph, given, quantity, _FIRST_BITS, lines, here)
    if said is None or isinstance(said, str):
        return said is not None
    try:
        truth = ClosedForms(quantity).evaluate(graph, given, _SUSPICION)
    except _NOT_KNOWN:
        return False
    work.spend(len(truth.shadow.program))
    (expected,) = contract_truth(truth, graph, quantity, lines)
    return any(map(_are_disjoint, said[0][0].flat, expected.flat))


def truth_by_jets(
    graph: Graph,
    point: Sequence[Any],
    values: list[Any],
    quantity: str | Quantity,
    shadow: Shadow | None = None,
) -> Truth | None:
    """Enclose the exact derivative by jets, where the closed form cannot.

    Parameters
    ----------
    graph : Graph
    point : sequence of arrays
    values : list
        Of the nodes of `graph` at the point.
    quantity : str or Quantity
    shadow : Shadow, optional
        If there is one, and only its derivative is not finite.

    Returns
    -------
    Truth or None
        None where jets do not know it either, where it would take too many of them, or where
        the point lies on the boundary of the path that was recorded.

    Raises
    ------
    Unsupported
        Jets have another value than balls.
    """
    quantity = to_quantity(quantity)
    if _expansions(graph, quantity) > _MOST_EXPANSIONS:
        return None
    bits = _FIRST_BITS
    whole = _Whole(graph, quantity)
    try:
        if not _keeps_its_path(graph, point, bits):
            return None
        while True:
            parts = whole.enclose(point, bits)
            good = min((good_bits(x, bits) for part in parts for x in part.flat), default=bits)
            if not all(x.is_finite() for part in parts for x in part.flat):
                return None
            if 2 * good >= bits or bits >= MOST_BITS:
                break
            bits *= 2
    except Unsupported:
        return None
    made = shadow or _empty_shadow(graph, values)
    found = Truth(parts, [], made, min(good, bits), bits, whole, [], by_jets=True)
    if _is_linear(graph, point, found, quantity):
        return found
    if words := _other_than_balls(graph, values):
        raise Unsupported(words)
    return None


def _other_than_balls(graph: Graph, values: list[Any]) -> str:
    """Words of the first operation of which alone series begin with other values than balls."""
    for node in graph.nodes[:_MOST_SUSPECTS]:
        if node.primitive is None or node.dtype.kind != "f":
            continue
        try:
            single, given = isolate_operation(node, [values[i] for i in node.inputs])
            line = random_line(single, range(len(given)), 0)
            expanded = jets.taylor(single, given, line, _FIRST_BITS)
            words = _other_values(expanded, enclose(single, given, _FIRST_BITS))
        except _NOT_KNOWN:
            continue
        if words:
            place = places.relative(places.place_of_origin(node.origin))
            return f"oracle conflict: of {node.name} at {place} {words}"
    return ""


class _Whole:
    """A whole derivative by jets, which can be asked again at more bits."""

    order: tuple[int, ...] = ()

    def __init__(self, graph: Graph, quantity: Quantity) -> None:
        self._graph, self._quantity = graph, quantity

    def enclose(self, point: Sequence[Any], bits: int) -> list[Any]:
        """The parts of the derivative, at `bits` bits."""
        graph, quantity, count = self._graph, self._quantity, len(point)
        if quantity.name == "jvp":
            (lines,) = lines_for(graph, point, quantity)
            return jets.jvp(graph, point, lines[0], bits)
        if quantity.name in ("vjp", "hvp"):
            return self._differentiate_entries(point, bits)
        if quantity.name == "hessian":
            blocks = jets.hessian(graph, point, bits)
            return [blocks[count * i + j] for i, j in quantity.parts(count)]
        by = jets.jacobian(graph, point, bits)
        return [by[i] for (i,) in quantity.parts(count)]

    def _differentiate_entries(self, point: Sequence[Any], bits: int) -> list[Any]:
        """Of a product, entry by entry."""
        graph, quantity, count = self._graph, self._quantity, len(point)
        parts = [np.empty(np.shape(point[i]), dtype=object) for (i,) in quantity.parts(count)]
        places = [part[0] for part in quantity.parts(count)]
        along = next(lines_for(graph, point, quantity), [[]])[-1]
        for number, index, axis in axes(graph, places):
            if quantity.name == "hvp":
                found = jets.mixed_derivative(graph, point, [axis, along], bits)[0]
            else:
                found = pull_outputs(jets.jvp(graph, point, axis, bits), point, quantity, bits)
            parts[places.index(number)][index] = found[()]
        return parts


def _empty_shadow(graph: Graph, values: list[Any]) -> Shadow:
    """A shadow that says nothing but the values of the nodes."""
    unknown: list[Any] = [None] * len(graph.nodes)
    return Shadow(Program(), [], [], [], graph, values, unknown, [], [])


def _expansions(graph: Graph, quantity: Quantity) -> int:
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    if quantity.name == "jvp":
        return 1
    size = sum(int(np.prod(shapes[i])) for i in quantity.moving(len(shapes)))
    if quantity.name == "hessian":
        size = sum(map(int, map(np.prod, shapes)))
        return size * (size + 1) // 2
    return 2 * size if quantity.name == "hvp" else size


def _keeps_its_path(graph: Graph, point: Sequence[Any], bits: int) -> bool:
    """Whether near the point every decision of the recorded path is the same."""
    if not graph.path:
        return True
    steps = replace(graph, outputs=tuple(step.node for step in graph.path))
    for seed in range(_SHAKES):
        line = random_line(graph, range(len(point)), seed)
        expanded = jets.taylor(steps, point, line, bits)
        for step, found in zip(graph.path, expanded, strict=True):
            value = found[..., 0].ravel()
            if not all(x.is_exact() or not x.contains(0) for x in value):
                return False
            if any(x.is_zero() for x in value) and graph.nodes[step.node].dtype.kind == "f":
                return False
    return True


def _is_linear(graph: Graph, point: Sequence[Any], truth: Truth, quantity: Quantity) -> bool:
    """Whether a direction between the axes confirms the axes, as it does of smooth functions.

    Of what is pushed forward it is the way back that has to.
    """
    (*rest, last) = next(lines_for(graph, point, quantity, drawn=True), [[]])
    lines = [*rest, last]
    if quantity.name == "jvp":
        lines = [[-part for part in last]]
    said = _differentiate_along(
        graph, point, quantity, truth.precision, lines, enclose(graph, point, _FIRST_BITS)
    )
    if said is None or isinstance(said, str):
        return False
    if not all(x.is_finite() for part in said[0] for x in part.flat):
        return False
    expected = contract_truth(truth, graph, quantity, lines)
    if quantity.name == "jvp":
        expected = [-part for part in expected]
    return not any(
        _are_disjoint(a, b)
        for one, other in zip(said[0], expected, strict=True)
        for a, b in zip(one.ravel(), other.ravel(), strict=True)
    )
