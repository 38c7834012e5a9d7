"""Suite: the programs of TensorFlow's two guides on automatic differentiation, in NumPy.

Each program is a plain function of its array arguments. Where a guide shows a way of using the
tape (pausing it, nesting it, a gradient of one's own), the case claims what that use of the
tape answers, and the function is what it must then be the derivative of.
"""

from __future__ import annotations

from verify.model.case import Case
from verify.suites.seeds import advanced, introduction, networks

__all__ = ["cases"]


def cases() -> list[Case]:
    """The cases of the suite, in the order of the guides."""
    return [*introduction.cases(), *advanced.cases(), *networks.cases()]
