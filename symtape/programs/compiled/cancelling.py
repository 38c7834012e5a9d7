"""A pass: shares of a maximum that no derivative depends on, for what they multiply is zero.

A softmax that is written by hand subtracts the largest element, and is the same whatever is
subtracted. The derivative by the maximum is a sum whose terms cancel, so that nothing is decided
by which element is the largest, and what comes before need not be NumPy's to the bit. Whether they
cancel is seen where the graph was recorded: in each line, down to rounding.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.graph.graph import Graph
from symtape.primitives.arithmetic import ADD, MULTIPLY, NEGATIVE, SUBTRACT
from symtape.primitives.extrema import SHARE
from symtape.primitives.indexing import SCATTER
from symtape.primitives.primitive import Primitive
from symtape.primitives.reductions import SUM
from symtape.programs.compiled.deciding import deciding_nodes
from symtape.programs.compiled.loop import find_users
from symtape.programs.compiled.slices import SUM_OF_SLICES

ANY_SHARE: Final = Primitive(
    inputs="x",
    evaluate=SHARE.evaluate,
    vjp=None,
    decision="always",
    source=SHARE.source,
)
"""A share of an extreme that may as well be that of another element.

Of programs alone: no row of the vocabulary, since nobody writes it.
"""


def free_cancelled_shares(graph: Graph) -> Graph:
    """`graph` with shares of no consequence as shares that decide nothing."""
    shares = [at for at, node in enumerate(graph.nodes) if node.primitive is SHARE]
    if not shares:
        return graph
    with np.errstate(all="ignore"):
        values = graph.values(*graph.at)
    seen, decided = _Seen(graph, values, find_users(graph)), deciding_nodes(graph)
    free = {at for at in shares if at not in decided and seen.is_of_no_consequence(at)}
    nodes = [
        dataclasses.replace(node, primitive=ANY_SHARE) if at in free else node
        for at, node in enumerate(graph.nodes)
    ]
    return dataclasses.replace(graph, nodes=tuple(nodes))


class _Seen(NamedTuple):
    """A graph with the values and the users of its nodes."""

    graph: Graph
    values: list[Any]
    users: list[list[int]]

    def is_of_no_consequence(self, share: int) -> bool:
        """Whether all that a share multiplies is nothing but rounding, where it comes together."""
        factors: defaultdict[int, list[int]] = defaultdict(list)
        for user in self.users[share]:
            if user < 0 or self.graph.nodes[user].primitive is not MULTIPLY:
                return False
            (factor,) = [i for i in self.graph.nodes[user].inputs if i != share] or [share]
            factors[self._follow_sums(user)].append(factor)
        return bool(factors) and all(map(self._cancel, factors.values()))

    def _follow_sums(self, at: int) -> int:
        """The sum of which a node is a term, of which it is a term, and so on."""
        while len(self.users[at]) == 1 and (user := self.users[at][0]) >= 0:
            node = self.graph.nodes[user]
            if not (node.primitive is ADD or (node.primitive is SUBTRACT and node.inputs[0] == at)):
                break
            at = user
        return at

    def _cancel(self, factors: list[int]) -> bool:
        sizes = [self._size_of_terms(at) for at in factors]
        if any(size is None for size in sizes):
            return False
        total, size = sum(self.values[at] for at in factors), functools.reduce(np.maximum, sizes)
        rounding = np.sqrt(np.finfo(np.result_type(total)).eps)
        return bool(np.any(size > 0) and np.all(np.abs(total) <= rounding * size))

    def _size_of_terms(self, at: int) -> Any:
        """The size of the terms of which sums are made; None of what is no sum."""
        node = self.graph.nodes[at]
        if node.primitive is None:
            return None
        if node.row in (SUM, ADD, SUBTRACT, SUM_OF_SLICES):
            row = ADD if node.row is SUBTRACT else node.row
            return row.evaluate(*[np.abs(self.values[i]) for i in node.inputs], **node.params)
        if node.row is NEGATIVE or node.row is SCATTER or node.row.moves:
            size = self._size_of_terms(node.inputs[0])
            return None if size is None else np.abs(node.row.evaluate(size, **node.params))
        return None
