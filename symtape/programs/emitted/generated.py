"""Constant arrays as what makes them: ones, full of a number, triangles, identities."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import ADD, MULTIPLY
from symtape.primitives.contraction import MATMUL
from symtape.primitives.diagonals import TRIL, TRIU
from symtape.primitives.primitive import Primitive
from symtape.primitives.shape import BROADCAST_TO
from symtape.programs.compiled.rewriting import Builder, rewritten


def generate_constants(graph: Graph) -> Graph:
    """`graph` with operations for constant arrays of few numbers in a pattern."""
    return rewritten(graph, (), _generate_constant)[0]


def _generate_constant(build: Builder, node: Node) -> int:
    array = np.asarray(node.constant)
    at = build.add_constant(node.constant)
    if not array.shape or array.dtype.kind != "f" or array.size < 2 or is_identity(array):
        return at
    if build.uniform(at) is not None:
        return _full(build, array.flat[0], node)
    parts = _triangles(array)
    if parts is None:
        return at
    found: int | None = None
    for part in _terms(build, parts, node):
        found = part if found is None else build.apply(ADD, (found, part), {}, node)
    return at if found is None else found


def _full(build: Builder, number: Any, like: Node) -> int:
    return build.apply(BROADCAST_TO, (build.add_constant(number),), {"shape": like.shape}, like)


def _triangles(array: Any) -> tuple[float, float, float] | None:
    """The numbers below, on and above the diagonal of a matrix that has no others."""
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 3:
        return None
    below, on, above = float(array[1, 0]), float(array[0, 0]), float(array[0, 1])
    n = len(array)
    made = below * np.tri(n, n, -1) + on * np.eye(n) + above * np.tri(n, n, -1).T
    return (below, on, above) if np.array_equal(made, array) else None


def _terms(build: Builder, parts: tuple[float, float, float], like: Node) -> list[int]:
    below, on, above = parts
    terms = []
    for number, row, k in ((below, TRIL, -1), (above, TRIU, 1)):
        if number:
            whole = on == number
            terms.append(_triangle(build, number, row, 0 if whole else k, like))
            on = 0.0 if whole else on
    if on:
        diagonal = build.add_constant(np.eye(like.shape[0], dtype=like.dtype))
        terms.append(_times(build, on, diagonal, like))
    return terms


def _triangle(build: Builder, number: float, row: Primitive, k: int, like: Node) -> int:
    ones = _full(build, like.dtype.type(1), like)
    return _times(build, number, build.apply(row, (ones,), {"k": k}, like), like)


def _times(build: Builder, number: float, at: int, like: Node) -> int:
    if number == 1:
        return at
    return build.apply(MULTIPLY, (build.add_constant(like.dtype.type(number)), at), {}, like)


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
