"""Factors of matrices, and systems solved by them, by LAPACK in machine code.

Factors are an array of the columns of both triangles, and a last row of the numbers of pivots. A
singular matrix has them too; a system of it is refused.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, isolate_operation
from symtape.primitives.primitive import opaque
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.linear_algebra import find_function
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import strides_of

_LARGEST: Final = 2048
"""Rows of a matrix, whose numbers of pivots lie on the stack."""

_FEW: Final = 64
"""Columns, and elements of each, that are solved for one by one: LAPACK gives several to threads.
"""

_WITHOUT_THREADS: Final = 4096
"""Elements that LAPACK solves for by itself, all columns at once, with the bits of NumPy."""


def _pointer(name: str) -> str:
    return f"inttoptr (i64 {find_function(name).address} to ptr)"


def _integer() -> Any:
    """The type of whole numbers."""
    return ctypes.c_int64 if find_function("dgetrf").bits == 64 else ctypes.c_int32


@functools.cache
def _functions() -> tuple[Callable[..., None], Callable[..., None]]:
    """``dgetrf`` and ``dgetrs``, as functions of addresses."""
    place = ctypes.c_void_p
    factor = ctypes.CFUNCTYPE(None, *(place,) * 6)
    solve = ctypes.CFUNCTYPE(None, *(place,) * 9, ctypes.c_size_t)
    return factor(find_function("dgetrf").address), solve(find_function("dgetrs").address)


def _factor(a: Any) -> Any:
    integer, n = _integer(), len(a)
    found = np.empty((n + 1, n))
    found[:n] = a.T
    size, info = integer(n), integer(0)
    pivots, given = (integer * n)(), ctypes.byref(size)
    start = found.ctypes.data
    _functions()[0](given, given, start, given, ctypes.byref(pivots), ctypes.byref(info))
    found[n] = pivots
    return found


def _solve_factored(factors: Any, b: Any, transposed: bool) -> Any:
    integer, n = _integer(), len(b)
    if not factors[:n].diagonal().all():
        raise np.linalg.LinAlgError("Singular matrix")
    found = np.array(b.T, order="C")  # the columns of b
    size, info = integer(n), integer(0)
    count = integer(found.size // n)
    kind = ctypes.c_char(b"T" if transposed else b"N")
    factors, given = np.ascontiguousarray(factors), ctypes.byref(size)
    # LAPACK exchanges whatever rows it is told to, and a replay may have changed the numbers.
    pivots = (integer * n)(*np.clip(np.nan_to_num(factors[n]), 1, n).astype(int).tolist())
    _functions()[1](
        *(ctypes.byref(kind), given, ctypes.byref(count), factors.ctypes.data, given),
        *(ctypes.byref(pivots), found.ctypes.data, given, ctypes.byref(info), 1),
    )
    return np.ascontiguousarray(found.T)


FACTOR: Final = opaque("factor", _factor, 1)
SOLVE_FACTORED: Final = opaque("solve_factored", _solve_factored, 2)


class Lapack(Loop):
    """A factorisation, or a system that is solved by one, in machine code."""


def lapack_of(graph: Graph, at: int, values: Sequence[Any]) -> Lapack | None:
    """The call of LAPACK that an operation is; None where it is none, or of many columns."""
    node = graph.nodes[at]
    if node.primitive is not FACTOR and node.primitive is not SOLVE_FACTORED:
        return None
    given = [values[i] for i in node.inputs]
    if any(strides_of(x) is None for x in given) or len(given[-1]) > _LARGEST:
        return None
    if node.primitive is SOLVE_FACTORED and len(node.shape) > 1 and max(node.shape) > _FEW:
        return None
    return Lapack(isolate_operation(node, given))


def lapack_source(name: str, loop: Lapack) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; a system of a singular matrix returns 1."""
    node, given = loop.graph.nodes[-1], loop.graph.at
    n, *behind = given[-1].shape
    columns = behind[0] if behind else 1
    whole = f"i{find_function('dgetrf').bits}"
    is_factor = node.primitive is FACTOR
    count = len(given) + 1
    out = f"%a{count - 1}"
    numbers = out if is_factor else "%a0"
    solved = "%solved" if behind and not is_factor else out
    lines = [
        *_copy_columns_source(name),
        f"@{name}.n = private constant {whole} {n}",
        f"@{name}.columns = private constant {whole} {_columns_at_once(n, columns)}",
        f"@{name}.kind = private constant i8 {ord('T' if node.params.get('transposed') else 'N')}",
        f"define internal i32 @{name}(ptr %table) {{",
        *("begin:", f"  %info = alloca {whole}", f"  store {whole} 0, ptr %info"),
        f"  %pivots = alloca {whole}, i64 {n}",
    ]
    if solved != out:
        lines.append(f"  %solved = alloca double, i64 {n * columns}")
    lines += load_addresses(count)
    lines.append(f"  %numbers = getelementptr double, ptr {numbers}, i64 {n * n}")
    down, across = (*(strides_of(given[-1]) or ()), 0)[:2]
    lines.append(_copy_columns(name, f"%a{count - 2}", solved, n, columns, down, across))
    if is_factor:
        size = f"ptr @{name}.n"
        words = f"{size}, {size}, ptr {out}, {size}, ptr %pivots, ptr %info"
        call = [f"  call void {_pointer('dgetrf')}({words})"]
        lines += [*call, *_convert_pivots(n, whole, to_numbers=True)]
        return [*lines, "  ret i32 0", "}"]
    lines += _convert_pivots(n, whole, to_numbers=False)
    lines += _solve_columns(name, n, columns, solved)
    if solved != out:
        lines.append(_copy_columns(name, solved, out, columns, n, n, 1))
    return [*lines, "  ret i32 0", "singular:", "  ret i32 1", "}"]


def _columns_at_once(n: int, columns: int) -> int:
    return columns if n * columns <= _WITHOUT_THREADS else 1


def _solve_columns(name: str, n: int, columns: int, solved: str) -> list[str]:
    """Each column replaced by what it is the right side of, unless a pivot is 0."""
    size = f"ptr @{name}.n"
    turns = columns // _columns_at_once(n, columns)
    words = f"ptr @{name}.kind, {size}, ptr @{name}.columns, ptr %a0, {size}, ptr %pivots"
    return [
        *("  br label %check", "check:"),
        "  %d = phi i64 [ 0, %converted ], [ %d.next, %checked ]",
        f"  %d.k = mul i64 %d, {n + 1}",
        *("  %d.p = getelementptr double, ptr %a0, i64 %d.k", "  %d.x = load double, ptr %d.p"),
        "  %d.is_zero = fcmp oeq double %d.x, 0.0",
        *("  br i1 %d.is_zero, label %singular, label %checked", "checked:"),
        *("  %d.next = add nuw nsw i64 %d, 1", f"  %d.more = icmp ult i64 %d.next, {n}"),
        *("  br i1 %d.more, label %check, label %solve", "solve:"),
        "  %c = phi i64 [ 0, %checked ], [ %c.next, %solve ]",
        f"  %c.k = mul i64 %c, {n}",
        f"  %c.p = getelementptr double, ptr {solved}, i64 %c.k",
        f"  call void {_pointer('dgetrs')}({words}, ptr %c.p, {size}, ptr %info, i64 1)",
        *("  %c.next = add nuw nsw i64 %c, 1", f"  %c.more = icmp ult i64 %c.next, {turns}"),
        *("  br i1 %c.more, label %solve, label %solved.all", "solved.all:"),
    ]


def _copy_columns_source(name: str) -> list[str]:
    """Assembly that copies an array so that elements of a column are next to each other."""
    given = "ptr %of, ptr %to, i64 %rows, i64 %columns, i64 %down, i64 %across"
    return [
        *(f"define internal void @{name}.copy({given}) {{", "begin:", "  br label %column"),
        *("column:", "  %j = phi i64 [ 0, %begin ], [ %j.next, %copied ]"),
        *("  %to.j = mul i64 %j, %rows", "  %of.j = mul i64 %j, %across", "  br label %row"),
        *("row:", "  %i = phi i64 [ 0, %column ], [ %i.next, %row ]"),
        *("  %of.i = mul i64 %i, %down", "  %of.k = add i64 %of.j, %of.i"),
        *("  %of.p = getelementptr double, ptr %of, i64 %of.k", "  %x = load double, ptr %of.p"),
        *("  %to.k = add i64 %to.j, %i", "  %to.p = getelementptr double, ptr %to, i64 %to.k"),
        *("  store double %x, ptr %to.p", "  %i.next = add nuw nsw i64 %i, 1"),
        *("  %i.more = icmp ult i64 %i.next, %rows", "  br i1 %i.more, label %row, label %copied"),
        *("copied:", "  %j.next = add nuw nsw i64 %j, 1"),
        "  %j.more = icmp ult i64 %j.next, %columns",
        *("  br i1 %j.more, label %column, label %done", "done:", "  ret void", "}"),
    ]


def _copy_columns(
    name: str, of: str, to: str, rows: int, columns: int, down: int, across: int
) -> str:
    sizes = f"i64 {rows}, i64 {columns}, i64 {down}, i64 {across}"
    return f"  call void @{name}.copy(ptr {of}, ptr {to}, {sizes})"


def _convert_pivots(n: int, whole: str, to_numbers: bool) -> list[str]:
    """What pivots are in the array, and what LAPACK knows them by."""
    kinds = ((whole, "pivots"), ("double", "numbers"))
    (of, given), (to, made) = kinds if to_numbers else kinds[::-1]
    code = "sitofp" if to_numbers else "fptosi"
    return [
        *("  br label %pivot", "pivot:", "  %p = phi i64 [ 0, %begin ], [ %p.next, %pivot ]"),
        f"  %p.of = getelementptr {of}, ptr %{given}, i64 %p",
        *(f"  %p.x = load {of}, ptr %p.of", f"  %p.y = {code} {of} %p.x to {to}"),
        f"  %p.to = getelementptr {to}, ptr %{made}, i64 %p",
        *(f"  store {to} %p.y, ptr %p.to", "  %p.next = add nuw nsw i64 %p, 1"),
        f"  %p.more = icmp ult i64 %p.next, {n}",
        *("  br i1 %p.more, label %pivot, label %converted", "converted:"),
    ]
