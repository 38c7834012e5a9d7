"""Functions that stop gradients on purpose, whose derivative is not that of their values.

Such a function has two: with what is stopped held constant, as frameworks mean it, and that of the
values it returns. A claim may be either; which one it is, is said.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from symtape.graph.graph import Graph
from verify.files import places

HELD: Final = (
    "the function stops a gradient{}: this was judged as the derivative with what is stopped held "
    "constant, and not as that of the function's values"
)
OF_VALUES: Final = (
    "the function stops a gradient{}: this was judged as the derivative of its values, and not as "
    "the one with what is stopped held constant"
)
BOTH_OFF: Final = (
    "the function stops a gradient{}, and this is neither the derivative with what is stopped "
    "held constant nor that of its values"
)


def stopping_lines(graph: Graph) -> str:
    """Where gradients are stopped on the way to an output, as words; empty if none is.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> stopping_lines(symtape.record(np.sin, 3.0))
    ''
    """
    needed = set(graph.outputs)
    origins = list[str]()
    stops = False
    for at in range(len(graph) - 1, -1, -1):
        node = graph.nodes[at]
        if at in needed:
            needed.update(node.inputs)
            if node.stops:
                stops = True
                origins.append(places.relative(places.place_of_origin(node.origin)))
    lines = dict.fromkeys(sorted(filter(None, origins)))
    if not stops:
        return ""
    return f" at {', '.join(lines)}" if lines else " somewhere"


def do_balls_overlap(one: Any, other: Any) -> bool:
    """Whether the balls of two arrays of one shape may all be of the same numbers."""
    pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
    return all(a.overlaps(b) for a, b in pairs)


def remove_stops(graph: Graph) -> Graph:
    """The same computation, in which nothing is stopped.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: x * symtape.stop_gradient(x), 3.0)
    >>> [node.name for node in remove_stops(graph).nodes]
    ['input', 'stop_gradient', 'multiply']
    >>> remove_stops(graph).nodes[2].inputs
    (0, 0)
    """
    source = list(range(len(graph)))
    for at, node in enumerate(graph.nodes):
        if node.stops:
            source[at] = source[node.inputs[0]]
    nodes = [replace(node, inputs=tuple(source[i] for i in node.inputs)) for node in graph.nodes]
    return replace(graph, nodes=tuple(nodes), outputs=tuple(source[at] for at in graph.outputs))
