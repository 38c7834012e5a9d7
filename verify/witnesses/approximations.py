"""Branches of a claim that approximate: a series near a removable point, an asymptote far out.

Code that is right in floats often takes a short series where the formula cancels. In exact
arithmetic that is another function; where it differs from the derivative by less than half a
unit in the last place, no float can tell, and the values decide. Only code that chooses between
branches is read so: a rule of one formula is held to exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.precision import precision
from symtape.rigorous.enclose import enclose
from verify.witnesses.closed_form import Truth

__all__ = ["approximates"]

_CHOOSING: Final = frozenset({"where", "clip", "maximum", "minimum", "choose", "select"})


def approximates(program: Graph, point: Sequence[Any], truth: Truth, unit: float) -> bool:
    """Whether a program takes one of several branches, as good here as the exact derivative.

    Parameters
    ----------
    program : Graph
        The claim's own.
    point : sequence of arrays
    truth : Truth
    unit : float
        Unit roundoff of the claim's dtype.
    """
    names = {node.name for node in program.nodes if node.primitive is not None}
    if not program.path and names.isdisjoint(_CHOOSING):
        return False
    balls = enclose(program, point, truth.precision)
    with precision(truth.precision):
        return all(
            _near(ball, exact, unit)
            for part, balls_of_part in zip(truth.parts, balls, strict=True)
            for ball, exact in zip(np.ravel(balls_of_part), np.ravel(part), strict=True)
        )


def _near(ball: Any, exact: Any, unit: float) -> bool:
    return bool(abs(ball - exact) <= abs(exact) * unit or ball.overlaps(exact))
