"""Claims about functions that read one triangle of a symmetric matrix.

By the elements of the other triangle the derivative is 0, and those that are read off the diagonal
count twice. Where both triangles are read, by the mean of an element and its mirror image, the
function has the same values at symmetric matrices, and the slopes that papers and other libraries
give (Murray 2016; ``torch.linalg.cholesky``). A claim may be the derivative of either function. It
shares the slopes of what reads a triangle, and not those of what reads the matrix in full, unless
it is one along symmetric arguments altogether.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node, evaluate_node
from symtape.primitives.choice import WHERE
from symtape.primitives.shape import TRANSPOSE
from symtape.recording.tensor import Tensor
from verify.claimants.claim import Claim

ARGUMENTS: Final = frozenset(("arguments",))
"""Symmetric arguments are read by both triangles, whatever reads them."""


def conventions(graph: Graph) -> Iterator[frozenset[str]]:
    """Which operations may read both triangles where `graph` reads one, each by its own custom."""
    reading = sorted({node.name for node in graph.nodes if _reads_triangle(graph, node)})
    for count in range(len(reading), 0, -1):
        yield from map(frozenset, combinations(reading, count))
    if reading:
        yield ARGUMENTS


def symmetrise_claim(claim: Claim, reading: frozenset[str], budget: int) -> Claim:
    """The claim, about the function in which the operations of these names read both triangles."""

    def function(*args: Any) -> Any:
        values = [arg._value if isinstance(arg, Tensor) else arg for arg in args]
        graph = claim.record(tuple(values), budget)

        def apply(node: Node, given: list[Any]) -> Any:
            if node.name in reading and _reads_triangle(graph, node):
                given = [_share_mirrored(one) for one in given]
            return evaluate_node(node, given)

        moving = claim.quantity.moving(len(args)) if reading is ARGUMENTS else ()
        inputs = [_share_mirrored(arg) if at in moving else arg for at, arg in enumerate(args)]
        found = graph.interpret(inputs, constant=lambda node: node.constant, apply=apply)
        for step in graph.path:
            bool(found[step.node])  # for whoever records this
        outputs = tuple(found[at] for at in graph.outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    return replace(claim, function=function)


def _reads_triangle(graph: Graph, node: Node) -> bool:
    """Whether a node computes of one triangle of a matrix, or puts it in place of the other."""
    if node.primitive is None:
        return False
    if node.primitive is not WHERE:
        return node.primitive.backward is not None and node.primitive.backward.triangle
    mask, matrix, mirrored = node.inputs
    same = graph.nodes[mask].constant is not None and graph.nodes[mirrored].inputs == (matrix,)
    return same and graph.nodes[mirrored].primitive is TRANSPOSE


def _share_mirrored(x: Any) -> Any:
    """A matrix with each element shared with its mirror image; of one that is symmetric."""
    value = np.asarray(x._value if isinstance(x, Tensor) else x)
    if value.ndim < 2 or value.shape[-1] != value.shape[-2] or value.dtype.kind != "f":
        return x
    rounding = len(value) * np.finfo(value.dtype).eps * np.max(np.abs(value), initial=0.0)
    if not np.all(np.abs(value - np.swapaxes(value, -1, -2)) <= rounding):
        return x
    return (x + np.swapaxes(x, -1, -2)) / 2
