"""Cholesky's factors, and systems with a triangle, by LAPACK and BLAS in machine code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symtape.graph.graph import Graph, Node
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.linear_algebra import (
    copy_columns,
    copying_source,
    find_function,
    find_scipys_function,
    leave_unless_done,
    write_call,
)
from symtape.programs.compiled.nests import strides_of


def suits_cholesky(node: Node, given: Sequence[Any]) -> bool:
    """Whether LAPACK is given one matrix, as by NumPy."""
    return len(given[0].shape) == 2


def cholesky_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which is 1 where there is no factor."""
    node, (a,) = graph.nodes[-1], graph.at
    n, upper = node.shape[0], node.params["upper"]
    function = find_function("dpotrf")
    words = ["U" if upper else "L", n, "%a1", n, "%info"]
    constants, call = write_call(name, "dpotrf", function, words)
    strides = strides_of(a) or ()
    whole = f"i{function.bits}"
    # Columns of the triangle become rows.
    of, to = ("%low", "%high") if upper else ("%high", "%low")
    return [
        *(*copying_source(name), *constants, f"define internal i32 @{name}(ptr %table) {{"),
        *("begin:", f"  %info = alloca {whole}", f"  store {whole} 0, ptr %info"),
        *(*load_addresses(2), copy_columns(name, "%a0", "%a1", (n, n), strides)),
        *(*leave_unless_done(call, whole, "found"), "  br label %row"),
        *("row:", "  %i = phi i64 [ 0, %found ], [ %i.next, %turned ]"),
        *("  %any = icmp ugt i64 %i, 0", "  br i1 %any, label %each, label %turned"),
        *("each:", "  %j = phi i64 [ 0, %row ], [ %j.next, %each ]"),
        *(f"  %i.k = mul i64 %i, {n}", "  %low.k = add i64 %i.k, %j"),
        *(f"  %j.k = mul i64 %j, {n}", "  %high.k = add i64 %j.k, %i"),
        "  %low = getelementptr double, ptr %a1, i64 %low.k",
        "  %high = getelementptr double, ptr %a1, i64 %high.k",
        *(f"  %x = load double, ptr {of}", f"  store double %x, ptr {to}"),
        *(f"  store double 0.0, ptr {of}", "  %j.next = add nuw nsw i64 %j, 1"),
        *("  %j.more = icmp ult i64 %j.next, %i", "  br i1 %j.more, label %each, label %turned"),
        *("turned:", "  %i.next = add nuw nsw i64 %i, 1", f"  %more = icmp ult i64 %i.next, {n}"),
        *("  br i1 %more, label %row, label %done", "done:", "  ret i32 0", "off:", "  ret i32 1"),
        "}",
    ]


def suits_triangle(node: Node, given: Sequence[Any]) -> bool:
    """Whether BLAS is given one matrix as it lies in memory, as by the row."""
    a, b = given
    return len(a.shape) == 2 and bool(a.flags.forc) and 1 <= len(b.shape) <= 2


def triangle_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which is 1 where the diagonal has a 0."""
    node, (a, b) = graph.nodes[-1], graph.at
    n, *behind = b.shape
    columns = behind[0] if behind else 1
    lower, trans, unit = (node.params[x] for x in ("lower", "trans", "unit_diagonal"))
    by_rows = a.flags.c_contiguous  # which are BLAS's columns
    turned, triangle = bool(trans) != by_rows, "L" if bool(lower) != by_rows else "U"
    diagonal = "U" if unit else "N"
    if behind:  # the transposed system, unknowns first
        called, way = "dtrsm", "N" if turned else "T"
        words = ["R", triangle, way, diagonal, columns, n, 1.0, "%a0", n, "%a2", columns]
    else:
        called, way = "dtrsv", "T" if turned else "N"
        words = [triangle, way, diagonal, n, "%a0", n, "%a2", 1]
    constants, call = write_call(name, called, find_scipys_function(called), words)
    down, across = (*(strides_of(b) or ()), 0)[:2]
    check = [
        *("  br label %check", "check:", "  %d = phi i64 [ 0, %begin ], [ %d.next, %checked ]"),
        *(f"  %d.k = mul i64 %d, {n + 1}", "  %d.p = getelementptr double, ptr %a0, i64 %d.k"),
        *("  %d.x = load double, ptr %d.p", "  %d.is_zero = fcmp oeq double %d.x, 0.0"),
        *("  br i1 %d.is_zero, label %off, label %checked", "checked:"),
        *("  %d.next = add nuw nsw i64 %d, 1", f"  %d.more = icmp ult i64 %d.next, {n}"),
        *("  br i1 %d.more, label %check, label %solve", "off:", "  ret i32 1", "solve:"),
    ]
    return [
        *(*copying_source(name), *constants, f"define internal i32 @{name}(ptr %table) {{"),
        *("begin:", *load_addresses(3), *([] if unit else check)),
        copy_columns(name, "%a1", "%a2", (columns, n), (across, down)),
        *(f"  call void {call}", "  ret i32 0", "}"),
    ]
