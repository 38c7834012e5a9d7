"""The passes, and the order in which they are made; rules of arithmetic that are exact in floats.

Of these every bit is the same, signs of zeros too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import ADD, DIVIDE, MULTIPLY, NEGATIVE, POSITIVE, SUBTRACT
from symtape.primitives.shape import CAST
from symtape.programs.compiled.constants import fill, fold
from symtape.programs.compiled.movement import broadcast_late, join_moves, stack_floats
from symtape.programs.compiled.rewriting import Builder, Rule, applies_to, applies_where, rewritten
from symtape.programs.compiled.slices import add_before_scatter, put_sums_of_slices

_COPIES: Final = frozenset((POSITIVE, CAST))
_SCALED: Final = frozenset((MULTIPLY, DIVIDE, SUBTRACT))


@applies_where(lambda row, given: row in _COPIES or (row in _SCALED and None in given))
def drop_neutral(build: Builder, node: Node) -> int | None:
    """``x`` for ``+x``, ``x * 1``, ``x / 1``, ``x - 0`` and a cast to the dtype it has."""
    row = node.row
    if row in _COPIES:
        candidates = [node.inputs[0]]
    elif build.units.isdisjoint(node.inputs):
        return None
    elif row is MULTIPLY:
        a, b = node.inputs
        candidates = [x for x, other in ((a, b), (b, a)) if _is_all(build, other, 1.0)]
    else:
        x, other = node.inputs
        candidates = [x] if _is_all(build, other, 1.0 if row is DIVIDE else 0.0) else []
    return next((x for x in candidates if _is_alike(build.nodes[x], node)), None)


@applies_to(NEGATIVE, ADD, SUBTRACT, MULTIPLY, DIVIDE, of=(NEGATIVE,))
def cancel_signs(build: Builder, node: Node) -> int | None:
    """``x`` for ``--x``, ``a - b`` for ``a + -b``, ``a * b`` for ``-a * -b``, and their like."""
    row = node.row
    if node.dtype.kind != "f":
        return None
    opposite = [_find_negated_node(build, i) for i in node.inputs]
    if row is NEGATIVE:
        return opposite[0]
    if row is ADD and opposite[1] is not None:
        return build.apply(SUBTRACT, (node.inputs[0], opposite[1]), {}, node)
    if row is ADD and opposite[0] is not None:
        return build.apply(SUBTRACT, (node.inputs[1], opposite[0]), {}, node)
    if row is SUBTRACT and opposite[1] is not None:
        return build.apply(ADD, (node.inputs[0], opposite[1]), {}, node)
    if (row is MULTIPLY or row is DIVIDE) and None not in opposite:
        return build.apply(row, [x for x in opposite if x is not None], {}, node)
    return None


@applies_to(MULTIPLY, of=(None,))
def negate(build: Builder, node: Node) -> int | None:
    """``-x`` for ``x * -1``."""
    if build.units.isdisjoint(node.inputs):
        return None
    a, b = node.inputs
    for x, other in ((a, b), (b, a)):
        if _is_all(build, other, -1.0) and _is_alike(build.nodes[x], node):
            return build.apply(NEGATIVE, (x,), {}, node)
    return None


def _find_negated_node(build: Builder, at: int) -> int | None:
    """What a node is the negative of."""
    node = build.nodes[at]
    return node.inputs[0] if node.primitive is NEGATIVE and node.dtype.kind == "f" else None


def _is_alike(x: Node, node: Node) -> bool:
    return x.shape == node.shape and x.dtype == node.dtype and x.dtype.kind == "f"


def _is_all(build: Builder, at: int, number: float) -> bool:
    """Whether a node is a constant with this number in all places; 0.0 is not -0.0."""
    return build.nodes[at].constant is not None and build.uniform(at) == (number, number < 0)


@dataclass(frozen=True, slots=True)
class Pass:
    """A rule, by which one node is replaced by another of the same value."""

    name: str
    rule: Rule


PASSES: Final = (
    Pass("fold constants", fold),
    Pass("zeros and ones as numbers", fill),
    Pass("drop what is neutral", drop_neutral),
    Pass("cancel signs", cancel_signs),
    Pass("negate", negate),
    Pass("join moves", join_moves),
    Pass("stack floats", stack_floats),
    Pass("broadcast late", broadcast_late),
    Pass("add before scattering", add_before_scatter),
)
"""Rules in the order in which they are asked of each node; values are the same to the bit."""


def optimise_graph(graph: Graph, passes: Sequence[Pass] | None = None) -> Graph:
    """`graph` in fewer and cheaper operations, with the same values.

    Common subexpressions are joined and dead values dropped on the way; last of all, slices are
    added where they belong, and the zeros around them are not made.

    Parameters
    ----------
    graph : Graph
    passes : sequence of Pass, optional
        By default :data:`PASSES`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(symtape.grad(lambda x: np.sum(x * x)), [1.0, 2.0])
    >>> [node.name for node in graph.nodes]
    ['input', 'positive', 'multiply', 'sum', 'one', 'broadcast_to', 'multiply', 'add']
    >>> [node.name for node in optimise_graph(graph).nodes]
    ['input', 'add']
    """
    rules = [one.rule for one in (PASSES if passes is None else passes)]
    # Once is enough: rules look at what a node is of, which has been rewritten before it.
    return rewritten(graph, rules, last=put_sums_of_slices)
