"""A float of machine code as an element of NumPy's arrays of objects, which knows arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Add = Callable[[str, tuple[int, ...]], int]
Number = Callable[[float], int]


class Element:
    """An operation on floats, by its place; arithmetic adds further ones.

    Parameters
    ----------
    add : callable ``(code, operations) -> operation``
    number : callable ``(value) -> operation``
        Of a constant.
    at : int
    """

    __slots__ = ("_add", "_number", "at")

    def __init__(self, add: Add, number: Number, at: int) -> None:
        self._add, self._number, self.at = add, number, at

    @classmethod
    def array(cls, add: Add, number: Number, ids: Any) -> Any:
        """An array of objects for one of operations."""
        found = np.empty(ids.shape, dtype=object)
        found.ravel()[:] = [cls(add, number, at) for at in ids.ravel().tolist()]
        return found

    @staticmethod
    def place(value: Any, number: Number) -> int:
        """The operation that an object is, or the constant."""
        return value.at if isinstance(value, Element) else number(float(value))

    def _add_operation(self, code: str, a: Any, b: Any) -> Any:
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return NotImplemented  # NumPy asks again for each element
        given = (self.place(a, self._number), self.place(b, self._number))
        return Element(self._add, self._number, self._add(code, given))

    def __add__(self, other: Any) -> Any:
        return self._add_operation("fadd", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._add_operation("fadd", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._add_operation("fsub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._add_operation("fsub", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._add_operation("fmul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._add_operation("fmul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._add_operation("fdiv", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._add_operation("fdiv", other, self)

    def __neg__(self) -> Element:
        return Element(self._add, self._number, self._add("fneg", (self.at,)))
