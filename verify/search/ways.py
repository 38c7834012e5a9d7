"""Ways: which of its paths a function takes at a point, in a form that can be compared."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph

__all__ = ["COMPARISONS", "Way", "choosing", "way_of"]

Way = tuple[Any, ...]
"""What Python's control flow decided, and what each comparison and choice inside came to."""

COMPARISONS: Final = frozenset(
    {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"}
)


def way_of(graph: Graph, values: list[Any]) -> Way:
    """The way that `graph` computes with these values.

    Of an array of comparisons only whether all, some or none hold counts; else there would be
    more ways than points.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: np.sum(np.where(x > 0, x, -x)), [1.0, -2.0])
    >>> way_of(graph, graph.values([1.0, -2.0])) == way_of(graph, graph.values([-3.0, 0.5]))
    True
    >>> way_of(graph, graph.values([1.0, -2.0])) == way_of(graph, graph.values([3.0, 0.5]))
    False
    """
    python = tuple(step.outcome for step in graph.path)
    steered = {step.node for step in graph.path}
    inside = [_outcome(graph, values, at) for at in choosing(graph) if at not in steered]
    return (python, tuple(inside))


def choosing(graph: Graph) -> list[int]:
    """The nodes that compare, or choose element by element between two inputs."""
    return [
        at
        for at, node in enumerate(graph.nodes)
        if node.primitive is not None and (node.name in COMPARISONS or _chooses(node))
    ]


def _chooses(node: Any) -> bool:
    return (
        node.primitive.select is not None
        and node.primitive.elementwise
        and node.name != "where"
        and len(node.inputs) >= 2
    )


def _outcome(graph: Graph, values: list[Any], at: int) -> tuple[bool, bool]:
    node = graph.nodes[at]
    flags = np.asarray(
        values[at] if node.name in COMPARISONS else values[node.inputs[0]] > values[node.inputs[1]]
    )
    return bool(flags.any()), bool(flags.all())
