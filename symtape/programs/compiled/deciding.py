"""What a program decides by, so that it is to be NumPy's to the bit."""

from __future__ import annotations

from symtape.graph.graph import Graph
from symtape.primitives.primitive import Primitive

_HARMLESS = frozenset(("shape", "always", "never"))
"""Decisions that rounding has no part in."""


def decides(row: Primitive) -> bool:
    """Whether a small change of what a row is given may change its value by much."""
    if row.compares or "across a jump" in row.convention:
        return True
    return row.cuts and not is_harmless(row)


def is_harmless(row: Primitive) -> bool:
    """Whether rounding has no part in the value of a row, as in whether numbers are finite."""
    return row.decision in _HARMLESS


def deciding_nodes(graph: Graph, inner: frozenset[int] = frozenset()) -> set[int]:
    """The nodes by whose values a program decides, and all that they are computed of.

    Parameters
    ----------
    graph : Graph
    inner : frozenset of int
        Nodes that are parts of an operation which is continuous as a whole.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: np.where(np.exp(x) > 2.0, np.sin(x), x), 1.0)
    >>> [graph.nodes[at].name for at in sorted(deciding_nodes(graph))]
    ['input', 'exp', 'constant']
    """
    waiting = [step.node for step in graph.path if step.node not in inner]
    rows = {node.primitive for node in graph.nodes}
    deciding = {row for row in rows if row is not None and decides(row)}
    for at, node in enumerate(graph.nodes if deciding else ()):
        if node.primitive in deciding and at not in inner:
            waiting += node.inputs
    found: set[int] = set()
    while waiting:
        at = waiting.pop()
        node = graph.nodes[at]
        if at not in found and not (node.primitive and is_harmless(node.row)):
            found.add(at)
            waiting += node.inputs
    return found
