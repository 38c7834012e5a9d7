"""Event functions: numbers inside a recording whose sign, or value, says where something changes.

A comparison changes where its sides are equal, a maximum where its inputs are; abs, sqrt, log, a
quotient and a power where what they are given is zero; floor where its value jumps. In between
these places a recorded program is one smooth function; but hand-made derivatives have branches of
their own where the operations are special: where a function is given 0, 1 or -1, or a whole
number, and where terms cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node

_MOST_NODES: Final = 400

_ARITHMETIC: Final = ("+", "-", "*", "/")
"""Operators that nobody writes a branch for, but where their result is zero."""

_ENTRIES: Final = 3
"""Entries of an array that are looked at: the first, the last, the one in the middle."""


@dataclass(frozen=True, slots=True)
class EventFunction:
    """One number inside a recording.

    Attributes
    ----------
    evaluate : callable ``(values of all nodes) -> float``
        Its sign is what matters, or its value if `jumps`.
    last : int
        The values of later nodes do not matter.
    priority : int
        0 what steers, 1 where an operation has a boundary of its own, 2 where it is given 0 or
        its terms cancel, 3 where it is given 1 or -1, 4 where it is given a whole number.
    jumps : bool
        Whether it is a value of a step function.
    """

    evaluate: Callable[[list[Any]], float]
    last: int
    priority: int
    jumps: bool = False


def side_of(event: EventFunction, values: list[Any]) -> float:
    """On which side of it a point is: -1, 0 or 1; 2 if it is not a number; of a step, its value."""
    value = event.evaluate(values)
    if value != value:
        return 2.0
    return value if event.jumps else float(np.sign(value))


def event_functions(graph: Graph) -> list[EventFunction]:
    """The event functions of a recording, by priority."""
    found: list[EventFunction] = []
    for at, node in enumerate(graph.nodes[:_MOST_NODES]):
        if node.primitive is None:
            continue
        for evaluate, priority, jumps in _list_node_functions(graph, at, node):
            size = int(np.prod(node.shape, dtype=int))
            for entry in sorted({0, size // 2, size - 1} if size else ())[:_ENTRIES]:
                found.append(
                    EventFunction(_entry(evaluate, node.shape, entry), at, priority, jumps)
                )
    return sorted(found, key=lambda event: event.priority)


NodeFunction = Callable[[list[Any]], Any]


def _list_node_functions(graph: Graph, at: int, node: Node) -> list[tuple[NodeFunction, int, bool]]:
    row = node.row
    if row.ties == "inputs" and (row.compares or node.dtype.kind == "f"):
        return [(_difference(*node.inputs), 0, False)]
    if node.dtype.kind != "f" or not node.inputs:
        return []
    if row.elementwise and row.symbolic is None and not any(row.rules):
        return [(_value(at), 0, True)]
    moving = [
        i
        for i in node.inputs
        if graph.nodes[i].constant is None and graph.nodes[i].dtype.kind == "f"
    ]
    found = [(_value(at), 2, False)]
    if row.elementwise and (row.kinks is not None or row.domain is not None):
        found = [(_value(i), 1, False) for i in moving]
    if row.elementwise and row.operator not in _ARITHMETIC:
        found += [(_value(i), 2, False) for i in moving]
        found += [
            (_distance_from_target(i, target), 3, False) for i in moving for target in (1.0, -1.0)
        ]
        found += [(_integer_steps(i), 4, True) for i in moving]
    return found


def _value(at: int) -> NodeFunction:
    return lambda values: values[at]


def _distance_from_target(at: int, target: float) -> NodeFunction:
    return lambda values: np.subtract(values[at], target, dtype=float)


def _integer_steps(at: int) -> NodeFunction:
    """Twice the whole number below, and one more between two: it jumps at and beside each."""
    return lambda values: np.floor(values[at]) + np.ceil(values[at])


def _difference(left: int, right: int) -> NodeFunction:
    def find_gap(values: list[Any]) -> Any:
        gap = np.asarray(values[left]) - np.asarray(values[right], dtype=complex)
        return gap.real if not np.any(gap.imag) else np.abs(gap)

    return find_gap


def _entry(
    evaluate: NodeFunction, shape: tuple[int, ...], entry: int
) -> Callable[[list[Any]], float]:
    if not shape:
        return lambda values: float(evaluate(values))

    def one(values: list[Any]) -> float:
        try:
            found = np.asarray(evaluate(values))
            whole = found if found.shape == shape else np.broadcast_to(found, shape)
            return float(whole.flat[entry])
        except ValueError:
            # Of arrays chosen by a mask the shapes depend on the values, and are others here.
            return math.nan

    return one
