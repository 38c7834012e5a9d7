"""A pass: whether all numbers of an array are finite, looked at once."""

from __future__ import annotations

import dataclasses
from math import isfinite
from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.comparison import ALL
from symtape.primitives.primitive import Array, Primitive
from symtape.primitives.steps import ISFINITE
from symtape.programs.compiled.rewriting import assemble_graph


def _are_finite(x: Array) -> Any:
    # A product with itself is the quickest look; where it overflows they may still be finite.
    flat = np.ravel(x, order="K")
    return np.bool_(isfinite(np.vdot(flat, flat).real) or np.isfinite(flat).all())


ARE_FINITE = Primitive(
    inputs="x",
    evaluate=_are_finite,
    vjp=None,
    elements=lambda x: np.all(np.isfinite(x.astype(float))),
    decision="always",
    source="Boolean algebra",
)
"""Of programs alone: no row of the vocabulary, since nobody writes it."""


def looking_once(graph: Graph) -> Graph:
    """`graph` with one look at each array of which it is asked whether all of it is finite."""
    if all(node.primitive is not ISFINITE for node in graph.nodes):
        return graph
    nodes = [_test_finiteness_once(graph, node) for node in graph.nodes]
    return assemble_graph(graph, nodes, range(len(nodes)))


def _test_finiteness_once(graph: Graph, node: Node) -> Node:
    if node.primitive is not ALL or node.shape:
        return node
    tested = graph.nodes[node.inputs[0]]
    if tested.primitive is not ISFINITE:
        return node
    return dataclasses.replace(node, primitive=ARE_FINITE, inputs=tested.inputs, params={})
