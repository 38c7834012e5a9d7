"""What of a program is a statement of its own, and what stands where it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from symtape.graph.graph import Graph, Node, find_needed_nodes
from symtape.programs.emitted.dialect import is_same_twice

WIDTH: Final = 88
"""Letters of a line of words and of constants."""

LONGEST: Final = 64
"""Letters of an expression that is written inside of another."""


def list_needed_nodes(graph: Graph) -> list[int]:
    """The nodes that the outputs and the path need, in order."""
    return find_needed_nodes(graph.nodes, [*graph.outputs, *(step.node for step in graph.path)])


def uses(graph: Graph, nodes: Sequence[int]) -> Counter[int]:
    """How often each value is written where it is used."""
    found: Counter[int] = Counter()
    for at in nodes:
        node = graph.nodes[at]
        once = node.primitive is not None and is_same_twice(node.name, node.inputs)
        found.update(set(node.inputs) if once else node.inputs)
    found.update([*graph.outputs, *(step.node for step in graph.path)])
    return found


def is_free(graph: Graph, at: int, named: Mapping[int, str]) -> bool:
    """Whether writing it twice costs nothing: an element, a slice or the transpose of a name."""
    node = graph.nodes[at]
    if node.name not in ("transpose", "getitem"):
        return False
    (source,) = node.inputs
    before = graph.nodes[source]
    plain = before.primitive is None or source in named
    return plain and _is_short(node)


def _is_short(node: Node) -> bool:
    index = node.params.get("index", 0)
    return isinstance(index, int | slice) or node.name == "transpose"
