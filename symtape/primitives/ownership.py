"""Arrays that belong to others: what a rule keeps must not change when they go on writing.

A large array that is used again and again, as the matrix in a loop is, is copied once while
somebody records: to see that the copy still holds takes a fraction of another one's time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Array

_LARGE: Final = 2**20
"""Bytes; fewer are copied sooner than compared."""


class Copies(threading.local):
    """What one thread has copied, by where it lies in memory; None while nothing is kept."""

    def __init__(self) -> None:
        self.held: dict[Any, Array] | None = None

    def own(self, x: Array) -> Array:
        """`x` as it is now, whatever is written into it later."""
        if not x.flags.writeable and _is_frozen(x):
            return x
        held = self.held
        if held is None or x.nbytes < _LARGE:
            return _copy(x)
        place = (address_of(x), x.shape, x.strides, x.dtype)
        copy = held.get(place)
        if copy is None or not _are_same(copy, x):
            held[place] = copy = _copy(x)
        return copy


COPIES: Final = Copies()
"""A thread's begin where it begins to record, and are let go where it ends."""


def _is_frozen(x: Any) -> bool:
    """Whether nobody can write into `x`, nor into an array that it is a view of."""
    return not any(root.flags.writeable for root in _roots(x))


def _roots(x: Any) -> Iterator[Array]:
    """`x`, and the arrays that it is a view of."""
    while x is not None:
        if isinstance(x, np.ndarray):
            yield x
        # NumPy's own views by strides have something between them and the array.
        x = getattr(x, "base", None)


def _copy(x: Array) -> Array:
    """A copy; of a view that shows elements more than once, the same view of a copy."""
    root = x if x.base is None else x.base
    if not isinstance(root, np.ndarray) or x.nbytes > root.nbytes:
        *_, root = _roots(x)
    if x.nbytes <= root.nbytes or not root.flags.forc or x.dtype == object:
        return x.copy("A")
    return np.ndarray(x.shape, x.dtype, root.copy("K"), address_of(x) - address_of(root), x.strides)


def address_of(x: Array) -> int:
    """Where an array begins in memory."""
    found: int = x.__array_interface__["data"][0]
    return found


def _are_same(a: Array, b: Array) -> bool:
    """Whether the elements of two arrays of one dtype are the same, to the last bit."""
    if a.dtype.kind == "c":
        return _are_same(a.real, b.real) and _are_same(a.imag, b.imag)
    bits = f"i{a.itemsize}"
    return bool((a.view(bits) == b.view(bits)).all())
