"""Rows that act element by element, as what LLVM does to one float."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.choice import WHERE
from symtape.primitives.elementwise import REAL
from symtape.primitives.row_parts import COMPARISONS
from symtape.primitives.shape import CAST
from symtape.programs.compiled.emitters import AS_UFUNC, function_of
from symtape.programs.compiled.functions import LIBMVEC, NUMPY, function_code, is_exact, is_test

FLOATS: Final = (np.dtype(np.float64), np.dtype(np.float32))
"""Machine code computes both in double precision. What a function of float64 is rounded to is no
float32 of NumPy's own function, but that of arithmetic is, and that of a root.
"""

SQUARE: Final = "square"
"""A product of what is given with itself."""

SAME: Final = "same"
"""What is given, a truth value as a number."""

_ARITHMETIC: Final = {
    operator.add: "fadd",
    operator.sub: "fsub",
    operator.mul: "fmul",
    operator.truediv: "fdiv",
    operator.neg: "fneg",
    operator.pos: SAME,
}

_COMPARED: Final = dict(zip(COMPARISONS, ("olt", "ole", "ogt", "oge", "oeq", "une"), strict=True))

_OF_TRUTHS: Final = {
    np.logical_and: "and",
    np.bitwise_and: "and",
    np.logical_or: "or",
    np.bitwise_or: "or",
    np.logical_xor: "xor",
    np.bitwise_xor: "xor",
    np.logical_not: "not",
    np.invert: "not",
}

_POWERS: Final = {
    2.0: SQUARE,
    3.0: "cube",
    4.0: "fourth",
    -1.0: "reciprocal",
    -2.0: "inverse_square",
    1.5: "root_cubed",
    2.5: "root_to_fifth",
    -0.5: "inverse_root",
    -1.5: "inverse_root_cubed",
}
"""Of an exponent that is known, within the rounding of a power."""

_PLAIN_POWERS: Final = {2.0: SQUARE, 0.5: "call sqrt"}
"""What NumPy itself does with an array and an exponent that is one number."""


def instruction(node: Node, inputs: Sequence[Node], library: str = NUMPY) -> str | None:
    """What an operation on floats, and of a choice on a truth value, is; None where it is unknown.

    Parameters
    ----------
    node : Node
    inputs : sequence of Node
        What it is of.
    library : str
        The one whose functions may round otherwise than NumPy's.

    Returns
    -------
    str or None
        ``fadd`` and the like, ``and`` and the like of truth values, ``square``, ``same`` or
        ``select``; ``fcmp``, ``call`` or ``test`` with what follows.
    """
    row = node.row
    of_truths = [one.dtype.kind == "b" for one in inputs]
    function = row.ufunc if row.evaluate in AS_UFUNC else function_of(row)
    if row.compares and not any(of_truths):
        return f"fcmp {_COMPARED[row.decision]}"
    if node.dtype.kind == "b":
        name = function.__name__ if function else ""
        if is_test(name) and not any(of_truths):
            return f"test {name}"
        return _OF_TRUTHS.get(function) if function and all(of_truths) else None
    if node.dtype not in FLOATS:
        return None
    if node.dtype == np.float32 and library == NUMPY and row.evaluate not in _ARITHMETIC:
        code = instruction(node, inputs, LIBMVEC)
        return code if code and "." not in code else None
    if row is CAST or row is REAL:
        return SAME
    if row is WHERE:
        return "select" if of_truths[0] else None
    if node.params:
        return None
    if row.evaluate in _ARITHMETIC:
        return _ARITHMETIC[row.evaluate]
    if function is np.square:
        return SQUARE
    if row.power and (code := _power(node, inputs[1], library)):
        return code
    name = "fabs" if function is np.absolute else function.__name__ if function else row.name
    code = function_code(name, function, library)
    return None if code is None else f"call {code}"


def _power(node: Node, exponent: Node, library: str) -> str | None:
    """A power whose exponent is one number."""
    if exponent.constant is None or np.size(exponent.constant) != 1:
        return None
    number = float(np.ravel(exponent.constant)[0])
    if node.shape and not exponent.shape and number in _PLAIN_POWERS:
        return _PLAIN_POWERS[number]
    if library == NUMPY or number not in _POWERS:
        return None
    code = _POWERS[number]
    return code if code == SQUARE else f"call {library}.{code}"


@functools.cache  # instructions of the table
def is_as_numpy(code: str) -> bool:
    """Whether the result is that of NumPy to the bit."""
    return not code.startswith("call ") or is_exact(code[5:])


def is_truth(code: str) -> bool:
    """Whether the result is a truth value."""
    kind = code.partition(" ")[0]
    return kind in ("fcmp", "test", "and", "or", "xor", "not")
