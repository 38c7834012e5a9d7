"""Rows that act element by element, as what LLVM does to one float."""

from __future__ import annotations

import operator
import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.compiled.emitters import function_of
from symtape.graph.graph import Node
from symtape.primitives.choice import WHERE

SQUARE: Final = "square"
"""A product of what is given with itself."""

_ARITHMETIC: Final = {
    operator.add: "fadd",
    operator.sub: "fsub",
    operator.mul: "fmul",
    operator.truediv: "fdiv",
    operator.neg: "fneg",
}
_FUNCTIONS: Final[dict[np.ufunc, str]] = {
    np.exp: "exp",
    np.log: "log",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arctan: "atan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan2: "atan2",
    np.log1p: "log1p",
    np.expm1: "expm1",
    np.sqrt: "sqrt",
    np.absolute: "fabs",
}
"""The function of the C library for a ufunc."""

_ROUNDED_AS_NUMPY: Final = frozenset(("call sqrt", "call fabs"))

_COMPARISONS: Final = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}


def instruction(node: Node, inputs: Sequence[Node]) -> str | None:
    """What an operation on floats, and of a choice on a truth value, is; None where it is unknown.

    Parameters
    ----------
    node : Node
    inputs : sequence of Node
        What it is of.

    Returns
    -------
    str or None
        ``fadd`` and the like, ``square`` or ``select``; ``fcmp`` or ``call`` with what follows.
    """
    row = node.row
    if row.decision in _COMPARISONS and all(one.dtype.kind != "b" for one in inputs):
        return f"fcmp {_COMPARISONS[row.decision]}"
    if node.dtype != np.float64:
        return None
    if row.evaluate in _ARITHMETIC:
        return _ARITHMETIC[row.evaluate]
    function = function_of(row)
    if function in _FUNCTIONS:
        return f"call {_FUNCTIONS[function]}"
    if function is np.square:
        return SQUARE
    return "select" if row is WHERE and inputs[0].dtype.kind == "b" else None


def is_exact(code: str) -> bool:
    """Whether the result is that of NumPy to the bit."""
    return not code.startswith("call ") or code in _ROUNDED_AS_NUMPY


def symbol(name: str) -> str:
    """What LLVM calls a function of the C library."""
    return f"llvm.{name}.f64" if name in ("sqrt", "fabs") else name


def written_bits(number: Any) -> str:
    """A float, or the bytes of one, by its bits."""
    held = number if isinstance(number, bytes) else np.float64(number).tobytes()
    (bits,) = struct.unpack("=Q", held)
    return f"0x{bits:016X}"
