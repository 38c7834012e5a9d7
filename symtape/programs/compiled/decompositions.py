"""Eigenvalues and vectors, singular values and QR of small matrices, by LAPACK in machine code.

A Hermitian matrix, and its vectors, are real and imaginary parts. Each result is NumPy's to the
bit, by the function that it calls.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.factorisations import EIGH, EIGVALSH, SINGULAR_VALUES, SVD
from symtape.primitives.primitive import Primitive, opaque
from symtape.programs.compiled.expanding import ExpandedGraph, replace_operations
from symtape.programs.compiled.linear_algebra import (
    ROOMS,
    ask_for_room,
    begin_function,
    copy_columns,
    find_function,
    leave_unless_done,
    write_call,
)
from symtape.programs.compiled.loop import find_results
from symtape.programs.compiled.nests import strides_of
from symtape.programs.compiled.rewriting import Builder
from symtape.programs.compiled.transforms import join_parts


def _eigh_of_parts(real: Any, imaginary: Any, UPLO: str) -> tuple[Any, Any, Any]:
    values, vectors = EIGH.evaluate(join_parts(real, imaginary), UPLO=UPLO)
    return values, np.ascontiguousarray(vectors.real), np.ascontiguousarray(vectors.imag)


def _eigvalsh_of_parts(real: Any, imaginary: Any, UPLO: str) -> Any:
    return EIGVALSH.evaluate(join_parts(real, imaginary), UPLO=UPLO)


EIGH_OF_PARTS: Final = opaque("eigh_of_parts", _eigh_of_parts, 2)
EIGVALSH_OF_PARTS: Final = opaque("eigvalsh_of_parts", _eigvalsh_of_parts, 2)

_WITH_VECTORS: Final[dict[Primitive, tuple[Primitive, int]]] = {
    EIGVALSH: (EIGH, 0),
    EIGVALSH_OF_PARTS: (EIGH_OF_PARTS, 0),
    SINGULAR_VALUES: (SVD, 1),
}
"""Rows of eigenvalues, or singular values: which result of which row they are too."""


def share_eigenvectors(given: ExpandedGraph, exact: Collection[int]) -> ExpandedGraph:
    """A graph in which eigenvalues, and singular values, are those that come with vectors.

    Parameters
    ----------
    given : ExpandedGraph
    exact : collection of int
        Nodes that are to be NumPy's to the bit.
    """
    rows = frozenset(row for row, _ in _WITH_VECTORS.values())
    found = {(node.primitive, node.inputs) for node in given.graph.nodes if node.primitive in rows}

    def put(build: Builder, at: int, node: Node) -> int:
        row, part = _WITH_VECTORS.get(node.row, (None, 0))
        if at not in exact and (row, given.graph.nodes[at].inputs) in found:
            node = dataclasses.replace(node, primitive=row, part=part)
        return build.add(node)

    return replace_operations(given, put) if found else given


def eigenvectors_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which is 1 where LAPACK finds nothing."""
    node, given = graph.nodes[graph.outputs[0]], graph.at
    n, width = len(given[0]), len(given)
    results = find_results(graph, 1 + width)
    called = "dsyevd" if width == 1 else "zheevd"
    job = "N" if node.part is None else "V"
    function = find_function(called)
    whole = f"i{function.bits}"
    places = ("%work", "%counts") if width == 1 else ROOMS
    words = [job, node.params["UPLO"], n, "%matrix", n, results[0] or "%values"]
    asked = [word for place in places for word in (place, -1)]
    room = ask_for_room(called, (*words, *asked, "%info"))
    for place, size in zip(places, room, strict=True):
        words += [place, size]
    constants, call = write_call(name, called, function, [*words, "%info"])
    rooms = {"info": (whole, 1), "matrix": ("double", width * n * n), "values": ("double", n)}
    rooms |= {"counts": (whole, room[-1]), "work": ("double", width * room[0])}
    if width == 2:
        rooms["reals"] = "double", room[1]
    lines = [
        *begin_function(name, constants, rooms, width + len(graph.outputs)),
        "  %matrix.imag = getelementptr double, ptr %matrix, i64 1",
    ]
    parts = ("%matrix", "%matrix.imag")[:width]
    for k, part in enumerate(parts):
        strides = strides_of(given[k]) or ()
        lines.append(copy_columns(name, f"%a{k}", part, (n, n), strides, (width * n, width)))
    lines += leave_unless_done(call, whole, "found")
    for part, to in zip(parts, results[1:], strict=True):
        if to is not None:
            lines.append(copy_columns(name, part, to, (n, n), (width * n, width)))
    return [*lines, "  ret i32 0", "off:", "  ret i32 1", "}"]


def singular_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which is 1 where LAPACK finds no singular values."""
    node = graph.nodes[graph.outputs[0]]
    m, n = graph.at[0].shape
    k = min(m, n)
    left, values, right = (
        (None, find_results(graph, 1)[0], None) if node.part is None else find_results(graph, 3)
    )
    job, whole = "N" if node.part is None else "S", f"i{find_function('dgesdd').bits}"
    words = [job, m, n, "%matrix", m, values or "%values", "%left", m, "%right", k, "%work"]
    (room,) = ask_for_room("dgesdd", (*words, -1, "%pivots", "%info"))
    constants, call = write_call(
        name, "dgesdd", find_function("dgesdd"), [*words, room, "%pivots", "%info"]
    )
    rooms = {"info": (whole, 1), "pivots": (whole, 8 * k), "matrix": ("double", m * n)}
    rooms |= {"work": ("double", room), "values": ("double", k)}
    rooms |= {"left": ("double", m * k), "right": ("double", k * n)}
    lines = [
        *begin_function(name, constants, rooms, 1 + len(graph.outputs)),
        copy_columns(name, "%a0", "%matrix", (m, n), strides_of(graph.at[0]) or ()),
        *leave_unless_done(call, whole, "found"),
    ]
    for of, to, (rows, columns) in (("%left", left, (m, k)), ("%right", right, (k, n))):
        if to:
            lines.append(copy_columns(name, of, to, (columns, rows), (rows, 1)))
    return [*lines, "  ret i32 0", "off:", "  ret i32 1", "}"]


def qr_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; what lies below the diagonal is put to 0."""
    m, n = graph.at[0].shape
    k = min(m, n)
    orthogonal, upper = find_results(graph, 2)
    whole = f"i{find_function('dgeqrf').bits}"
    words = ["%matrix", m, "%tau", "%work"]
    both = {"dgeqrf": (m, n, *words), "dorgqr": (m, k, k, *words)}
    sizes = {
        called: ask_for_room(called, (*given, -1, "%info"))[0] for called, given in both.items()
    }
    calls = {
        called: write_call(name, called, find_function(called), [*given, sizes[called], "%info"])
        for called, given in both.items()
    }
    constants = [line for lines, _ in calls.values() for line in lines]
    rooms = {"info": (whole, 1), "matrix": ("double", m * n)}
    rooms |= {"work": ("double", max(sizes.values())), "tau": ("double", k)}
    lines = [
        *begin_function(name, constants, rooms, 1 + len(graph.outputs)),
        copy_columns(name, "%a0", "%matrix", (m, n), strides_of(graph.at[0]) or ()),
        *leave_unless_done(calls["dgeqrf"][1], whole, "factored"),
    ]
    if upper:
        lines.append(copy_columns(name, "%matrix", upper, (n, k), (m, 1)))
        for row in range(1, k):
            place, size = f"%row{row}", 8 * row
            lines.append(f"  {place} = getelementptr double, ptr {upper}, i64 {row * n}")
            lines.append(
                f"  call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {size}, i1 false)"
            )
    if orthogonal:
        lines += leave_unless_done(calls["dorgqr"][1], whole, "found")
        lines.append(copy_columns(name, "%matrix", orthogonal, (k, m), (m, 1)))
    return [*lines, "  ret i32 0", "off:", "  ret i32 1", "}"]
