"""A group of operations on arrays as one operation of a program."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node, replace_inputs


class Loop:
    """What a node of a fused graph evaluates: several results of arrays.

    Parameters
    ----------
    graph : Graph
        The operations, with the inputs that were there when it was recorded.
    rounded : frozenset of int
        Those whose functions may round otherwise than NumPy.

    Attributes
    ----------
    entry : callable or None
        The machine code, when it is made. After the inputs it is given for each result an array to
        write into, or None; of inputs that lie otherwise than those of the graph it returns None.
    workspace : int
        Floats of an array that it is given last, and returns last, in which it keeps what it needs.
    """

    workspace = 0

    def __init__(self, graph: Graph, rounded: frozenset[int] = frozenset()) -> None:
        self.graph, self.rounded = graph, rounded
        self.entry: Callable[..., tuple[Any, ...] | None] | None = None

    @functools.cached_property
    def key(self) -> Any:
        """What its machine code depends on: loops with the same key share it."""
        graph = self.graph
        return (
            tuple([_node_key(node) for node in graph.nodes]),
            graph.outputs,
            self.rounded,
            tuple([(type(x), getattr(x, "strides", None)) for x in graph.at]),
        )

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The results as NumPy computes them, of arrays that lie in any way."""
        return self.graph.evaluate(*arrays)


def _node_key(node: Node) -> Any:
    if node.primitive is not None:
        return id(node.primitive), node.inputs, hashable(node.params), node.shape, node.dtype.str
    given = None if node.constant is None else np.asarray(node.constant).tobytes()
    return given, node.shape, node.dtype.str


def loop_of(node: Node) -> Loop | None:
    """The loop of which a node is a result."""
    run = None if node.primitive is None else node.primitive.evaluate
    return run if isinstance(run, Loop) else None


def find_users(graph: Graph) -> list[list[int]]:
    """Of each node those that need it; -1 for an output, and for what is decided by it."""
    users: list[list[int]] = [[] for _ in graph.nodes]
    for at, node in enumerate(graph.nodes):
        for i in node.inputs:
            users[i].append(at)
    for at in (*graph.outputs, *(step.node for step in graph.path)):
        users[at].append(-1)
    return users


def isolate_nodes(
    graph: Graph,
    leaves: Sequence[int],
    members: Sequence[int],
    results: Sequence[int],
    values: Sequence[Any],
) -> tuple[Graph, dict[int, int]]:
    """Operations as a graph of their own, and where its nodes are that are nodes of `graph`.

    Parameters
    ----------
    graph : Graph
    leaves, members, results : sequence of int
        What is given, the operations, and what is wanted of them.
    values : sequence
        Of the nodes of `graph`, where it was recorded.
    """
    nodes: list[Node] = []
    places: dict[int, int] = {}
    for i in leaves:
        given = graph.nodes[i]
        places[i] = len(nodes)
        nodes.append(Node(None, (), {}, given.shape, given.dtype, given.origin))
    for at in members:
        node = graph.nodes[at]
        for i in node.inputs:
            if i not in places:  # a number that is known
                places[i] = len(nodes)
                nodes.append(graph.nodes[i])
        places[at] = len(nodes)
        nodes.append(replace_inputs(node, tuple(places[i] for i in node.inputs)))
    outputs, at_point = tuple(places[k] for k in results), tuple(values[i] for i in leaves)
    return Graph(tuple(nodes), tuple(range(len(leaves))), outputs, at=at_point), places


def isolate_results(
    graph: Graph, at: int, users: Iterable[int], values: Sequence[Any]
) -> tuple[Graph, list[int]]:
    """An operation with all of its results as a graph of its own, and the nodes that they are.

    Parameters
    ----------
    graph : Graph
    at : int
        The first of its results.
    users : iterable of int
        The nodes that need its first input; -1 for what is none.
    values : sequence
        Of the nodes of `graph`, where it was recorded.
    """
    node = graph.nodes[at]

    def is_result(one: Node) -> bool:
        is_same = one.primitive is node.primitive and one.inputs == node.inputs
        return is_same and hashable(one.params) == hashable(node.params)

    results = [k for k in sorted({k for k in users if k >= 0}) if is_result(graph.nodes[k])]
    return isolate_nodes(graph, node.inputs, results, results, values)[0], results


def find_results(graph: Graph, count: int) -> list[str | None]:
    """Where in machine code each of an operation's results belongs, if it is needed."""
    found: list[str | None] = [None] * count
    for k, at in enumerate(graph.outputs, start=len(graph.inputs)):
        found[graph.nodes[at].part or 0] = f"%a{k}"
    return found
