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

from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import opaque
from symtape.programs.compiled.linear_algebra import begin_function, copy_columns, find_function
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


def suits_factors(node: Node, given: Sequence[Any]) -> bool:
    """Whether LAPACK factors a matrix, or solves by factors, as its arguments lie."""
    is_wide = len(node.shape) > 1 and max(node.shape) > _FEW
    return len(given[-1]) <= _LARGEST and not (node.primitive is SOLVE_FACTORED and is_wide)


def factors_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; a system of a singular matrix returns 1."""
    node, given = graph.nodes[-1], graph.at
    n, *behind = given[-1].shape
    columns = behind[0] if behind else 1
    whole = f"i{find_function('dgetrf').bits}"
    is_factor = node.primitive is FACTOR
    count = len(given) + 1
    out = f"%a{count - 1}"
    numbers = out if is_factor else "%a0"
    solved = "%solved" if behind and not is_factor else out
    constants = [
        f"@{name}.n = private constant {whole} {n}",
        f"@{name}.columns = private constant {whole} {_columns_at_once(n, columns)}",
        f"@{name}.kind = private constant i8 {ord('T' if node.params.get('transposed') else 'N')}",
    ]
    rooms = {"info": (whole, 1), "pivots": (whole, n)}
    if solved != out:
        rooms["solved"] = "double", n * columns
    lines = begin_function(name, constants, rooms, count)
    lines.append(f"  %numbers = getelementptr double, ptr {numbers}, i64 {n * n}")
    strides = (*(strides_of(given[-1]) or ()), 0)[:2]
    lines.append(copy_columns(name, f"%a{count - 2}", solved, (n, columns), strides))
    if is_factor:
        size = f"ptr @{name}.n"
        words = f"{size}, {size}, ptr {out}, {size}, ptr %pivots, ptr %info"
        call = [f"  call void {_pointer('dgetrf')}({words})"]
        lines += [*call, *_convert_pivots(n, whole, to_numbers=True)]
        return [*lines, "  ret i32 0", "}"]
    lines += _convert_pivots(n, whole, to_numbers=False)
    lines += _solve_columns(name, n, columns, solved)
    if solved != out:
        lines.append(copy_columns(name, solved, out, (columns, n), (n, 1)))
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
