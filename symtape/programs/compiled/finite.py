"""A pass: whether all numbers of an array are finite, looked at once."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.comparison import ALL
from symtape.primitives.primitive import Array, Primitive
from symtape.primitives.steps import ISFINITE
from symtape.programs.compiled.rewriting import Builder, applies_to, rewritten


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
    return rewritten(graph, [_test_finiteness_once])


@applies_to(ALL, of=(ISFINITE,))
def _test_finiteness_once(build: Builder, node: Node) -> int | None:
    tested = build.nodes[node.inputs[0]]
    if node.shape or tested.primitive is not ISFINITE:
        return None
    return build.apply(ARE_FINITE, tested.inputs, {}, node)
