"""Code that nobody could follow, or without a reading in balls: only what it returned is known.

What is within rounding stands, and what is grossly off is refuted. In between such code may
subtract what its stand-in does not: then the values that the function itself computes with say how
large the terms may be, and so what is lost where they cancel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from symtape.graph.graph import Graph
from symtape.rigorous.matrices import midpoints
from verify.judging.rounding.float_value import Allowance
from verify.judging.rounding.programs import Point
from verify.judging.rounding.tolerances import CANCELS, FEW, LEAST_POWER, LITTLE, SEVERAL, UNSEEN
from verify.oracles.closed_form import Truth


def allow_cancellation(allowed: Allowance, point: Point, unit: float) -> Allowance:
    """`allowed`, or a few roundings of terms that cancel, where these leave most digits.

    Examples
    --------
    In ``1 - math.tanh(x)**2`` the terms are of size 1, and the derivative of tanh at 4 is 0.0013.

    >>> import math, numpy as np, verify
    >>> verify.gradient(np.tanh, at=[4.0], claimed=lambda x: 1 - math.tanh(x) ** 2).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return [
        np.maximum(part, np.where(FEW * bound <= LEAST_POWER * _sizes(exact), FEW * bound, 0.0))
        for part, bound, exact in zip(allowed, terms(point, unit), point.exact.parts, strict=True)
    ]


def cap_allowance(allowed: Allowance, point: Point, unit: float) -> Allowance:
    """A little more than `allowed`, or than a few roundings of terms that cancel.

    What is beyond is no rounding. What is within may be, and that is all that can be said: terms
    may here be as large as the inputs and constants, too. Where rounding may cost many units
    already, by its balls, there is no more.
    """
    bounds = _terms(point, unit, range(len(point.values)))
    return [
        np.maximum.reduce([part, LITTLE * np.minimum(part, SEVERAL * unit * size), FEW * bound])
        for part, size, bound in zip(allowed, map(_sizes, point.exact.parts), bounds, strict=True)
    ]


def cap_constants(allowed: Allowance, honest: Allowance, point: Point, unit: float) -> Allowance:
    """What rounding may cost numbers that a claim holds, and does not compute.

    Its own balls reach from what it says to the exact value, whatever that is. What counts is what
    the derivative of the tape may cost, and what the largest entry may have lost: the numbers were
    computed, and rounded, before anybody could record it.
    """
    largest = [UNSEEN * unit * np.max(_sizes(part), initial=0.0) for part in point.exact.parts]
    return [
        np.minimum(part, np.maximum(other, most))
        for part, other, most in zip(allowed, honest, largest, strict=True)
    ]


def terms(point: Point, unit: float) -> list[Any]:
    """A rounding of the terms of a derivative, for entries that are much smaller; 0 for others.

    Terms are as large as what the function computes, for each unit of its inputs where these are
    large. What it is given says nothing of them: ``k0(22.5)`` is of size 1e-11, and so is all from
    which its derivative is computed. What rounding the inputs costs is allowed for without it.
    """
    return _terms(point, unit, _computed_nodes(point.graph))


def _terms(point: Point, unit: float, among: Iterable[int]) -> list[Any]:
    nodes = point.graph.nodes
    values = [_largest(point.values[at]) for at in among if nodes[at].dtype.kind == "f"]
    inputs = max(map(_largest, point.x), default=0.0)
    size = max(values, default=0.0) / max(inputs, 1.0)
    return [
        np.where(CANCELS * _sizes(part) <= size, unit * size, 0.0) for part in point.exact.parts
    ]


def _computed_nodes(graph: Graph) -> list[int]:
    """The nodes that are neither inputs or constants nor these moved without a rounding."""
    given: set[int] = set()
    for at, node in enumerate(graph.nodes):
        moved = node.primitive is None or node.primitive.rounding == (0, 0)
        if moved and given.issuperset(node.inputs):
            given.add(at)
    return [at for at in range(len(graph.nodes)) if at not in given]


def grossly(
    allowed: Allowance, claimed: Sequence[Any], truth: Truth, unknown: bool = True
) -> Allowance:
    """`allowed`, or a thousandth of the largest entry if that is more.

    Parameters
    ----------
    allowed : Allowance
        What rounding may cost.
    claimed : sequence of float arrays
    truth : Truth
        If all of it is 0 there is no measure, and everything is allowed.
    unknown : bool
        Whether it is not known what rounding may cost; else `allowed` is all that there is.
    """
    if not unknown:
        return allowed
    exact = max((_largest(midpoints(part)) for part in truth.parts), default=0.0)
    size = max([exact, *(_largest(part) for part in claimed)])
    least = LEAST_POWER * size if exact else np.inf
    return [np.maximum(part, least) for part in allowed]


def _sizes(part: Any) -> Any:
    return np.abs(midpoints(part))


def _largest(part: Any) -> float:
    sizes = np.abs(np.asarray(part, dtype=float))
    return float(np.max(sizes[np.isfinite(sizes)], initial=0.0))
