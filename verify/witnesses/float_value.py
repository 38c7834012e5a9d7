"""What honest rounding may return: model balls of the derivative's own program, and conditioning.

A model ball encloses every value that a float evaluation of the recorded program may give.
Where balls widen too much to say anything (long loops, cancellation), the first-order effect
of one rounding in every statement of the closed form takes over: it is what the problem's own
conditioning costs any program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.rigorous.rounding import model
from symtape.symbolic.conditioning import conditioning
from verify.witnesses.closed_form import Truth

__all__ = ["Allowance", "allowance"]

NARROW: Final = 2.0**-30
"""A model ball wider than this, relatively, is not trusted to be tight."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How far from the exact derivative honest floats may be, entry by entry.

    Attributes
    ----------
    parts : list of float arrays
        Absolute, for each part of the derivative.
    conditioned : bool
        Whether the conditioning of the closed form was asked, and not the balls alone.
    """

    parts: list[Any]
    conditioned: bool


def allowance(
    program: Graph, point: Sequence[Any], truth: Truth, unit: float
) -> Allowance:
    """What rounding may cost the derivative, by balls where they are narrow.

    Parameters
    ----------
    program : Graph
        The claim's own; for one that cannot be followed, that of symtape's tape.
    point : sequence of arrays
    truth : Truth
    unit : float
        Unit roundoff of the claim's dtype.
    """
    balls = model(program, point)
    radii = [_distance(ball, exact) for ball, exact in zip(balls, truth.parts, strict=True)]
    narrow = [
        radius <= NARROW * _sizes(part) for radius, part in zip(radii, truth.parts, strict=True)
    ]
    if all(np.all(flags) for flags in narrow):
        return Allowance(radii, conditioned=False)
    costs = _conditioning(truth, point, unit)
    chosen = [
        np.where(flags, radius, cost)
        for flags, radius, cost in zip(narrow, radii, costs, strict=True)
    ]
    return Allowance(chosen, conditioned=True)


def _conditioning(truth: Truth, point: Sequence[Any], unit: float) -> list[Any]:
    return [conditioning(truth.shadow.program, ids, point, unit) for ids in truth.ids]


def _distance(ball: Any, exact: Any) -> Any:
    """The farthest that a value in `ball` can be from `exact`, elementwise."""
    return np.asarray(np.frompyfunc(_farthest, 2, 1)(ball, exact), dtype=float)


def _farthest(ball: Any, exact: Any) -> float:
    gap = abs(ball - exact)
    return float(gap.upper()) if gap.is_finite() else float("inf")


def _sizes(part: Any) -> Any:
    return np.asarray(np.frompyfunc(lambda ball: abs(float(ball.mid())), 1, 1)(part), dtype=float)
