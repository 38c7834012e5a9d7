"""Whether two recordings are the same computation, on other inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node


def same_computation(a: Graph, b: Graph) -> bool:
    """Whether `a` and `b` apply the same operations to the same constants, along the same path.

    The inputs that they were recorded on, and the lines of the user's source, may differ.

    Examples
    --------
    >>> import symtape
    >>> at_two, at_three = (symtape.record(lambda x: x * x + 1, x) for x in (2.0, 3.0))
    >>> same_computation(at_two, at_three)
    True
    >>> same_computation(at_two, symtape.record(lambda x: x * x + 2, 2.0))
    False
    """
    return (
        len(a.nodes) == len(b.nodes)
        and a.inputs == b.inputs
        and a.outputs == b.outputs
        and [(step.node, step.outcome) for step in a.path]
        == [(step.node, step.outcome) for step in b.path]
        and not a.escapes
        and not b.escapes
        and all(map(_are_same_nodes, a.nodes, b.nodes))
    )


def _are_same_nodes(a: Node, b: Node) -> bool:
    if a.primitive is not b.primitive or a.inputs != b.inputs or a.part != b.part:
        return False
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.params or b.params:
        return bool(hashable(a.params) == hashable(b.params))
    return a.primitive is not None or _same_constant(a.constant, b.constant)


def _same_constant(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if a is None or b is None or type(a) is not type(b):
        return False
    # By bytes: -0.0 is another constant than 0.0, and a nan the same as itself.
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()
