"""What a program costs by each back end, in microseconds, as far as its operations tell.

Measured where calls, and not memory, are what costs: NumPy's dispatch of an operation, the share of
an operation in that of a loop, machine code's arithmetic without vectors, and the functions of the
C library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import SQUARE
from symtape.primitives.choice import WHERE
from symtape.primitives.contraction import MATMUL
from symtape.primitives.cumulative import CUMPROD, CUMSUM, RECURRENCE
from symtape.primitives.reductions import SUM
from symtape.programs.compiled.emitters import OPERATORS
from symtape.programs.compiled.functions import PYTHON
from symtape.programs.compiled.scalars import MOST_NUMBERS, MOST_OPERATIONS, Operation

_CALL: Final = 1.0
_IN_A_LOOP: Final = 0.3
_IN_A_SEGMENT: Final = 0.1
_OF_SEGMENTS: Final = 150
"""Numbers of an array, from which loops that are entered together are as good as machine code."""

_TURN: Final = 0.05
_NUMBER: Final = 0.0005
_OPERATION: Final = 0.001
_FUNCTION: Final = 0.01
_CALL_OF_PYTHON: Final = 4.0
_PLAIN: Final = frozenset((SQUARE, WHERE))
_OF_EACH: Final = frozenset((SUM, CUMSUM, CUMPROD, RECURRENCE))
_GAIN: Final = 2
"""How many times as quick machine code is to be, which takes longer to be made."""


def pays_in_machine_code(graph: Graph) -> bool:
    """Whether a program is so much quicker in machine code that it is worth making."""
    if any(math.prod(node.shape) > MOST_NUMBERS for node in graph.nodes):
        return False
    nodes = [node for node in graph.nodes if node.primitive is not None]
    if sum(_count(graph, node) for node in nodes) > MOST_OPERATIONS:
        return False
    return _GAIN * sum(_cost_in_machine_code(graph, x) for x in nodes) < sum(
        _cost_in_arrays(graph, x) for x in nodes
    )


def calls_pay(graph: Graph, operations: Sequence[Operation]) -> bool:
    """Whether the calls of Python in machine code cost less than NumPy takes for a program."""
    count = sum(op.code.startswith(f"call {PYTHON}.") for op in operations)
    by_arrays = sum(
        _cost_in_arrays(graph, node) for node in graph.nodes if node.primitive is not None
    )
    return _GAIN * _CALL_OF_PYTHON * count <= by_arrays


def _cost_in_arrays(graph: Graph, node: Node) -> float:
    sizes = [math.prod(graph.nodes[i].shape) for i in node.inputs]
    call = _IN_A_LOOP if node.row.elementwise and node.shape else _CALL
    if math.prod(node.shape) >= _OF_SEGMENTS:
        call *= _IN_A_SEGMENT / _IN_A_LOOP
    if node.row is RECURRENCE:  # which is Python's loop
        return call + _TURN * sum(sizes)
    return call + _NUMBER * sum(sizes)


def _cost_in_machine_code(graph: Graph, node: Node) -> float:
    row = node.row
    plain = row.evaluate in OPERATORS or node.dtype.kind == "b" or row in _PLAIN
    each = _FUNCTION if row.elementwise and not plain else _OPERATION
    return each * _count(graph, node)


def _count(graph: Graph, node: Node) -> int:
    """How many operations on numbers it is."""
    row, size = node.row, math.prod(node.shape)
    if row.elementwise:
        return size
    first = graph.nodes[node.inputs[0]].shape
    if row is MATMUL:
        return 2 * size * first[-1]
    return math.prod(first) if row in _OF_EACH else 0
