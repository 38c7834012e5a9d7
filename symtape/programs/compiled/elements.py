"""A float of machine code as an element of NumPy's arrays of objects, which knows arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Add = Callable[[str, tuple[int, ...]], int]
Number = Callable[[float], int]


def _operator(code: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """The methods of an operator, with the element on the left and on the right."""

    def operate(a: Any, b: Any) -> Any:
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return NotImplemented  # NumPy asks again for each element
        of = a if isinstance(a, Element) else b
        given = Element.place(a, of._number), Element.place(b, of._number)
        return Element(of._add, of._number, of._add(code, given))

    return operate, lambda element, other: operate(other, element)


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

    __add__, __radd__ = _operator("fadd")
    __sub__, __rsub__ = _operator("fsub")
    __mul__, __rmul__ = _operator("fmul")
    __truediv__, __rtruediv__ = _operator("fdiv")

    def __neg__(self) -> Element:
        return Element(self._add, self._number, self._add("fneg", (self.at,)))
