"""The loops by which NumPy's and SciPy's ufuncs compute, as addresses that machine code calls."""

from __future__ import annotations

import ctypes
import functools
from typing import Final

import numpy as np

_DOUBLE: Final = 12
"""NumPy's number of float64."""

_SIZES, _LOOPS, _DATA, _HOW_MANY, _NAME, _KINDS = 16, 32, 40, 48, 56, 64
"""Bytes from the start of a ufunc to its fields."""

_TRIED: Final = (0.0, -0.0, 0.3, -0.7, 1.0, 2.5, -3.5, 700.0, 1e-300, np.inf, -np.inf, np.nan)


@functools.cache  # ufuncs, which are there for good
def ufunc_loop(ufunc: np.ufunc) -> tuple[int, int] | None:
    """The addresses of the loop of a ufunc over float64s, and of what it is given besides.

    None where there is none, or none that gives what the ufunc gives.
    """
    start, count = id(ufunc), ufunc.nin
    sizes = [ctypes.c_int.from_address(start + _SIZES + 4 * k).value for k in range(3)]
    many = ctypes.c_int.from_address(start + _HOW_MANY).value
    if sizes != [count, 1, count + 1] or count > 4 or many != len(ufunc.types):
        return None
    if ctypes.c_char_p.from_address(start + _NAME).value != ufunc.__name__.encode():
        return None
    kinds = ctypes.string_at(_word(start + _KINDS), many * (count + 1))
    for k in range(many):
        if kinds[k * (count + 1) : (k + 1) * (count + 1)] == bytes([_DOUBLE] * (count + 1)):
            data = _word(start + _DATA)
            found = _word(_word(start + _LOOPS) + 8 * k), _word(data + 8 * k) if data else 0
            if _is_of(ufunc, *found):
                return found
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
