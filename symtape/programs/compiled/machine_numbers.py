"""Which operations of a graph have a reading in machine numbers, and which are taken apart."""

from __future__ import annotations

from typing import Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.comparison import ALL, ANY
from symtape.primitives.contraction import MATMUL
from symtape.primitives.extrema import MAX, MIN, SHARE
from symtape.primitives.indexing import SCATTER
from symtape.primitives.linear_algebra import INV, SOLVE
from symtape.primitives.reductions import STD, SUM, VAR
from symtape.programs.compiled.cancelling import ANY_SHARE
from symtape.programs.compiled.finite import ARE_FINITE
from symtape.programs.compiled.functions import NUMPY
from symtape.programs.compiled.instructions import instruction
from symtape.programs.compiled.parts import OF_SHARES, PARTS
from symtape.programs.compiled.slices import SUM_OF_SLICES

MEANINGS: Final = {row: PARTS[row] for row in (SHARE, ANY_SHARE, STD, VAR, *OF_SHARES)}
"""What is recorded of rows in place of how they are evaluated."""

FLOAT64: Final = np.dtype(np.float64)

_LOWERED: Final = frozenset(
    (ARE_FINITE, ALL, ANY, MATMUL, SUM, MAX, MIN, SCATTER, SUM_OF_SLICES, SOLVE, INV)
)
"""Rows that are lowered one by one."""


def is_to_be_expanded(graph: Graph, node: Node) -> bool:
    """Whether there is nothing else for an operation but to be taken apart."""
    row, inputs = node.row, [graph.nodes[i] for i in node.inputs]
    if any(one.dtype != FLOAT64 for one in inputs):
        return False
    if row.elementwise:
        return instruction(node, inputs, NUMPY) is None
    return not _is_lowered(node)


def check_operation(node: Node) -> None:
    """Refuse what has no reading in machine numbers."""
    check_dtype(node)
    is_lowered = node.row.elementwise or _is_lowered(node)
    if not is_lowered and (node.row.elements is None or node.part is not None):
        raise Unsupported(f"{node.name} in machine numbers")


def check_dtype(node: Node) -> None:
    """Refuse what is not float64; a truth value is one, and a whole number, if it is exact."""
    if node.dtype == FLOAT64 or (node.dtype.kind == "b" and node.primitive is not None):
        return
    if node.constant is None or node.dtype.kind not in "iub":
        raise Unsupported(f"{node.name} of dtype {node.dtype} in machine numbers")
    array = np.asarray(node.constant)
    if array.size and np.abs(array.astype(np.float64)).max() >= 2.0**53:
        raise Unsupported("whole numbers that no float64 is equal to")


def _is_lowered(node: Node) -> bool:
    return node.row in _LOWERED or node.row.moves or node.row.dependence == "joins"
