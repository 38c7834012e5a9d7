"""Statements that no input moves: constants, and what is computed of constants alone.

``abs(x.imag)`` of a real number is the absolute value of 0. A program does not reduce it to a
constant, and yet no neighbour of the point gives it another value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.symbolic.program import Program
from symtape.symbolic.template import STOP


def which_are_fixed(program: Program) -> Any:
    """Of every statement whether it has the same value at every point, as a mask.

    What is held constant has no derivative, and moves with the inputs all the same.

    Examples
    --------
    >>> program = Program()
    >>> root, other = program.sqrt(program.constant(2)), program.sqrt(program.input())
    >>> which_are_fixed(program)[[root, other]].tolist()
    [True, False]
    """
    flags = np.zeros(len(program), dtype=bool)
    flags[list(program.constants)] = True
    # Arguments stand before what is computed of them.
    for at in np.flatnonzero((np.array(program.highest) < 0) & ~flags).tolist():
        flags[at] = program.templates[at] is not STOP and flags[list(program.arguments[at])].all()
    return flags
