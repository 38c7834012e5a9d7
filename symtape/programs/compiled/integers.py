"""Whole numbers in loops: their bits lie where those of floats do, and are read as integers.

An operation is on floats, or on int64 alone; what a float operation is given is converted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.choice import WHERE
from symtape.primitives.shape import CAST_TO_DISCRETE
from symtape.programs.compiled.emitters import AS_UFUNC, function_of
from symtape.programs.compiled.instructions import SAME, instruction

INTEGERS: Final = np.dtype(np.int64)

TO_FLOATS: Final = "to_floats"
"""The function that converts int64."""

_BY_A_CONSTANT: Final = (np.remainder, np.floor_divide)
"""Which machine code computes where the divisor is known, and positive."""

_FUNCTIONS: Final = (
    *(np.add, np.subtract, np.multiply, np.negative, np.square),
    *(np.maximum, np.minimum),
    *_BY_A_CONSTANT,
)


def loop_instruction(node: Node, inputs: Sequence[Node], library: str) -> str | None:
    """What an operation on floats, truth values or int64 is in a loop; None where it is unknown.

    Parameters
    ----------
    node : Node
    inputs : sequence of Node
        What it is of.
    library : str
        The one whose functions of floats may round otherwise than NumPy's.

    Returns
    -------
    str or None
        As of :func:`symtape.programs.compiled.instructions.instruction`.
    """
    whole = [one.dtype.kind in "iu" for one in inputs]
    if node.dtype != INTEGERS and not (node.row.compares and all(whole)):
        # NumPy compares int64 with other integers by another rule than as floats.
        is_mixed = any(whole) and any(
            one.constant is None and one.dtype != INTEGERS and is_whole
            for one, is_whole in zip(inputs, whole, strict=True)
        )
        return None if is_mixed else instruction(node, inputs, library)
    if node.row is CAST_TO_DISCRETE:
        return SAME if inputs[0].dtype == INTEGERS else "call to_integers"
    if node.row is WHERE:
        is_choice = inputs[0].dtype.kind == "b" and {x.dtype for x in inputs[1:]} == {INTEGERS}
        return "select" if is_choice else None
    if any(one.dtype != INTEGERS for one in inputs):
        return None
    return _function_instruction(node, inputs)


def _function_instruction(node: Node, inputs: Sequence[Node]) -> str | None:
    row = node.row
    function = row.ufunc if row.compares or row.evaluate in AS_UFUNC else function_of(row)
    if function is not None and row.compares:
        return f"test {function.__name__}_integers"
    if function not in _FUNCTIONS:
        return None
    if function in _BY_A_CONSTANT:
        divisor = inputs[1].constant
        if divisor is None or np.ndim(divisor) or divisor <= 0:
            return None
    return f"call {function.__name__}_integers"


def takes_integers(code: str) -> bool:
    """Whether an instruction of a loop is given int64, and not floats."""
    return code.endswith("_integers") and code != "call to_integers"
