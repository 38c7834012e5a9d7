"""Rows that a function of BLAS, LAPACK or NumPy computes, called from machine code as they call it.

Results are those of the rows to the bit. Where a function finds that there is none, or may not be
called, the row is asked, which says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.graph.graph import Graph, Node, isolate_operation
from symtape.primitives.banded import SOLVE_BANDED
from symtape.primitives.factorisations import (
    CHOLESKY,
    EIGH,
    EIGVALSH,
    QR,
    SINGULAR_VALUES,
    SVD,
)
from symtape.primitives.primitive import Primitive
from symtape.primitives.triangular import SOLVE_TRIANGULAR
from symtape.programs.compiled.decompositions import (
    EIGH_OF_PARTS,
    EIGVALSH_OF_PARTS,
    eigenvectors_source,
    qr_source,
    singular_source,
)
from symtape.programs.compiled.lapack import (
    FACTOR,
    SOLVE_FACTORED,
    factors_source,
    suits_factors,
)
from symtape.programs.compiled.linear_algebra import is_small_matrix
from symtape.programs.compiled.loop import Loop, isolate_results
from symtape.programs.compiled.nests import strides_of
from symtape.programs.compiled.structured_systems import (
    bands_source,
    cholesky_source,
    suits_bands,
    suits_cholesky,
    suits_triangle,
    triangle_source,
)
from symtape.programs.compiled.transforms import TRANSFORMS, suits_transform, transform_source


class _Function(NamedTuple):
    """What is known of a row: whether it suits arguments as they lie, and its assembly."""

    suits: Callable[[Node, Sequence[Any]], bool]
    write: Callable[[str, Graph], list[str]]


_OF_ONE_RESULT: Final[dict[Primitive, _Function]] = {
    CHOLESKY: _Function(suits_cholesky, cholesky_source),
    FACTOR: _Function(suits_factors, factors_source),
    SOLVE_BANDED: _Function(suits_bands, bands_source),
    SOLVE_FACTORED: _Function(suits_factors, factors_source),
    SOLVE_TRIANGULAR: _Function(suits_triangle, triangle_source),
}

_EIGENVECTORS: Final = _Function(is_small_matrix, eigenvectors_source)

_OF_RESULTS: Final[dict[Primitive, _Function]] = {
    **dict.fromkeys((EIGH, EIGVALSH, EIGH_OF_PARTS, EIGVALSH_OF_PARTS), _EIGENVECTORS),
    **dict.fromkeys((SVD, SINGULAR_VALUES), _Function(is_small_matrix, singular_source)),
    QR: _Function(is_small_matrix, qr_source),
    **dict.fromkeys(TRANSFORMS, _Function(suits_transform, transform_source)),
}


class LibraryCall(Loop):
    """An operation that machine code leaves to a function of a library."""


def library_call_of(graph: Graph, at: int, values: Sequence[Any]) -> LibraryCall | None:
    """The call that an operation is; None where it is none."""
    node = graph.nodes[at]
    function = None if node.primitive is None else _OF_ONE_RESULT.get(node.primitive)
    if function is None or node.dtype != np.float64 or 0 in node.shape:
        return None
    given = [values[i] for i in node.inputs]
    if not _are_floats(given) or not function.suits(node, given):
        return None
    return LibraryCall(isolate_operation(node, given))


def _are_floats(given: Sequence[Any]) -> bool:
    return all(strides_of(x) is not None and x.dtype == np.float64 and x.size for x in given)


def call_with_results_of(
    graph: Graph, at: int, users: Sequence[int], values: Sequence[Any]
) -> tuple[LibraryCall, list[int]] | None:
    """The call whose result an operation is, and the nodes of all of them; None of none.

    Parameters
    ----------
    graph : Graph
    at : int
        The operation, or the first of its results.
    users : sequence of int
        The nodes that need its first input; -1 for what is none.
    values : sequence
        Of the nodes, where it was recorded.
    """
    node = graph.nodes[at]
    function = None if node.primitive is None else _OF_RESULTS.get(node.primitive)
    given = [values[i] for i in node.inputs]
    if function is None or not _are_floats(given) or not function.suits(node, given):
        return None
    inner, results = isolate_results(graph, at, users, values)
    return LibraryCall(inner), results


def library_call_source(name: str, loop: LibraryCall) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; where the row is to be asked it returns 1."""
    node = loop.graph.nodes[loop.graph.outputs[0]]
    return (_OF_ONE_RESULT | _OF_RESULTS)[node.row].write(name, loop.graph)
