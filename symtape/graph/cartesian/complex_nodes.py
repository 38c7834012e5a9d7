"""Which graphs have nodes to take apart: asked before anything that does so is loaded."""

from __future__ import annotations

from typing import Final

from symtape.graph.graph import Graph

TRANSFORMS: Final = frozenset(["dct", "dst"])
"""Rows of real numbers that are written down by sines and cosines as well."""


def has_complex_nodes(graph: Graph) -> bool:
    """Whether a node is complex, or has a reading by parts alone."""
    return any(node.dtype.kind == "c" or node.name in TRANSFORMS for node in graph.nodes)
