"""Nodes by kind: what is known of one of a kind is asked once, and not of each of thousands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from symtape.graph.graph import Graph


class Kinds(NamedTuple):
    """The operations of a graph by kind: alike in row, parameters, shapes, dtypes and constants.

    Attributes
    ----------
    of : list of int
        The kind of each node; of inputs and constants -1.
    firsts : list of int
        The first node of each kind.

    Examples
    --------
    >>> import symtape
    >>> kinds = find_kinds(symtape.record(lambda x: x * x * x + 1.0, 2.0))
    >>> kinds.of, kinds.firsts
    ([-1, 0, 0, -1, 1], [1, 4])
    """

    of: list[int]
    firsts: list[int]

    def find_nodes(self, is_meant: Callable[[int], bool]) -> Sequence[int]:
        """The nodes of kinds whose first one is meant."""
        meant = {kind for kind, at in enumerate(self.firsts) if is_meant(at)}
        return [at for at, kind in enumerate(self.of) if kind in meant] if meant else ()

    def counts(self) -> Counter[int]:
        """How many there are of the kind of each first node."""
        return Counter({self.firsts[kind]: n for kind, n in Counter(self.of).items() if kind >= 0})


def find_kinds(graph: Graph) -> Kinds:
    """The kinds of the nodes of a graph."""
    of: list[int] = []
    firsts: list[int] = []
    known: dict[Any, int] = {}
    types: list[Any] = []
    numbers: dict[Any, int] = {}
    for at, node in enumerate(graph.nodes):
        # By their identities, which takes a tenth of the time.
        type_key: Any = node.shape, id(node.dtype)
        if node.primitive is None:
            # A constant is a type of its own, since an operation may be another one by its value.
            types.append(
                numbers.setdefault(type_key if node.constant is None else at, len(numbers))
            )
            of.append(-1)
            continue
        kind = numbers.setdefault(type_key, len(numbers))
        types.append(kind)
        params = id(node.params) if node.params else 0
        key = (node.primitive, params, node.part, kind, *[types[i] for i in node.inputs])
        found = known.setdefault(key, len(firsts))
        if found == len(firsts):
            firsts.append(at)
        of.append(found)
    return Kinds(of, firsts)
