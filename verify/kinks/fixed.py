"""Statements that no input moves: constants, and what is computed of constants alone.

``abs(x.imag)`` of a real number is the absolute value of 0. A program does not reduce it to a
constant, and yet no neighbour of the point gives it another value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.symbolic.program import Program
from symtape.symbolic.template import STOP


def is_fixed(program: Program, statement: int) -> bool:
    """Whether a statement has the same value at every point.

    Examples
    --------
    >>> program = Program()
    >>> x = program.input()
    >>> is_fixed(program, program.sqrt(program.constant(2))), is_fixed(program, program.sqrt(x))
    (True, False)
    """
    waiting, seen = [statement], {statement}
    while waiting:
        at = waiting.pop()
        # What is held constant has no derivative, and moves with the inputs all the same.
        if program.highest[at] >= 0 or program.templates[at] is STOP:
            return False
        new = set(program.arguments[at]) - seen
        seen |= new
        waiting.extend(new)
    return True


def which_are_fixed(program: Program) -> Any:
    """Of every statement whether it is fixed, as a mask."""
    flags = np.zeros(len(program), dtype=bool)
    flags[list(program.constants)] = True
    # Arguments stand before what is computed of them.
    for at in np.flatnonzero((np.array(program.highest) < 0) & ~flags).tolist():
        flags[at] = program.templates[at] is not STOP and flags[list(program.arguments[at])].all()
    return flags
