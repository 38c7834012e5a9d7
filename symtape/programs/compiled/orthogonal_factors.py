"""QR and singular values of small matrices, by LAPACK in machine code, as NumPy calls it."""

from __future__ import annotations

from symtape.graph.graph import Graph
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.linear_algebra import (
    ask_for_room,
    copy_columns,
    copying_source,
    find_function,
    leave_unless_done,
    write_call,
)
from symtape.programs.compiled.loop import find_results
from symtape.programs.compiled.nests import strides_of


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
    lines = [
        *_begin(name, graph, constants, room, 8 * k),
        *(f"  %values = alloca double, i64 {k}", f"  %left = alloca double, i64 {m * k}"),
        *(f"  %right = alloca double, i64 {k * n}", *leave_unless_done(call, whole, "found")),
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
    rooms = {
        called: ask_for_room(called, (*given, -1, "%info"))[0] for called, given in both.items()
    }
    calls = {
        called: write_call(name, called, find_function(called), [*given, rooms[called], "%info"])
        for called, given in both.items()
    }
    constants = [line for lines, _ in calls.values() for line in lines]
    lines = [
        *_begin(name, graph, constants, max(rooms.values()), 1),
        *(
            f"  %tau = alloca double, i64 {k}",
            *leave_unless_done(calls["dgeqrf"][1], whole, "factored"),
        ),
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


def _begin(name: str, graph: Graph, constants: list[str], room: int, pivots: int) -> list[str]:
    """The matrix by columns, and room for LAPACK."""
    (a,) = graph.at
    m, n = a.shape
    whole = f"i{find_function('dgesdd').bits}"
    return [
        *(*copying_source(name), *constants, f"define internal i32 @{name}(ptr %table) {{"),
        *("begin:", f"  %info = alloca {whole}", f"  %matrix = alloca double, i64 {m * n}"),
        *(f"  %work = alloca double, i64 {room}", f"  %pivots = alloca {whole}, i64 {pivots}"),
        *load_addresses(1 + len(graph.outputs)),
        copy_columns(name, "%a0", "%matrix", (m, n), strides_of(a) or ()),
    ]
