"""What a recording chooses all over a box, where balls leave no doubt of it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.fidelity import opaque
from symtape.graph.graph import Graph, Node
from symtape.primitives.arguments import takes_values
from symtape.primitives.primitive import Primitive
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.rigorous import ball
from symtape.rigorous.deciding import UndecidedOrder, ranks
from symtape.rigorous.enclose import Reading
from symtape.rigorous.scalar import list_entries
from symtape.symbolic.boxes import Box, boxes
from symtape.symbolic.shadow import chosen_by

BITS: Final = 64

ORDERS: Final = ("largest", "smallest", "ascending")
"""Decisions by the order of elements."""


def is_readable(graph: Graph) -> bool:
    """Whether all that `graph` computes has a formula, and a reading in balls to decide by."""
    return not (graph.escapes or graph.by_parts or opaque(graph)) and all(
        node.dtype.kind in "fbiu" and not _is_unread(node.primitive) for node in graph.nodes
    )


def _is_unread(row: Primitive | None) -> bool:
    if row is None:
        return False
    by_values = row.elements is not None and takes_values(row.elements)
    return row.stops or row.missing or (by_values and row.smooth != "pivots")


def choices_over(
    graph: Graph,
    balls: Sequence[Any],
    values: Sequence[Any],
    open_to: frozenset[int] = frozenset(),
    settled: frozenset[int] = frozenset(),
) -> tuple[bytes, list[int]]:
    """What `graph` chooses at every point of a box, and that it is smooth there.

    Parameters
    ----------
    graph : Graph
        Readable.
    balls : sequence of balls and object arrays of them
        For each input what it may be.
    values : sequence
        The floats of its nodes at a point of the box.
    open_to : set of int
        Nodes that may choose what they like, for all of it is asked.
    settled : set of int
        Nodes of which it is known that they choose the same at every point as at this one.

    Returns
    -------
    bytes
        The same for boxes on which the same is chosen.
    list of int
        The nodes that may not be defined there, or not smooth, as far as balls tell.

    Raises
    ------
    Undecided
        Something is chosen otherwise elsewhere in the box, or the balls are too wide to say so.
    Unsupported
        A row has no reading in balls.
    """
    with precision(BITS):
        meanings = _OverBox(graph, balls, values, settled).nodes()
        doubtful: list[int] = []
        for at in varying_nodes(graph):
            node = graph.nodes[at]
            charge(1 + 0.1 * np.size(meanings[at]))
            if not _is_regular(node, meanings[at], meanings, at in open_to):
                doubtful.append(at)
            floats = None if at in open_to or at in settled else _chosen_at(graph, at, values)
            if floats is not None:
                _check_common_choice(node.row, _chosen_over(graph, at, meanings), floats)
        for step in graph.path:
            if ball.truth(_number(meanings[step.node])) is not step.outcome:
                raise UndecidedOrder("a branch is not decided all over the box")
    return choices_at(graph, values, open_to), doubtful


def varying_nodes(graph: Graph) -> list[int]:
    """The operations that depend on an input."""
    varying = set(graph.inputs)
    for at, node in enumerate(graph.nodes):
        if not varying.isdisjoint(node.inputs):
            varying.add(at)
    return sorted(varying - set(graph.inputs))


def choices_at(graph: Graph, values: Sequence[Any], open_to: frozenset[int] = frozenset()) -> bytes:
    """What `graph` chooses where its nodes have these floats, but for those it is `open_to`."""
    found = (_chosen_at(graph, at, values) for at in varying_nodes(graph) if at not in open_to)
    return b"|".join(floats.tobytes() for floats in found if floats is not None)


class _OverBox(Reading):
    """An evaluation whose inputs are all that they may be in a box."""

    def __init__(
        self,
        graph: Graph,
        balls: Sequence[Any],
        values: Sequence[Any],
        settled: frozenset[int],
    ) -> None:
        self.graph = graph
        self.inputs = list(balls)
        self._at_point = list(values)
        self._constant = {
            id(graph.nodes[at]): values[at] for at in settled if is_constant(graph.nodes[at])
        }

    def apply(self, node: Node, args: list[Any]) -> Any:
        if id(node) in self._constant:
            return self.read_input(np.asarray(self._constant[id(node)]))
        return super().apply(node, args)

    def read_input(self, x: Any) -> Any:
        return x

    @functools.cached_property
    def _floats(self) -> list[Any]:
        return self._at_point


def is_constant(node: Node) -> bool:
    """Whether the value of an operation is all that it chooses."""
    return node.dtype.kind != "f" or not any(node.row.rules)


def _chosen_at(graph: Graph, at: int, values: Sequence[Any]) -> Any:
    """What node `at` chooses where floats are `values`; None of one that computes."""
    node = graph.nodes[at]
    row = node.row
    if is_constant(node):
        found = np.ravel(values[at])
        # Both zeros are one number.
        return found + 0.0 if found.dtype.kind == "f" else found
    if row.decision == "condition":
        return np.ravel(values[node.inputs[0]]).astype(bool)
    if row.decision in ("largest", "smallest") and row.elementwise:
        if node.inputs[0] == node.inputs[1]:
            return None
        return np.ravel(np.greater(*[np.asarray(values[i]) for i in node.inputs]))
    if row.decision in ORDERS:
        return np.ravel(chosen_by(graph, list(values), at))
    return None


def _chosen_over(graph: Graph, at: int, meanings: Sequence[Any]) -> list[Any]:
    """What node `at`, which chooses, chooses all over a box; None for what is not known."""
    node = graph.nodes[at]
    row = node.row
    if is_constant(node):
        return [
            x if type(x) is not arb else float(x) if x.is_exact() else None
            for x in list_entries(meanings[at])
        ]
    args = [meanings[i] for i in node.inputs]
    if row.decision == "condition":
        return [ball.truth(x) for x in list_entries(args[0])]
    if row.elementwise:
        return list_entries(ball.greater(*map(_array, args)))
    by_rank = dict(zip(node.inputs, ranks(row.name, args, str(node.origin)), strict=True))
    return list_entries(chosen_by(graph, by_rank, at))


def _are_finite(meaning: Any) -> bool:
    return all(type(x) is arb and x.is_finite() for x in list_entries(meaning))


def _check_common_choice(row: Primitive, found: list[Any], floats: Any) -> None:
    """See that what is chosen all over the box is known, and is what floats choose."""
    if len(found) != floats.size or any(
        x is None or x != y for x, y in zip(found, floats.tolist(), strict=True)
    ):
        raise UndecidedOrder(f"{row.name} is not decided all over the box")


def _is_regular(node: Node, meaning: Any, meanings: Sequence[Any], is_open: bool) -> bool:
    """Whether balls say that a node is finite, and has no kink but where it chooses."""
    row = node.row
    if is_constant(node):
        return not (is_open and node.dtype.kind == "f") or _are_finite(meaning)
    if not _are_finite(meaning):
        return False
    if is_open or row.decision or row.kinks is None:
        return True
    args = [meanings[i] for i in node.inputs]
    if row.smooth == "value":
        return all(x > 0 for x in list_entries(meaning))
    spread = np.broadcast_arrays(*[np.asarray(x, dtype=object) for x in args])
    entries = zip(*[array.ravel().tolist() for array in spread], strict=True)
    return all(is_inside(row, [ball.to_ball(x) for x in entry]) for entry in entries)


def is_inside(row: Primitive, numbers: Sequence[Any]) -> bool:
    """Whether the arguments of one element, balls or intervals, lie where its rules hold."""
    if row.smooth not in ("over", "orders"):
        return False
    if (row.power and _is_integer(numbers[1])) or (
        row.smooth == "orders" and _is_integer(numbers[0])
    ):
        return True
    return lies_over(row, numbers)


def lies_over(row: Primitive, numbers: Sequence[Any]) -> bool:
    """Whether the arguments of one element, balls or intervals, lie where a row is proved."""
    given = dict(zip(row.inputs, numbers, strict=True))
    return any(_lies_in(box, given) for box in boxes(row.over))


def _is_integer(number: Any) -> bool:
    exact = number if type(number) is arb else number.low if number.low == number.high else None
    return exact is not None and bool(exact.is_exact() and exact.is_integer())


def _lies_in(box: Box, given: Mapping[str, Any]) -> bool:
    for name, interval in box.items():
        more, _, less = name.partition(" - ")
        number = given[more] - given[less] if less else given[more]
        if type(number) is arb:
            if not (number > interval.low and number < interval.high):
                return False
        elif not number.lies_inside(interval):
            return False
    return True


def _array(meaning: Any) -> Any:
    return np.asarray(meaning, dtype=object)


def _number(meaning: Any) -> Any:
    (found,) = list_entries(meaning)
    return found
