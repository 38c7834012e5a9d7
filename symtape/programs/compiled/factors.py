"""A pass of back ends: systems of one matrix, and of its transpose, by one factorisation.

Its determinant is the product of the pivots of the same one.

A factor of Cholesky's is a triangle already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.factorisations import CHOLESKY
from symtape.primitives.linear_algebra import DET, INV, SLOGDET, SOLVE
from symtape.primitives.primitive import Primitive
from symtape.primitives.shape import TRANSPOSE
from symtape.primitives.triangular import SOLVE_TRIANGULAR
from symtape.programs.compiled.expanding import ExpandedGraph, replace_operations
from symtape.programs.compiled.lapack import FACTOR, SOLVE_FACTORED
from symtape.programs.compiled.rewriting import Builder

_SYSTEMS: Final = (SOLVE, INV)

_TRIED: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 32, 64)
"""Rows of matrices, of which threads have no part in solutions of as many columns at most."""


@functools.cache
def _are_numpys() -> bool:
    """Whether factors solve systems to the bit as NumPy does, whose library may be another."""
    draw = np.random.default_rng(0)
    shapes = [shape for n in _TRIED for shape in ((n,), (n, 3), (n, n))]
    systems = [(draw.normal(size=(shape[0],) * 2), draw.normal(size=shape)) for shape in shapes]
    return all(
        np.array_equal(SOLVE_FACTORED.evaluate(FACTOR.evaluate(a), b, False), np.linalg.solve(a, b))
        for a, b in systems
    )


def _slogdet(a: Any) -> tuple[Any, Any]:
    factors = FACTOR(a)
    pivots, numbers = factors[:-1].diagonal(), factors[-1]
    turned = np.where(numbers == np.arange(1.0, len(numbers) + 1), 1.0, -1.0)
    signs = np.where(pivots < 0.0, -turned, np.where(pivots == 0.0, 0.0, turned))  # NaN has none
    return np.prod(signs), np.sum(np.log(np.abs(pivots)))


def _det(a: Any) -> Any:
    sign, size = _slogdet(a)
    return sign * np.exp(size)


DETERMINANTS: Final[dict[Primitive, Callable[..., Any]]] = {DET: _det, SLOGDET: _slogdet}
"""Determinants by factors, as NumPy computes them."""


def share_factors(given: ExpandedGraph, exact: Collection[int]) -> ExpandedGraph:
    """A graph in which systems of equations are solved by the factors of their matrices.

    Parameters
    ----------
    given : ExpandedGraph
    exact : collection of int
        Nodes that are to be NumPy's to the bit.
    """
    graph = given.graph
    if all(node.primitive not in (*_SYSTEMS, FACTOR) for node in graph.nodes):
        return given

    def put(build: Builder, at: int, node: Node) -> int:
        is_solved = _is_solved_here(graph, graph.nodes[at])
        if is_solved and (at not in exact or _keeps_bits(build.nodes, node.inputs)):
            return _solve_by_factors(build, node)
        return build.add(node)

    return replace_operations(given, put)


def _solve_by_factors(build: Builder, node: Node) -> int:
    """A system as one of a triangle, or of factors."""
    first, *rest = node.inputs
    right = rest[0] if rest else build.add_constant(np.eye(node.shape[0]))
    matrix, transposed = _matrix(build.nodes, first)
    of = build.nodes[matrix]
    if of.primitive is CHOLESKY:
        kind = {"trans": int(transposed), "lower": not of.params["upper"]}
        return build.apply(
            SOLVE_TRIANGULAR, (matrix, right), {**kind, "unit_diagonal": False}, node
        )
    n = of.shape[0]
    factors = build.add(Node(FACTOR, (matrix,), {}, (n + 1, n), of.dtype, node.origin))
    return build.apply(SOLVE_FACTORED, (factors, right), {"transposed": transposed}, node)


def _is_solved_here(graph: Graph, node: Node) -> bool:
    if node.primitive not in _SYSTEMS or node.dtype != np.float64:
        return False
    # The inverse is the solution for the unit matrix.
    a, b = (graph.nodes[i] for i in (*node.inputs, node.inputs[0])[:2])
    is_matrix = len(a.shape) == 2 and 1 <= len(b.shape) <= 2
    return is_matrix and {a.dtype, b.dtype} == {np.dtype(np.float64)} and 0 not in b.shape


def _keeps_bits(nodes: list[Node], inputs: tuple[int, ...]) -> bool:
    """Whether factors give the bits of NumPy: of a matrix itself, which is small."""
    matrix, transposed = _matrix(nodes, inputs[0])
    is_small = all(max(nodes[at].shape) <= _TRIED[-1] for at in (matrix, *inputs[1:]))
    is_general = nodes[matrix].primitive is not CHOLESKY
    return is_small and is_general and not transposed and _are_numpys()


def _matrix(nodes: list[Node], at: int) -> tuple[int, bool]:
    """The matrix that another is, or is the transpose of."""
    if nodes[at].primitive is TRANSPOSE:
        return nodes[at].inputs[0], True
    return at, False
