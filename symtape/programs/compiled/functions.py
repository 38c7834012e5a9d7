"""Functions that machine code calls, of one float or of eight, by the library that has them.

``libm.exp`` is that of the C library, ``libmvec.exp`` that of glibc's vectors, ``numpy.exp`` the
loop of NumPy's, or SciPy's, ufunc: the bits are those of the ufunc then. What has no library before
its name is written in LLVM's own operations, and exact.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import math
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.freeze import hashable
from symtape.primitives.primitive import Primitive
from symtape.programs.compiled.addresses import store_words
from symtape.programs.compiled.own_functions import FAR, OPERATIONS
from symtape.programs.compiled.ufunc_loops import ufunc_loop

LIBM: Final = "libm"
LIBMVEC: Final = "libmvec"
NUMPY: Final = "numpy"
PYTHON: Final = "python"

IN_C: Final = {
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "float_power": "pow",
    "power": "pow",
    **{
        name: name
        for name in (
            *("cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "hypot", "log"),
            *("log10", "log1p", "log2", "sin", "sinh", "tan", "tanh"),
        )
    },
}
"""What the C library calls a ufunc."""

_TYPES: Final = {
    1: {"T": "double", "B": "i1", "F": "float", "I": "i64", "S": "f64"},
    8: {
        "T": "<8 x double>",
        "B": "<8 x i1>",
        "F": "<8 x float>",
        "I": "<8 x i64>",
        "S": "v8f64",
    },
}

_PURE: Final = "nounwind willreturn memory(none)"


def function_code(name: str, ufunc: np.ufunc | None, library: str) -> str | None:
    """What machine code calls for a row, as ``LIBRARY.NAME``; None where there is nothing.

    Parameters
    ----------
    name : str
        Of the ufunc, or of the row that has none.
    ufunc : ufunc or None
        What the row is to the bit.
    library : str
        The one that may round otherwise than NumPy, if it has the function; or ``"numpy"``.
    """
    if name in OPERATIONS and not _find_library_functions(name):
        return name
    if library != NUMPY and _has(name, library):
        return f"{library}.{name}"
    if ufunc is not None and ufunc_loop(ufunc) is not None:
        _UFUNCS[name] = ufunc
        return f"{NUMPY}.{name}"
    if ufunc is None and name in OPERATIONS:
        _UFUNCS.update((called, getattr(np, called)) for called in _find_library_functions(name))
        return f"{NUMPY}.{name}"
    return None


def is_exact(code: str) -> bool:
    """Whether a function of :func:`function_code` gives every bit of NumPy's."""
    return not code.startswith((f"{LIBM}.", f"{LIBMVEC}."))


def is_test(code: str) -> bool:
    """Whether a function gives a truth value.

    Examples
    --------
    >>> is_test("isnan"), is_test("floor"), is_test("numpy.exp")
    (True, False, False)
    """
    return OPERATIONS.get(code, ("",))[-1].startswith(("%r = fcmp", "%r = icmp"))


def symbol(code: str, width: int = 1) -> str:
    """How a function is called in LLVM's assembly."""
    own = code if "." in code else f"own.{code}"
    return own if width == 1 else f"{own}.{width}"


def definitions(codes: Iterable[str], width: int = 1) -> list[str]:
    """The assembly that defines functions, and what they call, of so many floats at a time."""
    found: dict[str, list[str]] = {}
    waiting = list(codes)
    while waiting:
        code = waiting.pop()
        if code in found:
            continue
        *libraries, name = code.split(".", 1)
        library = "".join(libraries)
        is_given = (library == NUMPY and name in _UFUNCS) or (library == LIBM and name in IN_C)
        if name in OPERATIONS and not is_given:
            found[code] = _define_by_operations(code, library, OPERATIONS[name], width)
            waiting += [_qualify_name(called, library) for called in _find_called_functions(name)]
        elif library == PYTHON:
            found[code] = _define_by_callback(code, *_CALLBACKS[name])
        elif library == LIBM:
            found[code] = _define_by_c_function(code, IN_C[name])
        elif library == LIBMVEC and name in FAR:
            found[code] = [
                *_define_by_vector_function(f"{code}.near", IN_C[name], width),
                *_define_by_operations(f"{code}.far", code, FAR[name], width),
                *_choose_near_or_far(code, FAR[name][0], width),
            ]
        elif library == LIBMVEC:
            found[code] = _define_by_vector_function(code, IN_C[name], width)
        else:
            found[code] = _define_by_numpy_loop(code, _UFUNCS[name], width)
    lines = [line for one in found.values() for line in one]
    declared = [line for line in lines if line.startswith(("declare", "attributes"))]
    return [*dict.fromkeys(declared), *(line for line in lines if line not in declared)]


@functools.cache  # names of functions of C
def address(name: str) -> int | None:
    """Where a function of the C library, or of its vectors, is; None where there is none."""
    for library in (ctypes.CDLL(None), _vectors()):
        found = getattr(library, name, None)
        if found is not None:
            return ctypes.cast(found, ctypes.c_void_p).value
    return None


def callback_code(row: Primitive, params: Mapping[str, Any], known: Mapping[int, Any]) -> str:
    """What machine code calls for a row that Python computes, one float at a time.

    Parameters
    ----------
    row : Primitive
    params : mapping
    known : mapping of int to number
        The arguments, by place, that are constants of it.
    """
    key = row, hashable(params), tuple((k, hashable(x)) for k, x in known.items())
    if key not in _CALLBACK_NAMES:
        given = dict(params)

        def compute(*numbers: float) -> float:
            rest = iter(numbers)
            args = [known[k] if k in known else np.float64(next(rest)) for k in range(count)]
            try:
                with np.errstate(all="ignore"):
                    return float(row.evaluate(*args, **given))
            except ArithmeticError:  # which nobody could catch
                return math.nan

        count = len(row.inputs)
        numbers = count - len(known)
        name = f"{row.name}.{len(_CALLBACKS)}"
        _CALLBACKS[name] = numbers, ctypes.PYFUNCTYPE(*[ctypes.c_double] * (numbers + 1))(compute)
        _CALLBACK_NAMES[key] = name
    return f"{PYTHON}.{_CALLBACK_NAMES[key]}"


_CALLBACKS: Final[dict[str, tuple[int, Any]]] = {}
_CALLBACK_NAMES: Final[dict[Any, str]] = {}
"""Functions of Python that machine code was given, which may call them as long as the process is.
"""

_UFUNCS: Final[dict[str, np.ufunc]] = {}
"""The ufuncs whose loops are called, by name."""


def _find_called_functions(name: str) -> list[str]:
    return re.findall(r"@\{(\w+)\}", " ".join(OPERATIONS[name]))


def _find_library_functions(name: str) -> list[str]:
    return [called for called in _find_called_functions(name) if called not in OPERATIONS]


def _qualify_name(name: str, library: str) -> str:
    return name if name in OPERATIONS else f"{library}.{name}"


@functools.cache  # names of functions and libraries
def _has(name: str, library: str) -> bool:
    if name in OPERATIONS:
        return all(_has(called, library) for called in _find_library_functions(name))
    known = IN_C.get(name)
    if known is None:
        return False
    return address(known if library == LIBM else _name_vector_function(known)) is not None


def _count(name: str) -> int:
    """Arguments of a function of the C library."""
    return 2 if name in ("atan2", "hypot", "pow") else 1


def _name_vector_function(name: str) -> str:
    """What glibc calls a function of as many floats as the processor takes at a time."""
    lanes = _lanes()
    return f"_ZGV{'e' if lanes == 8 else 'd'}N{lanes}{'v' * _count(name)}_{name}"


@functools.cache
def _lanes() -> int:
    """Floats in a register: eight with AVX-512, four with AVX2."""
    return 8 if _processor().get("avx512f") else 4


@functools.cache
def _processor() -> Mapping[str, bool]:
    """The processor's features, by LLVM's names."""
    binding = importlib.import_module("llvmlite.binding")
    features: Mapping[str, bool] = binding.get_host_cpu_features()
    return features


@functools.cache
def _vectors() -> Any:
    """The vectors of glibc; None where it is not, or the processor lacks them."""
    if not _processor().get("avx2"):
        return None
    try:
        return ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None


def _head(code: str, count: int, width: int, result: str = "T") -> str:
    kind = _TYPES[width]
    given = ", ".join(f"{kind['T']} %{letter}" for letter in "abcd"[:count])
    return f"define internal {kind[result]} @{symbol(code, width)}({given}) {{"


def _define_by_operations(code: str, library: str, lines: Sequence[str], width: int) -> list[str]:
    kinds = _TYPES[width]

    def call(match: re.Match[str]) -> str:
        return f"@{symbol(_qualify_name(match[1], library), width)}"

    def number(match: re.Match[str]) -> str:
        return all_over(match[1], width)

    text = "\n".join(lines)
    count = 2 if "%b" in text else 1
    intrinsics = re.findall(r"@(llvm\.\w+)\.S\((.*?)\)", text)
    one = kinds["T"]
    declared = [
        f"declare {one} @{name}.{kinds['S']}({', '.join([one] * len(given.split(',')))})"
        for name, given in intrinsics
    ]
    body = re.sub(r"@\{(\w+)\}", call, text)
    body = re.sub(r"\{([-.\w]+)\}", number, body)
    body = re.sub(r"\b[TBFIS]\b", lambda match: kinds[match[0]], body)
    result = "B" if is_test(code) else "T"
    ended = f"  ret {kinds[result]} %r"
    written = [f"  {line}" for line in body.split("\n")]
    return [*declared, _head(code, count, width, result), *written, ended, "}"]


OF_TRUTHS: Final = frozenset(("and", "or", "xor", "not"))
"""Operations on truth values."""


def write_operation(result: str, code: str, words: Sequence[str], width: int = 1) -> str:
    """The line of assembly of an operation, on one float or truth value or on eight.

    Examples
    --------
    >>> write_operation("%r", "fadd", ["%a", "1.0"])
    '  %r = fadd double %a, 1.0'
    """
    one, truth = _TYPES[width]["T"], _TYPES[width]["B"]
    kind, _, function = code.partition(" ")
    if kind in OF_TRUTHS:
        trues = "true" if width == 1 else "splat (i1 true)"
        kind, other = ("xor", trues) if kind == "not" else (kind, words[-1])
        return f"  {result} = {kind} {truth} {words[0]}, {other}"
    if kind in ("call", "test"):
        given = ", ".join(f"{one} {word}" for word in words)
        found = one if kind == "call" else truth
        return f"  {result} = call {found} @{symbol(function, width)}({given})"
    if kind == "select":
        return f"  {result} = select {truth} {words[0]}, {one} {words[1]}, {one} {words[2]}"
    if kind == "uitofp":
        return f"  {result} = uitofp {truth} {words[0]} to {one}"
    return f"  {result} = {code} {one} {', '.join(words)}"


def all_over(number: Any, width: int) -> str:
    """A float by its bits, or the bytes of a number, or a vector of it."""
    word = written_bits(number if isinstance(number, bytes) else float(number))
    return word if width == 1 else "<" + ", ".join([f"double {word}"] * width) + ">"


def written_bits(number: Any) -> str:
    """A float, or the bytes of one, by its bits."""
    held = number if isinstance(number, bytes) else np.float64(number).tobytes()
    (bits,) = struct.unpack("=Q", held)
    return f"0x{bits:016X}"


def _define_by_c_function(code: str, name: str) -> list[str]:
    count = _count(name)
    types = ", ".join(["double"] * count)
    given = ", ".join(f"double %{letter}" for letter in "ab"[:count])
    return [
        f"declare double @{name}({types}) {_PURE}",
        *(_head(code, count, 1), f"  %r = call double @{name}({given})", "  ret double %r", "}"),
    ]


def _define_by_vector_function(code: str, name: str, width: int) -> list[str]:
    """By registers; of one float a register of it, so that its place in an array changes no bit."""
    count, lanes = _count(name), _lanes()
    register = f"<{lanes} x double>"
    letters = "ab"[:count]
    function = _name_vector_function(name)
    lines = [f"declare {register} @{function}({', '.join([register] * count)}) {_PURE}"]
    lines.append(_head(code, count, width))
    if width == 1:
        zeros = f"<{lanes} x i32> zeroinitializer"
        for x in letters:
            lines += [
                f"  %{x}.0 = insertelement {register} poison, double %{x}, i32 0",
                f"  %{x}.all = shufflevector {register} %{x}.0, {register} poison, {zeros}",
            ]
        given = ", ".join(f"{register} %{x}.all" for x in letters)
        return [
            *lines,
            f"  %all = call {register} @{function}({given})",
            f"  %r = extractelement {register} %all, i32 0",
            *("  ret double %r", "}"),
        ]
    if width == lanes:
        given = ", ".join(f"{register} %{x}" for x in letters)
        lines.append(f"  %r = call {register} @{function}({given})")
        return [*lines, f"  ret {register} %r", "}"]
    halves = []
    for start in range(0, width, 4):
        places = ", ".join(f"i32 {start + k}" for k in range(4))
        for x in letters:
            vectors = f"<{width} x double> %{x}, <{width} x double> poison"
            lines.append(f"  %{x}.{start} = shufflevector {vectors}, <4 x i32> <{places}>")
        given = ", ".join(f"{register} %{x}.{start}" for x in letters)
        lines.append(f"  %r.{start} = call {register} @{function}({given})")
        halves.append(f"{register} %r.{start}")
    places = ", ".join(f"i32 {k}" for k in range(width))
    lines.append(f"  %r = shufflevector {', '.join(halves)}, <{width} x i32> <{places}>")
    return [*lines, f"  ret <{width} x double> %r", "}"]


def _choose_near_or_far(code: str, test: str, width: int) -> list[str]:
    """A function that a library computes, unless a test finds a number for which it takes long."""
    kinds = _TYPES[width]
    text = re.sub(r"\{([-.\w]+)\}", lambda match: all_over(match[1], width), test)
    word, given = test.partition(" ")[0], f"({kinds['T']} %a)"
    some = f"call i1 @llvm.vector.reduce.or.v{width}i1({kinds['B']} {word})"
    if width == 1:
        some = f"or i1 {word}, false"
    return [
        *([] if width == 1 else [f"declare i1 @llvm.vector.reduce.or.v{width}i1({kinds['B']})"]),
        _head(code, 1, width),
        re.sub(r"\bT\b", kinds["T"], f"  {text}"),
        *(f"  %is_some = {some}", "  br i1 %is_some, label %far, label %near"),
        *("near:", f"  %n = call {kinds['T']} @{symbol(f'{code}.near', width)}{given}"),
        f"  ret {kinds['T']} %n",
        *("far:", f"  %f = call {kinds['T']} @{symbol(f'{code}.far', width)}{given}"),
        *(f"  ret {kinds['T']} %f", "}"),
    ]


def _define_by_numpy_loop(code: str, ufunc: np.ufunc, width: int) -> list[str]:
    """A call of NumPy's own loop over so many floats."""
    found = ufunc_loop(ufunc)
    assert found is not None
    function, data = found
    kind, count = _TYPES[width]["T"], ufunc.nin
    given = "abcd"[:count]
    return [
        _head(code, count, width),
        *(f"  %{x}.m = alloca {kind}" for x in f"{given}r"),
        *(f"  store {kind} %{x}, ptr %{x}.m" for x in given),
        *store_words("args", "ptr", [f"%{x}.m" for x in f"{given}r"]),
        *store_words("steps", "i64", [8] * (count + 1)),
        *("  %size = alloca i64", f"  store i64 {width}, ptr %size"),
        f"  %function = inttoptr i64 {function} to ptr",
        f"  %data = inttoptr i64 {data} to ptr",
        "  call void %function(ptr %args, ptr %size, ptr %steps, ptr %data)",
        *(f"  %r = load {kind}, ptr %r.m", f"  ret {kind} %r", "}"),
    ]


def _define_by_callback(code: str, count: int, function: Any) -> list[str]:
    given = ", ".join(f"double %{letter}" for letter in "abcd"[:count])
    place = ctypes.cast(function, ctypes.c_void_p).value
    return [
        _head(code, count, 1),
        f"  %function = inttoptr i64 {place} to ptr",
        *(f"  %r = call double %function({given})", "  ret double %r", "}"),
    ]
