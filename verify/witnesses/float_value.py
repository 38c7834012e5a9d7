"""What honest rounding may return: model balls of the derivative's own program, and conditioning.

A model ball encloses every value that a float evaluation of the recorded program may give.
Where balls widen too much to say anything (long loops, cancellation), the first-order effect
of one rounding in every input and every statement of the closed form takes over: it is what the
problem's own conditioning costs any program. Factorisations of matrices, which no program can do
element by element, add what their backward error costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous.adjoint import adjoint_bound
from symtape.rigorous.backward_error import FACTORISATIONS
from symtape.rigorous.rounding import model
from symtape.symbolic.conditioning import conditioning
from verify.witnesses.closed_form import Truth

__all__ = ["Allowance", "allowance", "unit_of"]

NARROW: Final = 2.0**-30
"""A model ball wider than this, relatively, is not trusted to be tight."""

_UNDERFLOWS: Final = 2**20


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


def allowance(program: Graph, point: Sequence[Any], truth: Truth, unit: float) -> Allowance:
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
    coarser = unit / unit_of(program)
    if coarser > 1:
        # Code that could not be followed computes in less precision than its stand-in here.
        costs = _conditioning(truth, point, unit)
        wider = [np.maximum(r * coarser, cost) for r, cost in zip(radii, costs, strict=True)]
        return Allowance(wider, conditioned=True)
    narrow = [
        radius <= NARROW * _scales(part) for radius, part in zip(radii, truth.parts, strict=True)
    ]
    if all(np.all(flags) for flags in narrow):
        return Allowance(radii, conditioned=False)
    costs = _conditioning(truth, point, unit)
    extra = _factorisations(program, point, truth)
    # What underflow may cost a result that is itself about to underflow.
    floor = [np.minimum(radius, _UNDERFLOWS * _least(unit)) for radius in radii]
    chosen = [
        np.where(flags, radius, np.maximum(cost + more, least))
        for flags, radius, cost, more, least in zip(narrow, radii, costs, extra, floor, strict=True)
    ]
    return Allowance(chosen, conditioned=True)


def unit_of(graph: Graph) -> float:
    """Unit roundoff of the least precise float type that a graph computes in; 0 of none."""
    dtypes = {node.dtype for node in graph.nodes if node.dtype.kind == "f"}
    return max((float(np.finfo(dtype).eps) for dtype in dtypes), default=0.0) / 2


def _conditioning(truth: Truth, point: Sequence[Any], unit: float) -> list[Any]:
    return [conditioning(truth.shadow.program, ids, point, unit) for ids in truth.ids]


def _least(unit: float) -> float:
    limits = [np.finfo(dtype) for dtype in (np.float64, np.float32, np.float16)]
    return next(float(limit.smallest_subnormal) for limit in limits if limit.epsneg >= unit)


def _factorisations(program: Graph, point: Sequence[Any], truth: Truth) -> list[Any]:
    used = {node.primitive.name for node in program.nodes if node.primitive is not None}
    if used.isdisjoint(FACTORISATIONS):
        return [0.0] * len(truth.parts)
    try:
        return adjoint_bound(program, point, only=FACTORISATIONS)
    except Unsupported:
        return [0.0] * len(truth.parts)


def _distance(ball: Any, exact: Any) -> Any:
    """The farthest that a value in `ball` can be from `exact`, elementwise."""
    return np.asarray(np.frompyfunc(_farthest, 2, 1)(ball, exact), dtype=float)


def _farthest(ball: Any, exact: Any) -> float:
    gap = abs(ball - exact)
    return float(gap.upper()) if gap.is_finite() else float("inf")


def _scales(part: Any) -> Any:
    """What errors are small beside: each entry itself; the largest, for one that may be zero."""
    sizes = np.asarray(np.frompyfunc(_size, 1, 1)(part), dtype=float)
    return np.where(sizes == 0, np.max(sizes, initial=0.0), sizes)


def _size(ball: Any) -> float:
    return 0.0 if ball.contains(0) else abs(float(ball.mid()))
