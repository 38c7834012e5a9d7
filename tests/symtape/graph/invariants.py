"""What every Graph satisfies, as a table of named checks.

Each check yields a sentence for every violation it finds. Tests run the table over all the
graphs they make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node


class Invariant(NamedTuple):
    """One promise: its name, what it says, and what finds the places where it is broken."""

    name: str
    statement: str
    find: Callable[[Graph], Iterator[str]]


def violations(graph: Graph) -> list[str]:
    """Every broken promise of `graph`, each as ``name: where``; empty for a sound one.

    Examples
    --------
    >>> import symtape
    >>> violations(symtape.record(lambda x: x * x, 3.0))
    []
    """
    return [f"{check.name}: {found}" for check in INVARIANTS for found in check.find(graph)]


def _in_range(graph: Graph) -> Iterator[str]:
    places = {
        "input": graph.inputs,
        "output": graph.outputs,
        "decision": [step.node for step in graph.path],
        "argument of a custom gradient": [at for call in graph.customs for at in call.inputs],
    }
    for role, positions in places.items():
        for position in positions:
            if not 0 <= position < len(graph):
                yield f"{role} at position {position} of {len(graph)} nodes"
    for escape in graph.escapes:
        if not -1 <= escape.node < len(graph):
            yield f"escape {escape} at position {escape.node} of {len(graph)} nodes"


def _topological(graph: Graph) -> Iterator[str]:
    for position, node in enumerate(graph.nodes):
        for argument in node.inputs:
            if not 0 <= argument < position:
                yield f"node {position} ({node.name}) takes node {argument}"


def _leaves(graph: Graph) -> Iterator[str]:
    if len(set(graph.inputs)) < len(graph.inputs):
        yield f"inputs {graph.inputs} name a node twice"
    for position, node in enumerate(graph.nodes):
        if node.primitive is not None:
            if position in graph.inputs or node.constant is not None:
                yield f"node {position} ({node.name}) is computed, and an input or constant too"
        elif node.inputs or node.params or node.part is not None:
            yield f"leaf {position} ({node.name}) has arguments"
        elif (position in graph.inputs) == (node.constant is not None):
            yield f"leaf {position} must be an input or a constant, and not both"


def _arity(graph: Graph) -> Iterator[str]:
    for position, node in enumerate(graph.nodes):
        row = node.primitive
        if row is not None and not row.variadic and len(node.inputs) != len(row.inputs):
            yield (
                f"node {position} ({node.name}) has {len(node.inputs)} arguments, "
                f"its primitive takes {len(row.inputs)}"
            )


def _meaning(node: Node) -> Any:
    if node.primitive is None:
        value = np.asarray(node.constant)
        kind = type(node.constant).__name__
        return "constant", kind, value.dtype.str, value.shape, value.tobytes()
    return id(node.primitive), node.inputs, hashable(node.params), node.part


def _hash_consed(graph: Graph) -> Iterator[str]:
    seen: dict[Any, int] = {}
    for position, node in enumerate(graph.nodes):
        if position in graph.inputs:
            continue
        first = seen.setdefault(_meaning(node), position)
        if first != position:
            yield f"nodes {first} and {position} ({node.name}) are one value"


def _needed(graph: Graph) -> Iterator[str]:
    used = {*graph.outputs, *(step.node for step in graph.path), *graph.inputs}
    for position in range(len(graph) - 1, -1, -1):
        if position in used:
            used.update(graph.nodes[position].inputs)
        else:
            yield f"node {position} ({graph.nodes[position].name}) reaches no output or decision"


def _located(graph: Graph) -> Iterator[str]:
    for position, node in enumerate(graph.nodes):
        if node.primitive is not None and node.origin is None:
            yield f"node {position} ({node.name}) has no source line"


def _constants(graph: Graph) -> Iterator[str]:
    for position, node in enumerate(graph.nodes):
        if node.constant is not None and np.shape(node.constant) != node.shape:
            yield f"constant {position}: shape {np.shape(node.constant)}, declared {node.shape}"


def _point(graph: Graph) -> Iterator[str]:
    if len(graph.at) != len(graph.inputs):
        yield f"{len(graph.at)} recorded inputs for {len(graph.inputs)} inputs"
        return
    for number, (position, x) in enumerate(zip(graph.inputs, graph.at, strict=True)):
        node = graph.nodes[position]
        if np.shape(x) != node.shape or np.asarray(x).dtype != node.dtype:
            yield f"input {number}: recorded {x!r}, declared {node.dtype}{list(node.shape)}"


def _replays(graph: Graph) -> Iterator[str]:
    with np.errstate(all="ignore"):
        values = graph.values(*graph.at)
    for position, (node, value) in enumerate(zip(graph.nodes, values, strict=True)):
        if np.shape(value) != node.shape or np.asarray(value).dtype != node.dtype:
            found = f"{np.asarray(value).dtype}{list(np.shape(value))}"
            yield f"node {position} ({node.name}): {found}, declared {node.dtype}{list(node.shape)}"
    for step in graph.path:
        if bool(values[step.node]) != step.outcome:
            yield f"the decision at {step.origin} was {step.outcome}, and is not in a replay"


INVARIANTS: Final[tuple[Invariant, ...]] = (
    Invariant("in range", "every position named is that of a node", _in_range),
    Invariant("topological", "a node's arguments come before it", _topological),
    Invariant("leaves", "inputs and constants are leaves, and nothing else is", _leaves),
    Invariant("arity", "a node has as many arguments as its primitive", _arity),
    Invariant("hash-consed", "one node for one value", _hash_consed),
    Invariant("needed", "every node but an input serves an output or a decision", _needed),
    Invariant("located", "every operation has a line of the user's source", _located),
    Invariant("constants", "a constant has the shape it is declared with", _constants),
    Invariant("point", "the recorded inputs are those of the graph", _point),
    Invariant("replays", "a replay at the recorded inputs is the recording", _replays),
)
"""The promises, each resting on those before it."""
