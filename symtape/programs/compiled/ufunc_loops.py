"""The loops by which NumPy's and SciPy's ufuncs compute, as addresses that machine code calls."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Final

import numpy as np

_DOUBLE: Final = 12
"""NumPy's number of float64."""

_MOST_GIVEN: Final = 4

_SIZES, _LOOPS, _DATA, _HOW_MANY, _NAME, _KINDS = 16, 32, 40, 48, 56, 64
"""Bytes from the start of a ufunc to its fields."""

_TRIED: Final = (0.0, -0.0, 0.3, -0.7, 1.0, 2.5, -3.5, 700.0, 1e-300, np.inf, -np.inf, np.nan)


@functools.cache  # ufuncs, which are there for good
def ufunc_loop(ufunc: np.ufunc) -> tuple[int, int] | None:
    """The addresses of the loop of a ufunc over float64s, and of what it is given besides.

    None where there is none, or none that gives what the ufunc gives.
    """
    found = find_loop(ufunc, (_DOUBLE,) * (ufunc.nin + 1)) if ufunc.nin <= _MOST_GIVEN else None
    return found if found and _is_of(ufunc, *found) else None


def find_loop(ufunc: np.ufunc, kinds: Sequence[int]) -> tuple[int, int] | None:
    """The addresses of a loop of a ufunc of one result, and of what it is given besides.

    Parameters
    ----------
    ufunc : ufunc
    kinds : sequence of int
        NumPy's numbers of the dtypes of its arguments, and of its result.
    """
    start, count = id(ufunc), len(kinds)
    sizes = [ctypes.c_int.from_address(start + _SIZES + 4 * k).value for k in range(3)]
    many = ctypes.c_int.from_address(start + _HOW_MANY).value
    if sizes != [count - 1, 1, count] or many != len(ufunc.types):
        return None
    if ctypes.c_char_p.from_address(start + _NAME).value != ufunc.__name__.encode():
        return None
    every = ctypes.string_at(_word(start + _KINDS), many * count)
    for k in range(many):
        if every[k * count : (k + 1) * count] == bytes(kinds):
            data = _word(start + _DATA)
            return _word(_word(start + _LOOPS) + 8 * k), _word(data + 8 * k) if data else 0
    return None


def _word(place: int) -> int:
    return ctypes.c_void_p.from_address(place).value or 0


def _is_of(ufunc: np.ufunc, function: int, data: int) -> bool:
    """Whether a loop gives what a ufunc gives, of eight at a time and of one."""
    count = ufunc.nin
    call = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 4)(function)
    arrays = [np.ravel(one) for one in np.meshgrid(*[_TRIED if count < 3 else _TRIED[2:6]] * count)]
    found = [np.empty(arrays[0].size) for _ in range(2)]
    steps = (ctypes.c_int64 * (count + 1))(*[8] * (count + 1))
    for out, width in zip(found, (8, 1), strict=True):
        for at in range(0, out.size, width):
            places = [one.ctypes.data + 8 * at for one in (*arrays, out)]
            size = ctypes.c_int64(min(width, out.size - at))
            given = (ctypes.c_void_p * (count + 1))(*places)
            call(ctypes.addressof(given), ctypes.addressof(size), ctypes.addressof(steps), data)
    with np.errstate(all="ignore"):
        wanted = ufunc(*arrays)
    is_number = ~np.isnan(wanted)
    return all(
        np.array_equal(one, wanted, equal_nan=True)
        and np.array_equal(np.signbit(one)[is_number], np.signbit(wanted)[is_number])
        for one in found
    )
