"""Suite: the programs of TensorFlow's two guides on automatic differentiation, in NumPy.

Each program is a plain function of its array arguments. Where a guide shows a way of using the
tape (pausing it, nesting it, a gradient of one's own), the case claims what that use of the
tape answers, and the function is what it must then be the derivative of.
"""

from __future__ import annotations

from verify.model.case import Case
from verify.suites.problem import programs_of
from verify.suites.seeds import advanced, introduction, networks


def cases() -> list[Case]:
    """The cases of the suite, in the order of the guides."""
    return programs_of(*(guide.__name__ for guide in (introduction, advanced, networks)))
