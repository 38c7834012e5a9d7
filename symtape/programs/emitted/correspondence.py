"""Where a derivative computes again what the function computes."""

from __future__ import annotations

from typing import Any

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import POSITIVE


def found_in(graph: Graph, part: Graph) -> dict[int, int]:
    """Where the nodes of `part` are in `graph`, which begins with the same computation."""
    alike = list(range(len(graph)))
    known: dict[Any, int] = {}
    for at, node in enumerate(graph.nodes):
        if node.primitive is POSITIVE:
            # Transforms copy an argument, so that it is no other one.
            alike[at] = alike[node.inputs[0]]
        elif _is_kept(node):
            known.setdefault(_key(node, tuple(alike[i] for i in node.inputs)), at)
    places = dict(zip(part.inputs, graph.inputs, strict=False))
    for at, node in enumerate(part.nodes):
        if at in places or not _is_kept(node) or any(i not in places for i in node.inputs):
            continue
        if node.primitive is POSITIVE:
            places[at] = places[node.inputs[0]]
        elif (key := _key(node, tuple(places[i] for i in node.inputs))) in known:
            places[at] = known[key]
    return places


def _is_kept(node: Node) -> bool:
    return node.primitive is not None or node.constant is not None


def _key(node: Node, inputs: tuple[int, ...]) -> Any:
    constant = None if node.primitive is not None else hashable(node.constant)
    return id(node.primitive), inputs, hashable(node.params), node.part, constant
