"""Products of matrices and vectors, and of stacks of matrices, in machine code, by BLAS."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.primitives.contraction import MATMUL
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.instructions import FLOATS
from symtape.programs.compiled.linear_algebra import find_function, write_call
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import strides_of

_WHOLE: Final = 64**3
"""Multiplications, above which NumPy takes less time for a symmetric product, by half of it."""


class Product(Loop):
    """A product of matrices and vectors, or one by one of those of stacks."""


def is_product(graph: Graph, at: int, values: Sequence[Any]) -> bool:
    """Whether a node is a product that BLAS takes as its arguments lie."""
    node = graph.nodes[at]
    if node.primitive is not MATMUL or 0 in node.shape:
        return False
    given, made = [values[i] for i in node.inputs], values[at]
    if not all(type(x) is np.ndarray and x.dtype == node.dtype for x in given):
        return False
    if max(x.ndim for x in given) > 2:
        if min(x.ndim for x in given) < 2:
            return False
        given = list(map(_first_matrix, given))
    inner, shape = given[0].shape[-1], node.shape[-2:]
    is_array = type(made) is np.ndarray and made.flags.c_contiguous
    return (
        node.dtype in FLOATS
        # What returns a float32 is called otherwise in some builds of BLAS.
        and (is_array if node.shape else type(made) is np.float64)
        and (node.dtype == np.float64 or max(shape) > 1)
        and inner > 0
        and all(_layout(x) is not None for x in given)
        and (inner * math.prod(shape) <= _WHOLE or not _are_transposes(*given))
    )


def _first_matrix(stack: Any) -> Any:
    return stack[(0,) * (stack.ndim - 2)]


def _are_transposes(a: Any, b: Any) -> bool:
    """Whether one array is the other one transposed, where it lies."""
    at = [x.__array_interface__["data"][0] for x in (a, b)]
    is_turned: bool = a.shape == b.shape[::-1] and a.strides == b.strides[::-1]
    return is_turned and at[0] == at[1]


def _as_vectors(a: Any, b: Any) -> tuple[Any, Any]:
    """What a product is of: a single row or column is a vector, as NumPy takes it."""
    if a.ndim == b.ndim == 2 and a.shape[1] > 1:
        return a[0] if len(a) == 1 else a, b[:, 0] if b.shape[1] == 1 else b
    return a, b


def _layout(x: Any) -> tuple[str, int] | None:
    """How BLAS reads an array: as it is or transposed, and the step from row to row."""
    found = strides_of(x)
    if found is None:
        return None
    strides = [step if size > 1 else 1 for size, step in zip(x.shape, found, strict=True)]
    if any(step <= 0 for step in strides):
        return None
    if x.ndim == 1:
        return "N", strides[0]
    if x.ndim != 2:
        return None
    rows, columns = x.shape
    if (strides[1] == 1 or columns == 1) and (rows == 1 or strides[0] >= columns):
        return "N", max(columns, strides[0] if rows > 1 else 1)
    if (strides[0] == 1 or rows == 1) and (columns == 1 or strides[1] >= rows):
        return "T", max(rows, strides[1] if columns > 1 else 1)
    return None


def product_source(name: str, product: Product, keep: Callable[[Any], int]) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which calls BLAS with its columns for our rows.

    Parameters
    ----------
    name : str
    product : Product
    keep : callable
        Says where a table of numbers is kept.
    """
    stacks = product.graph.at
    is_one = max(x.ndim for x in stacks) < 3
    a, b = _as_vectors(*(stacks if is_one else map(_first_matrix, stacks)))
    (kind_a, step_a), (kind_b, step_b) = _layout(a) or ("", 0), _layout(b) or ("", 0)
    turned = {"N": "T", "T": "N"}
    if a.ndim == b.ndim == 1:
        called, words = "dot", [a.size, "%a0", step_a, "%a1", step_b]
    elif a.ndim == b.ndim == 2:
        (m, k), n = a.shape, b.shape[1]
        called = "gemm"
        words = [kind_b, kind_a, n, m, k, 1.0, "%a1", step_b, "%a0", step_a, 0.0, "%a2", n]
    elif a.ndim == 2:
        called = "gemv"
        size = a.shape if kind_a == "T" else a.shape[::-1]
        words = [turned[kind_a], *size, 1.0, "%a0", step_a, "%a1", step_b, 0.0, "%a2", 1]
    else:
        called = "gemv"
        size = b.shape if kind_b == "T" else b.shape[::-1]
        words = [kind_b, *size, 1.0, "%a1", step_b, "%a0", step_a, 0.0, "%a2", 1]
    letter, of = ("s", "float") if a.dtype == np.float32 else ("d", "double")
    function = find_function(letter + called)
    if not is_one:
        words = [f"{word}.i" if str(word).startswith("%") else word for word in words]
    constants, call = write_call(name, called, function, words, of)
    lines = [
        *constants,
        *(f"define internal i32 @{name}(ptr %table) {{", "begin:"),
        *load_addresses(3),
    ]
    if is_one:
        return [*lines, *_write_call(called, call), "  ret i32 0", "}"]
    starts = _starts(stacks[0], stacks[1], product.graph.nodes[-1].shape)
    turns = _write_turns(starts, of, keep(starts), _write_call(called, call))
    return [*lines, *turns, "  ret i32 0", "}"]


def _starts(a: Any, b: Any, shape: tuple[int, ...]) -> Any:
    """Where the matrices of two stacks begin, and those of the products, in elements."""
    stack = shape[:-2]
    found = []
    for x in (a, b, np.empty(shape, a.dtype)):
        strides = strides_of(x) or ()
        firsts = np.zeros((1,) * (x.ndim - 2), np.int64)
        for axis, (size, step) in enumerate(zip(x.shape[:-2], strides[:-2], strict=True)):
            along = [1] * (x.ndim - 2)
            along[axis] = size
            firsts = firsts + (np.arange(size) * step).reshape(along)
        found.append(np.broadcast_to(firsts, stack).ravel())
    return np.ascontiguousarray(np.stack(found, axis=1))


def _write_turns(starts: Any, of: str, table: int, each: list[str]) -> list[str]:
    """A loop over the matrices of stacks, whose addresses are ``%a0.i`` and so on."""
    lines = [
        *("  br label %turn", "turn:", "  %i = phi i64 [ 0, %begin ], [ %next, %turn ]"),
        "  %row = mul nuw nsw i64 %i, 3",
    ]
    for k in range(3):
        lines += [
            f"  %k{k} = add nuw nsw i64 %row, {k}",
            f"  %s{k}.p = getelementptr i64, ptr inttoptr (i64 {table} to ptr), i64 %k{k}",
            f"  %s{k} = load i64, ptr %s{k}.p",
            f"  %a{k}.i = getelementptr {of}, ptr %a{k}, i64 %s{k}",
        ]
    return [
        *(*lines, *each, "  %next = add nuw nsw i64 %i, 1"),
        f"  %more = icmp ult i64 %next, {len(starts)}",
        *("  br i1 %more, label %turn, label %done", "done:"),
    ]


def _write_call(called: str, call: str) -> list[str]:
    """A call of BLAS, which returns the product of two vectors."""
    if called == "dot":
        to = "%a2.i" if "%a0.i" in call else "%a2"
        return [f"  %r = call double {call}", f"  store double %r, ptr {to}"]
    return [f"  call void {call}"]
