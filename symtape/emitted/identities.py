"""A rule: products with the identity, of which Hessians are full, are what they multiply."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.compiled.rewriting import Builder
from symtape.graph.graph import Node
from symtape.primitives.contraction import MATMUL


def drop_identity(build: Builder, node: Node) -> int | None:
    """``x`` for ``I @ x`` and ``x @ I``. They differ where an element is not finite."""
    if node.row is not MATMUL:
        return None
    a, b = node.inputs
    for x, other in ((a, b), (b, a)):
        given, one = build.nodes[x], build.nodes[other].constant
        if given.shape == node.shape and given.dtype == node.dtype and is_identity(one):
            return x
    return None


def is_identity(array: Any) -> bool:
    """Whether a constant is an identity matrix of two rows and more."""
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind != "f":
        return False
    return len(array) > 1 and bool(np.array_equal(array, np.eye(len(array))))
