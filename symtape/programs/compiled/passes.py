"""The passes, and the order in which they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from symtape.graph.graph import Graph
from symtape.programs.compiled.arithmetic import cancel_signs, drop_neutral, negate
from symtape.programs.compiled.constants import fill, fold
from symtape.programs.compiled.movement import broadcast_late, join_moves
from symtape.programs.compiled.rewriting import Rule, rewritten
from symtape.programs.compiled.slices import add_before_scatter, merge_scattered_sums


@dataclass(frozen=True, slots=True)
class Pass:
    """A rule, by which one node is replaced by another of the same value.

    Attributes
    ----------
    name : str
    rule : Rule
    exact : bool
        Whether values are the same to the bit; else within rounding.
    """

    name: str
    rule: Rule
    exact: bool = True


PASSES: Final = (
    Pass("fold constants", fold),
    Pass("zeros and ones as numbers", fill),
    Pass("drop what is neutral", drop_neutral),
    Pass("cancel signs", cancel_signs),
    Pass("negate", negate),
    Pass("join moves", join_moves),
    Pass("broadcast late", broadcast_late),
    Pass("add before scattering", add_before_scatter),
)
"""Rules in the order in which they are asked of each node."""


def optimise_graph(graph: Graph, passes: Sequence[Pass] | None = None) -> Graph:
    """`graph` in fewer and cheaper operations, with the same values.

    Common subexpressions are joined and dead values dropped on the way; last of all, slices are
    added where they belong, and the zeros around them are not made.

    Parameters
    ----------
    graph : Graph
    passes : sequence of Pass, optional
        By default those of :data:`PASSES` that are exact.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(symtape.grad(lambda x: np.sum(x * x)), [1.0, 2.0])
    >>> [node.name for node in graph.nodes]
    ['input', 'positive', 'multiply', 'sum', 'one', 'broadcast_to', 'multiply', 'add']
    >>> [node.name for node in optimise_graph(graph).nodes]
    ['input', 'add']
    """
    chosen = [one for one in PASSES if one.exact] if passes is None else passes
    # Once is enough: rules look at what a node is of, which has been rewritten before it.
    graph, _ = rewritten(graph, [one.rule for one in chosen])
    return merge_scattered_sums(graph)
