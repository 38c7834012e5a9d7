"""Fourier transforms in machine code, by NumPy's own loops, of real and imaginary parts.

What is transformed lies in memory of its own, line by line, where its parts lie side by side.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.fourier import FFT, IRFFT, RFFT
from symtape.primitives.primitive import Array, Primitive, opaque
from symtape.programs.compiled.addresses import load_addresses, store_words
from symtape.programs.compiled.functions import written_bits
from symtape.programs.compiled.ufunc_loops import find_loop

_MOST_POINTS: Final = 8192
"""Of a line, which lies on the stack."""

_IN_BLOCK: Final = 2048
"""Points of lines that are transformed by one call, and stay in the cache meanwhile."""

_MOST_NUMBERS: Final = 1 << 19
"""Of an array whose lines are no rows: of a larger one NumPy copies them in less time."""


def join_parts(real: Array, imaginary: Array) -> Any:
    """Complex numbers of their parts, for which NumPy has no function."""
    made = np.empty(np.shape(real), np.complex128)
    made.real, made.imag = real, imaginary
    return made[()]


def split_parts(numbers: Array) -> tuple[Any, Any]:
    """Real and imaginary parts of an array, each as neighbours in memory."""
    return np.ascontiguousarray(numbers.real), np.ascontiguousarray(numbers.imag)


PARTS_TO_PARTS: Final = opaque(
    "transform_parts",
    lambda real, imag, **params: split_parts(FFT.evaluate(join_parts(real, imag), **params)),
    2,
)
REALS_TO_PARTS: Final = opaque(
    "transform_reals_to_parts",
    lambda x, **params: split_parts(RFFT.evaluate(x, **params)),
    1,
)
PARTS_TO_REALS: Final = opaque(
    "transform_parts_to_reals",
    lambda real, imag, **params: np.ascontiguousarray(
        IRFFT.evaluate(join_parts(real, imag), **params)
    ),
    2,
)

TRANSFORMS: Final[tuple[Primitive, ...]] = (PARTS_TO_PARTS, REALS_TO_PARTS, PARTS_TO_REALS)


def is_for_loops(shape: tuple[int, ...], params: Mapping[str, Any]) -> bool:
    """Whether an array is so small that its parts are transformed in less time than NumPy takes."""
    axis = params["axis"]
    is_of_rows = axis % len(shape) == len(shape) - 1
    is_short = max(shape[axis], params.get("n", 0)) <= _MOST_POINTS
    return is_short and (is_of_rows or math.prod(shape) <= _MOST_NUMBERS)


def suits_transform(node: Node, given: Sequence[Any]) -> bool:
    """Whether NumPy's loop of a transform is known, and reads its arguments as they lie."""
    if not all(type(x) is np.ndarray and x.flags.c_contiguous for x in given):
        return False
    return _find_function(_plan(node, given[0].shape).name) is not None


class _Plan(NamedTuple):
    """The name of NumPy's function for a line, and by what it multiplies."""

    name: str
    scale: float


def _plan(node: Node, shape: tuple[int, ...]) -> _Plan:
    axis, norm = node.params["axis"], node.params["norm"]
    points = node.params.get("n", shape[axis])
    if node.primitive is REALS_TO_PARTS:
        inverse, name = False, "rfft_n_odd" if points % 2 else "rfft_n_even"
    elif node.primitive is PARTS_TO_REALS:
        inverse, name = True, IRFFT.name
    else:
        inverse = node.params["inverse"]
        name = (np.fft.ifft if inverse else np.fft.fft).__name__
    scales = {"backward": 1.0, "ortho": 1 / math.sqrt(points), "forward": 1 / points}
    if inverse:
        scales["backward"], scales["forward"] = scales["forward"], scales["backward"]
    return _Plan(name, scales[norm])


@functools.cache  # five names
def _find_function(name: str) -> tuple[int, int] | None:
    """The addresses of NumPy's loop, and of what it is given besides; None where it is unknown."""
    try:
        module = importlib.import_module("numpy.fft._pocketfft_umath")
        ufunc = getattr(module, name)
    except (ImportError, AttributeError):
        return None
    is_real = name.startswith(RFFT.name), name == IRFFT.name
    given, made = (np.dtype(float if real else complex) for real in is_real)
    found = find_loop(ufunc, (given.num, np.dtype(float).num, made.num))
    return found if found and _is_of(ufunc, *found, given, made) else None


def _is_of(
    ufunc: np.ufunc, function: int, data: int, given: np.dtype[Any], made: np.dtype[Any]
) -> bool:
    """Whether a loop gives what the function gives."""
    call = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 4)(function)
    for points in (5, 6, 16):
        x = (np.arange(points) ** 2 + 0.5).astype(given)
        found = np.empty(points // 2 + 1 if given.kind == "f" else points, made)
        wanted = ufunc(x, 0.5, out=np.empty_like(found))
        scale = ctypes.c_double(0.5)
        args = (ctypes.c_void_p * 3)(x.ctypes.data, ctypes.addressof(scale), found.ctypes.data)
        sizes = (ctypes.c_int64 * 3)(1, points, found.size)
        steps = (ctypes.c_int64 * 5)(0, 0, 0, x.itemsize, found.itemsize)
        call(*(ctypes.addressof(one) for one in (args, sizes, steps)), data)
        if not np.array_equal(found, wanted):
            return False
    return True


def transform_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which has the addresses of parts."""
    node, shape = graph.nodes[graph.outputs[0]], graph.nodes[0].shape
    axis = node.params["axis"] % len(shape)
    plan = _plan(node, shape)
    function, data = _find_function(plan.name) or (0, 0)
    between, points, count = math.prod(shape[axis + 1 :]), shape[axis], node.shape[axis]
    lines = math.prod(shape) // points
    block = _find_block(lines if between == 1 else between, max(points, count))
    given = {k: f"%a{k}" for k in range(len(graph.inputs))}
    made = {graph.nodes[at].part or 0: f"%a{len(given) + k}" for k, at in enumerate(graph.outputs)}
    wide_of, wide_to = len(given), 1 if node.primitive is PARTS_TO_REALS else 2
    size_of, size_to = wide_of * points, wide_to * count
    return [
        f"define internal i32 @{name}(ptr %table) {{",
        *("begin:", *load_addresses(len(given) + len(made))),
        f"  %of = alloca double, i64 {block * size_of}, align 64",
        f"  %to = alloca double, i64 {block * size_to}, align 64",
        *("  %scale = alloca double", f"  store double {written_bits(plan.scale)}, ptr %scale"),
        *store_words("args", "ptr", ("%of", "%scale", "%to")),
        *store_words("sizes", "i64", (block, points, count)),
        *store_words("steps", "i64", (8 * size_of, 0, 8 * size_to, 8 * wide_of, 8 * wide_to)),
        f"  %function = inttoptr i64 {function} to ptr",
        f"  %data = inttoptr i64 {data} to ptr",
        *("  br label %block", "block:", "  %k = phi i64 [ 0, %begin ], [ %k.next, %to.done ]"),
        *(f"  %before = udiv i64 %k, {between}", f"  %behind = urem i64 %k, {between}"),
        *("  br label %of.each", "of.each:"),
        *_find_element("of", "block", points, between, block),
        *_copy_parts("of", given, wide_of, into_line=True),
        *_end_element("of", block * points),
        "  call void %function(ptr %args, ptr %sizes, ptr %steps, ptr %data)",
        *("  br label %to.each", "to.each:"),
        *_find_element("to", "of.done", count, between, block),
        *_copy_parts("to", made, wide_to, into_line=False),
        *_end_element("to", block * count),
        f"  %k.next = add nuw nsw i64 %k, {block}",
        f"  %more = icmp ult i64 %k.next, {lines}",
        *("  br i1 %more, label %block, label %end", "end:", "  ret i32 0", "}"),
    ]


def _find_block(lines: int, points: int) -> int:
    """How many lines are transformed by one call: of as many in a row a divisor."""
    most = max(1, _IN_BLOCK // points)
    return max(k for k in range(1, most + 1) if lines % k == 0)


def _find_element(of: str, before: str, count: int, between: int, block: int) -> list[str]:
    """The places of an element in the arrays, and in the block of lines.

    Neighbours in the arrays come one after the other.
    """
    lines = [f"  %{of}.i = phi i64 [ 0, %{before} ], [ %{of}.next, %{of}.each ]"]
    if between == 1:
        return [
            *lines,
            f"  %{of}.first = mul i64 %k, {count}",
            f"  %{of}.place = add i64 %{of}.first, %{of}.i",
            f"  %{of}.at = add i64 %{of}.i, 0",
        ]
    return [
        *lines,
        f"  %{of}.j = udiv i64 %{of}.i, {block}",
        f"  %{of}.l = urem i64 %{of}.i, {block}",
        f"  %{of}.first = mul i64 %before, {count}",
        f"  %{of}.row = add i64 %{of}.first, %{of}.j",
        f"  %{of}.rest = mul i64 %{of}.row, {between}",
        f"  %{of}.behind = add i64 %{of}.rest, %behind",
        f"  %{of}.place = add i64 %{of}.behind, %{of}.l",
        f"  %{of}.line = mul i64 %{of}.l, {count}",
        f"  %{of}.at = add i64 %{of}.line, %{of}.j",
    ]


def _copy_parts(line: str, arrays: Mapping[int, str], width: int, into_line: bool) -> list[str]:
    lines = []
    for part, array in arrays.items():
        word = f"%{line}.{part}"
        there, here = f"{word}.there", f"{word}.here"
        of, to = (there, here) if into_line else (here, there)
        lines += [
            f"  {there} = getelementptr double, ptr {array}, i64 %{line}.place",
            f"  {word}.first = mul i64 %{line}.at, {width}",
            f"  {word}.at = add i64 {word}.first, {part}",
            f"  {here} = getelementptr double, ptr %{line}, i64 {word}.at",
            f"  {word}.x = load double, ptr {of}",
            f"  store double {word}.x, ptr {to}",
        ]
    return lines


def _end_element(line: str, count: int) -> list[str]:
    return [
        f"  %{line}.next = add nuw nsw i64 %{line}.i, 1",
        f"  %{line}.more = icmp ult i64 %{line}.next, {count}",
        f"  br i1 %{line}.more, label %{line}.each, label %{line}.done",
        f"{line}.done:",
    ]
