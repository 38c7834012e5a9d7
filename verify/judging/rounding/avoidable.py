"""Avoidable loss: digits that a program loses, though the problem does not cost them.

What rounding may cost is judged by the statements of a program and of the closed form, and where
these cancel it is no measure any more. Two things are then left to ask. Does moving the inputs by
a unit in the last place move the exact derivative? And does symtape's own tape, at the same point,
come out right? If it does, and the derivative hardly moves, then a value without a right digit is
the doing of the program that computed it. See N. J. Higham, Accuracy and Stability of Numerical
Algorithms, 2nd ed., 1.6, on the conditioning of a problem and the stability of a program.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous.backward_error import backward_stable
from symtape.rigorous.exact import midpoints
from verify.judging.rounding.float_value import Allowance, distance, flush_allowance, unit_of
from verify.judging.rounding.programs import Point, Programs
from verify.judging.rounding.tolerances import FEW, LEAST_POWER

_MOST_COORDINATES: Final = 32


_BITS: Final = 300


def tighten_allowance(
    program: Graph, allowed: Allowance, point: Point, programs: Programs | None
) -> Allowance | None:
    """The allowance without what neither the problem nor the tape explains.

    Only entries are touched whose allowance hides every digit. Programs with factorisations are
    left alone: their errors are small beside the largest entry, which is all that can be asked.

    Parameters
    ----------
    program : Graph
        The claim's own.
    allowed : Allowance
    point : Point
    programs : Programs or None
        With the tape's derivative; None where that is what is judged, and no measure.

    Returns
    -------
    Allowance or None
        None where there is nothing to tighten, or where it would take too long to know.

    Examples
    --------
    The derivative of tanh at 60 is 3e-52, hardly moves with its input, and is at hand for any
    program that does not subtract from 1.

    >>> import numpy as np, verify
    >>> verify.gradient(np.tanh, at=[60.0], claimed=lambda x: 1 - np.tanh(x) ** 2).verdict
    <Verdict.INACCURATE: 'INACCURATE'>
    """
    if backward_stable(program):
        return None
    sizes = [np.abs(midpoints(part)) for part in point.exact.parts]
    largest = max((float(np.max(size, initial=0.0)) for size in sizes), default=0.0)
    hidden = [
        (bounds > np.maximum(size / 2, LEAST_POWER * largest)) & (size > 0)
        for bounds, size in zip(allowed.parts, sizes, strict=True)
    ]
    if not any(map(np.any, hidden)) or sum(map(np.size, point.x)) > _MOST_COORDINATES:
        return None
    try:
        moved = _derivative_shifts(point)
        missed = [0.0] * len(moved) if programs is None else _tape_errors(point, programs)
    except (ArithmeticError, LookupError, Unsupported, ValueError):
        return None
    floor = flush_allowance(point.exact, unit_of(program))
    explained = [
        np.maximum(np.maximum(LEAST_POWER * size, FEW * (move + miss)), least)
        for size, move, miss, least in zip(sizes, moved, missed, floor, strict=True)
    ]
    parts = [
        np.where(flags, np.minimum(bounds, known), bounds)
        for flags, bounds, known in zip(hidden, allowed.parts, explained, strict=True)
    ]
    return Allowance(parts, conditioned=True)


def _derivative_shifts(point: Point) -> list[Any]:
    """How far the exact derivative moves when each input does by one unit; nan: not known."""
    total = [np.zeros(part.shape) for part in point.exact.parts]
    for number, arg in enumerate(point.x):
        for at in np.ndindex(np.shape(arg)):
            beside = np.array(arg)
            beside[at] += np.spacing(beside[at])
            x = (*point.x[:number], beside[()], *point.x[number + 1 :])
            there = point.exact.enclose(x, max(_BITS, point.exact.precision))
            total = [
                sums + distance(ours, theirs)
                for sums, ours, theirs in zip(total, point.exact.parts, there, strict=True)
            ]
    return [np.where(np.isnan(sums), np.inf, sums) for sums in total]


def _tape_errors(point: Point, programs: Programs) -> list[Any]:
    """How far the tape's own float value is off."""
    found = programs.reference(point).evaluate(*point.x)
    return [
        distance(part, np.asarray(value, dtype=float))
        for part, value in zip(point.exact.parts, found, strict=True)
    ]
