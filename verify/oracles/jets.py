"""Jets as an oracle: Taylor series in balls, which share nothing with rules or closed forms.

They say whether the closed form is right at a point, along lines through it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph, Node
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.process.work import Work, suspend_collector
from symtape.rigorous import ball, jets
from symtape.rigorous.enclose import enclose
from symtape.rigorous.scalar import decimal_bounds
from verify.files import places
from verify.model.quantity import Quantity, to_quantity
from verify.model.verdict import Confirmation, ConfirmationStatus
from verify.oracles.closed_form import ClosedForms, Truth
from verify.oracles.single_operation import floating_places, isolate_operation

JETS: Final = "Taylor series"

FIRST_BITS: Final = 300
MOST_SUSPECTS: Final = 200
NOT_KNOWN: Final = (BudgetSpent, Unsupported, LookupError, ValueError)
"""Of an operation whose closed form, or jets, there are none."""

_FEW: Final = 6
"""Up to so many coordinates every axis is gone along; beyond, two directions stand for all."""

_MANY: Final = 64
"""Beyond so many coordinates one direction stands for all: it is drawn from 2^21 numbers an axis,
so that no fault but a contrived one is orthogonal to it."""

_DIRECTIONS: Final = 2

_BITS: Final = 64

Directions: TypeAlias = list[Any]
"""An array for each input of a graph."""

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
            said = differentiate_along(graph, point, quantity, truth.precision, lines, here)
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
                    if are_disjoint(one, other):
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


def are_disjoint(one: Any, other: Any) -> bool:
    """Whether two balls are known to hold different numbers."""
    return bool(one.is_finite() and other.is_finite() and not one.overlaps(other))


def differentiate_along(
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
        if words := other_values(found, here):
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


def other_values(found: list[Any], here: list[Any]) -> str:
    """Words, if series begin with other values than balls have."""
    for series, value in zip(found, here, strict=True):
        for index in np.ndindex(value.shape):
            one, other = series[index][0], value[index]
            if are_disjoint(one, other):
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
            if any(value != int(step.outcome) for value in taken[..., 0].flat):
                return None  # the function takes another path there
        sides.append(series[: len(here)])
    ahead, behind = sides
    known = True
    for value, right, left in zip(here, ahead, behind, strict=True):
        for index in np.ndindex(value.shape):
            for k in range(order + 1):
                one, other = right[index][k], (-1) ** k * left[index][k]
                if are_disjoint(one, other):
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
    for node in graph.nodes[:MOST_SUSPECTS]:
        if node.primitive is None or node.dtype.kind != "f":
            continue
        try:
            if _parts_ways(node, [values[i] for i in node.inputs], work):
                return f"{node.name} at {places.relative(places.place_of_origin(node.origin))}"
        except NOT_KNOWN:
            continue
    return ""


def _parts_ways(node: Node, values: list[Any], work: Work) -> bool:
    """Whether jets and the closed form of one operation disagree on its derivative by an input."""
    return any(_parts_by(node, values, place, work) for place in floating_places(values))


def _parts_by(node: Node, values: list[Any], place: int, work: Work) -> bool:
    graph, given = isolate_operation(node, values, [place])
    quantity = Quantity("jacobian")
    lines = [random_line(graph, [0], 0)]
    here = enclose(graph, given, FIRST_BITS)
    said = differentiate_along(graph, given, quantity, FIRST_BITS, lines, here)
    if said is None or isinstance(said, str):
        return said is not None
    try:
        truth = ClosedForms(quantity).evaluate(graph, given, _SUSPICION)
    except NOT_KNOWN:
        return False
    work.spend(len(truth.shadow.program))
    (expected,) = contract_truth(truth, graph, quantity, lines)
    return any(map(are_disjoint, said[0][0].flat, expected.flat))


def lines_for(
    graph: Graph, point: Sequence[Any], quantity: Quantity, drawn: bool = False
) -> Iterator[list[Directions]]:
    """What to compare along: one direction, or two for a second derivative.

    Parameters
    ----------
    graph : Graph
    point : sequence of arrays
    quantity : Quantity
    drawn : bool
        Only lines by chance, no axes.
    """
    count = len(graph.inputs)
    rows, columns = quantity.rows(count), quantity.columns(count)
    size = sum(int(np.prod(graph.nodes[graph.inputs[i]].shape)) for i in rows)
    if quantity.name == "jvp":
        yield [_point_direction(graph, point, quantity)]
    elif quantity.name == "hvp":
        for seed in range(_DIRECTIONS if size > 1 else 1):
            yield [random_line(graph, rows, seed), _point_direction(graph, point, quantity)]
    elif quantity.name == "hessian":
        for seed in range(_DIRECTIONS if size > 1 else 1):
            yield [random_line(graph, rows, 2 * seed), random_line(graph, columns, 2 * seed + 1)]
    elif size <= _FEW and not drawn:
        yield from ([axis] for _, _, axis in axes(graph, rows))
    else:
        for seed in range(_DIRECTIONS if size <= _MANY else 1):
            yield [random_line(graph, rows, seed)]


def axes(graph: Graph, rows: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...], Directions]]:
    """Every axis of some of the inputs: which input, which entry of it, and the direction."""
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    for number in rows:
        for index in np.ndindex(shapes[number]):
            axis = [np.zeros(shape) for shape in shapes]
            axis[number][index] = 1
            yield number, index, axis


def random_line(graph: Graph, rows: Iterable[int], seed: int) -> Directions:
    """A direction of multiples of 2^-20, zero only of other inputs: exact in every arithmetic."""
    draw = np.random.default_rng(seed)
    line = [np.zeros(graph.nodes[at].shape) for at in graph.inputs]
    for number in rows:
        shape = line[number].shape
        line[number] = draw.integers(1, 2**20 + 1, shape) * draw.choice([-1, 1], shape) / 2.0**20
    return line


def _point_direction(graph: Graph, point: Sequence[Any], quantity: Quantity) -> Directions:
    """The direction that the point itself brings."""
    line = [np.zeros(graph.nodes[at].shape) for at in graph.inputs]
    count = len(line)
    for number, at in zip(quantity.rows(count), quantity.direction_places(count), strict=True):
        line[number] = np.asarray(point[at], dtype=np.float64)
    return line


def pull_outputs(found: Sequence[Any], point: Sequence[Any], quantity: Quantity, bits: int) -> Any:
    """The sum of what the outputs do along a line, weighted by the cotangents of the point."""
    with precision(max(bits, _BITS)):
        total: Any = ball.objects(np.zeros((), dtype=int))
        for at, output in zip(quantity.direction_places(len(point)), found, strict=True):
            weights = ball.objects(np.ravel(np.asarray(point[at], dtype=np.float64)))
            total = total + np.sum(weights * np.ravel(output))
        return np.asarray(total, dtype=object).reshape(())


def contract_truth(
    truth: Truth, graph: Graph, quantity: Quantity, lines: list[Directions]
) -> list[Any]:
    """The closed form's derivative of each output along `lines`."""
    if quantity.name == "jvp":
        return truth.parts
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    sizes = [math.prod(shape) for shape in shapes]
    output = graph.nodes[graph.outputs[0]].shape if quantity.name == "jacobian" else ()
    with precision(truth.precision):
        flat = [[ball.objects(np.ravel(part)) for part in line] for line in lines]
        total: Any = ball.objects(np.zeros(output, dtype=int))
        for part, by in zip(truth.parts, quantity.parts(len(shapes)), strict=True):
            if quantity.name == "hessian":
                i, j = by
                right = ball.matmul(part.reshape(sizes[i], sizes[j]), flat[1][j])
                total = total + np.sum(flat[0][i] * right)
            else:
                (i,) = by
                rows = part.reshape(math.prod(output), sizes[i])
                total = total + ball.matmul(rows, flat[0][i]).reshape(output)
    return [np.asarray(total, dtype=object).reshape(output)]
