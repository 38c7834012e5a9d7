"""Ways: which of its paths a function takes at a point, in a form that can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.graph.graph import Graph

Path = tuple[Any, ...]
"""What Python's control flow decided, and what each comparison and choice inside came to."""


def path_of(graph: Graph, values: list[Any]) -> Path:
    """The path that `graph` computes with these values.

    Of an array of comparisons only whether all, some or none hold counts; else there would be
    more paths than points.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: np.sum(np.where(x > 0, x, -x)), [1.0, -2.0])
    >>> path_of(graph, graph.values([1.0, -2.0])) == path_of(graph, graph.values([-3.0, 0.5]))
    True
    >>> path_of(graph, graph.values([1.0, -2.0])) == path_of(graph, graph.values([3.0, 0.5]))
    False
    """
    return paths_of(graph, [(value, False) for value in values], 1)[0]


def paths_of(graph: Graph, values: Sequence[tuple[Any, bool]], count: int) -> list[Path]:
    """The paths at many points, as :func:`path_of` says them of one."""
    python = tuple(step.outcome for step in graph.path)
    steered = {step.node for step in graph.path}
    columns = [
        _outcomes(graph, values, at, count) for at in choosing_nodes(graph) if at not in steered
    ]
    if not columns:
        return [(python, ())] * count
    return [(python, outcomes) for outcomes in zip(*columns, strict=True)]


def _outcomes(
    graph: Graph, values: Sequence[tuple[Any, bool]], at: int, count: int
) -> list[tuple[bool, bool]]:
    node = graph.nodes[at]
    if node.row.compares:
        flags, many = values[at]
    else:
        (left, of_left), (right, of_right) = (values[i] for i in node.inputs[:2])
        many = of_left or of_right
        rank = max(np.ndim(left) - of_left, np.ndim(right) - of_right)
        flags = _raise_to_rank(left, of_left, rank) > _raise_to_rank(right, of_right, rank)
    if not many:
        return [(bool(np.any(flags)), bool(np.all(flags)))] * count
    flat = np.asarray(flags).reshape(count, -1)
    return list(zip(np.any(flat, axis=1).tolist(), np.all(flat, axis=1).tolist(), strict=True))


def _raise_to_rank(array: Any, many: bool, rank: int) -> Any:
    """An array of which all axes but that of the points are of one rank."""
    if not many:
        return array
    shape = np.shape(array)
    return np.reshape(array, (shape[0], *(1,) * (rank + 1 - len(shape)), *shape[1:]))


def choosing_nodes(graph: Graph) -> list[int]:
    """The nodes that compare, or choose element by element between two inputs."""
    return [
        at
        for at, node in enumerate(graph.nodes)
        if node.primitive is not None and node.primitive.ties == "inputs"
    ]
