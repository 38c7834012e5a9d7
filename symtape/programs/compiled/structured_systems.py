"""Cholesky's factors, and systems with a triangle or with bands, by LAPACK and BLAS."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from symtape.graph.graph import Graph, Node
from symtape.programs.compiled.linear_algebra import (
    begin_function,
    copy_columns,
    find_function,
    find_scipys_function,
    leave_unless_done,
    write_call,
)
from symtape.programs.compiled.nests import strides_of

_MOST: Final = 1 << 14
"""Numbers that lie on the stack, of bands or of right sides."""


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
        *begin_function(name, constants, {"info": (whole, 1)}, 2),
        copy_columns(name, "%a0", "%a1", (n, n), strides),
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
        *(*begin_function(name, constants, {}, 3), *([] if unit else check)),
        copy_columns(name, "%a1", "%a2", (columns, n), (across, down)),
        *(f"  call void {call}", "  ret i32 0", "}"),
    ]


def suits_bands(node: Node, given: Sequence[Any]) -> bool:
    """Whether LAPACK is called, and bands and solutions have room on the stack."""
    below, above = node.params["below"], node.params["above"]
    n = len(given[1])
    return n > 1 and 0 < math.prod(node.shape) <= _MOST and (2 * below + above + 1) * n <= _MOST


def bands_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; of a matrix that SciPy refuses it returns 1."""
    node, (ab, b) = graph.nodes[-1], graph.at
    n, *behind = b.shape
    columns = behind[0] if behind else 1
    solved = "%solved" if behind else "%a2"
    called, words, shifts = _find_call(node.params, len(ab), n, columns, solved)
    function = find_scipys_function(called)
    constants, call = write_call(name, called, function, words)
    whole = f"i{function.bits}"
    (band, place), strides = strides_of(ab) or (0, 0), (*(strides_of(b) or ()), 0)[:2]
    rooms = {"info": (whole, 1), "pivots": (whole, n)}
    rooms["room"] = "double", (2 * node.params["below"] + len(ab)) * n
    if behind:
        rooms["solved"] = "double", n * columns
    lines = [
        *begin_function(name, constants, rooms, 3),
        *(f"  %{k} = getelementptr double, ptr %room, i64 {by}" for k, by in shifts.items()),
        copy_columns(name, "%a1", solved, (n, columns), strides),
    ]
    if "d" in shifts:
        lines.append(copy_columns(name, "%a0", "%room", (n, len(ab)), (place, band)))
    else:
        step = node.params["below"] * (not node.params["definite"]) + len(ab), 1
        lines.append(copy_columns(name, "%a0", "%bands", (len(ab), n), (band, place), step))
    lines += leave_unless_done(call, whole, "found")
    if behind:
        lines.append(copy_columns(name, solved, "%a2", (columns, n), (n, 1)))
    return [*lines, "  ret i32 0", "off:", "  ret i32 1", "}"]


def _find_call(
    params: Mapping[str, Any], bands: int, n: int, columns: int, solved: str
) -> tuple[str, list[Any], dict[str, int]]:
    """The function that SciPy calls, what it is given, and how far in a copy its bands lie."""
    below, above, definite = params["below"], params["above"], params["definite"]
    right = [solved, n, "%info"]
    if definite and bands == 2:
        places = {"d": above * n, "e": n if below else 1}
        return "dptsv", [n, columns, "%d", "%e", *right], places
    if definite:
        words = ["U" if above else "L", n, bands - 1, columns, "%bands", bands, *right]
        return "dpbsv", words, {"bands": 0}
    if below == above == 1:
        places = {"dl": 2 * n, "d": n, "du": 1}
        return "dgtsv", [n, columns, "%dl", "%d", "%du", *right], places
    words = [n, below, above, columns, "%room", below + bands, "%pivots", *right]
    return "dgbsv", words, {"bands": below}
