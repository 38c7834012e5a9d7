"""Whether a solver of SciPy's is deciding where to look next.

Its iterations compare values, and what they return may depend on nothing but comparisons: recorded
as they are, they have another derivative than the solution, or none.
"""

from __future__ import annotations

import sys
from typing import Final

from symtape.recording.origin import users_frame

ITERATION: Final = "an iteration of a solver"
"""How a value leaves that a solver compares."""

_SOLVERS: Final = "scipy.optimize."
_OTHERS: Final = ("_numdiff", "_linesearch", "_basinhopping")
"""Modules there that solve nothing, or choose among the solutions of others."""


def is_deciding() -> bool:
    """Whether the innermost line, of those now running, is one of a solver."""
    if "scipy.optimize" not in sys.modules:
        return False
    frame = users_frame()
    name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name.startswith(_SOLVERS) and not name.endswith(_OTHERS)
