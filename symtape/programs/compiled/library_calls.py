"""Rows that a function of BLAS or LAPACK computes, which machine code calls as NumPy or SciPy does.

Results are those of the rows to the bit. Where a function finds that there is none, or may not be
called, the row is asked, which says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.graph.graph import Graph, Node, isolate_operation
from symtape.primitives.banded import SOLVE_BANDED
from symtape.primitives.factorisations import CHOLESKY
from symtape.primitives.primitive import Primitive
from symtape.primitives.triangular import SOLVE_TRIANGULAR
from symtape.programs.compiled.banded_systems import bands_source, suits_bands
from symtape.programs.compiled.lapack import (
    FACTOR,
    SOLVE_FACTORED,
    factors_source,
    suits_factors,
)
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import strides_of
from symtape.programs.compiled.triangles import (
    cholesky_source,
    suits_cholesky,
    suits_triangle,
    triangle_source,
)


class _Function(NamedTuple):
    """What is known of a row: whether it suits arguments as they lie, and its assembly."""

    suits: Callable[[Node, Sequence[Any]], bool]
    write: Callable[[str, Node, Sequence[Any]], list[str]]


_FUNCTIONS: Final[dict[Primitive, _Function]] = {
    CHOLESKY: _Function(suits_cholesky, cholesky_source),
    FACTOR: _Function(suits_factors, factors_source),
    SOLVE_BANDED: _Function(suits_bands, bands_source),
    SOLVE_FACTORED: _Function(suits_factors, factors_source),
    SOLVE_TRIANGULAR: _Function(suits_triangle, triangle_source),
}


class LibraryCall(Loop):
    """An operation that machine code leaves to a function of BLAS or LAPACK."""


def library_call_of(graph: Graph, at: int, values: Sequence[Any]) -> LibraryCall | None:
    """The call that an operation is; None where it is none."""
    node = graph.nodes[at]
    function = None if node.primitive is None else _FUNCTIONS.get(node.primitive)
    if function is None or node.dtype != np.float64 or 0 in node.shape:
        return None
    given = [values[i] for i in node.inputs]
    if any(strides_of(x) is None or x.dtype != node.dtype for x in given):
        return None
    return LibraryCall(isolate_operation(node, given)) if function.suits(node, given) else None


def library_call_source(name: str, loop: LibraryCall) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; where the row is to be asked it returns 1."""
    node = loop.graph.nodes[-1]
    return _FUNCTIONS[node.row].write(name, node, loop.graph.at)
