"""Addresses of functions in C, and of what a function of machine code is given."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np


def address_in(capsule: Any) -> int:
    """The address that a capsule of Python's holds."""
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    found: int = get(capsule, get_name(capsule))
    return found


def load_addresses(count: int) -> list[str]:
    """Assembly that reads ``%a0``, ``%a1`` and so on from ``ptr %table``."""
    return [
        line
        for k in range(count)
        for line in (
            f"  %t{k} = getelementptr ptr, ptr %table, i64 {k}",
            f"  %a{k} = load ptr, ptr %t{k}",
        )
    ]


def type_of_numbers(dtype: np.dtype[Any]) -> str:
    """The type of the numbers of an array; whole ones are moved as words of double precision."""
    return "i8" if dtype.kind == "b" else "float" if dtype == np.float32 else "double"


def store_words(name: str, kind: str, words: Sequence[Any]) -> list[str]:
    """Assembly of an array on the stack, ``%NAME``, with these words in it."""
    lines = [f"  %{name} = alloca {kind}, i64 {len(words)}"]
    for k, word in enumerate(words):
        lines.append(f"  %{name}.{k} = getelementptr {kind}, ptr %{name}, i64 {k}")
        lines.append(f"  store {kind} {word}, ptr %{name}.{k}")
    return lines
