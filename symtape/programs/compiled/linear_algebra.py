"""The functions of BLAS and LAPACK: where they are, and assembly that calls them.

Those of rows that NumPy evaluates are in the library that it calls, for the same bits; where that
has them by no name that is known, and for rows that SciPy evaluates, they are those of SciPy.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from symtape.graph.graph import Node
from symtape.programs.compiled.addresses import address_in, load_addresses

_NAMES: Final = (("scipy_{}_64_", 64), ("{}_64_", 64), ("scipy_{}_", 32), ("{}_", 32))
"""How builds of NumPy call a function, and the bits of its whole numbers."""

_MOST: Final = 64
"""Rows, or columns, of a matrix that lies on the stack."""


class LibraryFunction(NamedTuple):
    """A function of Fortran's.

    Attributes
    ----------
    address : int
    bits : int
        Of its whole numbers.
    """

    address: int
    bits: int


@functools.cache  # a few names
def find_function(name: str) -> LibraryFunction:
    """Where a function is, such as ``"dgemm"`` or ``"dgetrf"``.

    Raises
    ------
    KeyError
        There is none of that name.
    """
    numpys = ctypes.CDLL(importlib.import_module("numpy.linalg._umath_linalg").__file__)
    for spelling, bits in _NAMES:
        found: Any = getattr(numpys, spelling.format(name), None)
        address = ctypes.cast(found, ctypes.c_void_p).value if found else None
        if address:
            return LibraryFunction(address, bits)
    return find_scipys_function(name)


@functools.cache  # a few names
def find_scipys_function(name: str) -> LibraryFunction:
    """As :func:`find_function`, of the library that SciPy calls."""
    # SciPy's package takes a tenth of a second to import.
    capsules: dict[str, Any] = {}
    for module in ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack"):
        capsules |= importlib.import_module(module).__pyx_capi__
    return LibraryFunction(address_in(capsules[name]), 32)


def write_call(
    name: str, called: str, function: LibraryFunction, words: Sequence[Any], of: str = "double"
) -> tuple[list[str], str]:
    """Constants of a module, and a call that is given their addresses, as Fortran's are.

    Parameters
    ----------
    name : str
        Of the function that calls.
    called : str
    function : LibraryFunction
    words : sequence
        Addresses, as ``"%a0"``; letters, whose lengths follow at the end; numbers.
    of : str
        The type of numbers that are not whole.
    """
    constants, given, lengths = [], [], []
    for number, word in enumerate(words):
        if isinstance(word, str) and word.startswith("%"):
            given.append(f"ptr {word}")
            continue
        if isinstance(word, str):
            lengths.append("i64 1")
        kinds = {str: "i8", float: of, int: f"i{function.bits}"}
        written = ord(word) if isinstance(word, str) else word
        constant = f"@{name}.{called}.{number}"
        constants.append(f"{constant} = private constant {kinds[type(word)]} {written}")
        given.append(f"ptr {constant}")
    where = f"inttoptr (i64 {function.address} to ptr)"
    return constants, f"{where}({', '.join([*given, *lengths])})"


ROOMS: Final = ("%work", "%reals", "%counts")
"""Places that LAPACK is given to work in, each before its size; counts are whole numbers."""


@functools.cache  # shapes of small matrices
def ask_for_room(called: str, words: tuple[Any, ...]) -> tuple[int, ...]:
    """How much room LAPACK asks for, which NumPy gives it: on that depends how it computes.

    Parameters
    ----------
    called : str
    words : tuple
        As of :func:`write_call`, with sizes of -1 behind :data:`ROOMS`.
    """
    function = find_function(called)
    whole = ctypes.c_int64 if function.bits == 64 else ctypes.c_int32
    made: dict[Any, Any] = {}
    given: list[Any] = []
    for word in words:
        if not isinstance(word, str):
            given.append(whole(word))
        elif word.startswith("%"):
            given.append(made.setdefault(word, (ctypes.c_double * 2)()))
        else:
            given.append(ctypes.c_char(word.encode()))
    letters = sum(isinstance(one, ctypes.c_char) for one in given)
    kinds = [ctypes.c_void_p] * len(given) + [ctypes.c_size_t] * letters
    call = ctypes.CFUNCTYPE(None, *kinds)(function.address)
    call(*map(ctypes.addressof, given), *[1] * letters)
    return tuple(
        whole.from_buffer(made[room]).value if room == ROOMS[-1] else int(made[room][0])
        for room in words
        if room in ROOMS
    )


def is_small_matrix(node: Node, given: Sequence[Any]) -> bool:
    """Whether the argument is one matrix that lies on the stack, with what LAPACK needs besides."""
    shape = given[0].shape
    return len(shape) == 2 and max(shape) <= _MOST


def begin_function(
    name: str, constants: Sequence[str], rooms: Mapping[str, tuple[str, int]], count: int
) -> list[str]:
    """Assembly of the head of ``i32 @NAME(ptr %table)``, behind what it needs of the module.

    Parameters
    ----------
    name : str
    constants : sequence of str
        From :func:`write_call`.
    rooms : mapping of str to (str, int)
        What lies on the stack: the type of its words, and their number.
    count : int
        Addresses that it is given, ``%a0`` and so on.
    """
    return [
        *(*copying_source(name), *constants, f"define internal i32 @{name}(ptr %table) {{"),
        "begin:",
        *(f"  %{room} = alloca {kind}, i64 {size}" for room, (kind, size) in rooms.items()),
        *load_addresses(count),
    ]


def leave_unless_done(call: str, whole: str, then: str) -> list[str]:
    """Assembly of a call of LAPACK: on to a label, or to ``off`` where it finds nothing.

    Parameters
    ----------
    call : str
        From :func:`write_call`.
    whole : str
        The type of LAPACK's whole numbers.
    then : str
        The label.
    """
    return [
        *(f"  call void {call}", f"  %{then}.info = load {whole}, ptr %info"),
        f"  %{then}.is_done = icmp eq {whole} %{then}.info, 0",
        *(f"  br i1 %{then}.is_done, label %{then}, label %off", f"{then}:"),
    ]


def copying_source(name: str) -> list[str]:
    """Assembly of ``@NAME.copy``, for :func:`copy_columns`."""
    numbers = ("rows", "columns", "down", "across", "step", "gap")
    given = ", ".join(["ptr %of", "ptr %to", *(f"i64 %{x}" for x in numbers)])
    return [
        *(f"define internal void @{name}.copy({given}) {{", "begin:", "  br label %column"),
        *("column:", "  %j = phi i64 [ 0, %begin ], [ %j.next, %copied ]"),
        *("  %to.j = mul i64 %j, %step", "  %of.j = mul i64 %j, %across", "  br label %row"),
        *("row:", "  %i = phi i64 [ 0, %column ], [ %i.next, %row ]"),
        *("  %of.i = mul i64 %i, %down", "  %of.k = add i64 %of.j, %of.i"),
        *("  %of.p = getelementptr double, ptr %of, i64 %of.k", "  %x = load double, ptr %of.p"),
        *(
            "  %to.i = mul i64 %i, %gap",
            "  %to.k = add i64 %to.j, %to.i",
            "  %to.p = getelementptr double, ptr %to, i64 %to.k",
        ),
        *("  store double %x, ptr %to.p", "  %i.next = add nuw nsw i64 %i, 1"),
        *("  %i.more = icmp ult i64 %i.next, %rows", "  br i1 %i.more, label %row, label %copied"),
        *("copied:", "  %j.next = add nuw nsw i64 %j, 1"),
        "  %j.more = icmp ult i64 %j.next, %columns",
        *("  br i1 %j.more, label %column, label %done", "done:", "  ret void", "}"),
    ]


def copy_columns(
    name: str,
    of: str,
    to: str,
    shape: tuple[int, int],
    strides: tuple[int, ...],
    steps: tuple[int, int] | None = None,
) -> str:
    """Assembly that copies an array so that elements of a column are next to each other.

    Parameters
    ----------
    name : str
        Of the function, which has :func:`copying_source`.
    of, to : str
    shape : tuple of int
        Rows and columns.
    strides : tuple of int
        From row to row, and from column to column, of what is copied.
    steps : tuple of int, optional
        From column to column of the copy, and from row to row; else columns follow each other.
    """
    words = *shape, *strides, *(steps or (shape[0], 1))
    return f"  call void @{name}.copy(ptr {of}, ptr {to}, {', '.join(f'i64 {x}' for x in words)})"
