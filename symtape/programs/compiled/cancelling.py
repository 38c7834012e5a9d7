"""A pass: shares of a maximum that no derivative depends on, for what they multiply is zero.

A softmax that is written by hand subtracts the largest element, and is the same whatever is
subtracted. The derivative by the maximum is a sum whose terms cancel, so that nothing is decided
by which element is the largest, and what comes before need not be NumPy's to the bit. Whether they
cancel is seen where the graph was recorded: in each line, down to rounding.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

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
    users, decided = find_users(graph), deciding_nodes(graph)
    every = {at: _find_factors(graph, users, at) for at in shares if at not in decided}
    # Products of what is no sum are not looked at, so that most shares are free to ask about.
    found = {
        at: factors
        for at, factors in every.items()
        if factors and all(_find_terms(graph, i) for i in itertools.chain(*factors))
    }
    factors = {i for lines in found.values() for i in itertools.chain(*lines)}
    asked = sorted(factors.union(*[_find_terms(graph, i) for i in factors]))
    with np.errstate(all="ignore"):
        numbers = graph.select(asked).evaluate(*graph.at) if asked else ()
        values = dict(zip(asked, numbers, strict=True))
        free = {at for at, lines in found.items() if all(_cancel(graph, values, x) for x in lines)}
    nodes = [
        dataclasses.replace(node, primitive=ANY_SHARE) if at in free else node
        for at, node in enumerate(graph.nodes)
    ]
    return dataclasses.replace(graph, nodes=tuple(nodes)) if free else graph


def _find_factors(graph: Graph, users: Sequence[Sequence[int]], share: int) -> list[list[int]]:
    """What a share multiplies, for each sum in which it comes together; nothing if it does more."""
    factors: defaultdict[int, list[int]] = defaultdict(list)
    for user in users[share]:
        if user < 0 or graph.nodes[user].primitive is not MULTIPLY:
            return []
        (factor,) = [i for i in graph.nodes[user].inputs if i != share] or [share]
        factors[_follow_sums(graph, users, user)].append(factor)
    return [*factors.values()]


def _follow_sums(graph: Graph, users: Sequence[Sequence[int]], at: int) -> int:
    """The sum of which a node is a term, of which it is a term, and so on."""
    while len(users[at]) == 1 and (user := users[at][0]) >= 0:
        node = graph.nodes[user]
        if not (node.primitive is ADD or (node.primitive is SUBTRACT and node.inputs[0] == at)):
            break
        at = user
    return at


def _find_terms(graph: Graph, at: int) -> tuple[int, ...]:
    """What a node is the sum of, moved or negated; nothing of what is no sum."""
    node = graph.nodes[at]
    if node.primitive in _SUMS:
        return node.inputs
    hands_on = node.primitive is not None and (node.row in _HANDING_ON or node.row.moves)
    return _find_terms(graph, node.inputs[0]) if hands_on else ()


def _cancel(graph: Graph, values: Mapping[int, Any], factors: list[int]) -> bool:
    """Whether all that a share multiplies is nothing but rounding, where it comes together."""
    size = functools.reduce(np.maximum, [_size_of_terms(graph, values, at) for at in factors])
    total = sum(values[at] for at in factors)
    rounding = np.sqrt(np.finfo(np.result_type(total)).eps)
    return bool(np.any(size > 0) and np.all(np.abs(total) <= rounding * size))


def _size_of_terms(graph: Graph, values: Mapping[int, Any], at: int) -> Any:
    """The size of the terms of which a sum is made."""
    node = graph.nodes[at]
    if node.row in _SUMS:
        row = ADD if node.row is SUBTRACT else node.row
        return row.evaluate(*[np.abs(values[i]) for i in node.inputs], **node.params)
    return np.abs(node.row.evaluate(_size_of_terms(graph, values, node.inputs[0]), **node.params))


_SUMS: Final = frozenset((SUM, ADD, SUBTRACT, SUM_OF_SLICES))
_HANDING_ON: Final = frozenset((NEGATIVE, SCATTER))
