"""What a right formula loses in floats: the first value out of range, and avoidable digits.

Avoidable loss: digits that a program loses, though the problem does not cost them. What rounding
may cost is judged by the statements of a program and of the closed form, and where these cancel it
is no measure any more. Two things are then left to ask. Does moving the inputs by a unit in the
last place move the exact derivative? And does symtape's own tape, at the same point, come out
right? If it does, and the derivative hardly moves, then a value without a right digit is the doing
of the program that computed it. See N. J. Higham, Accuracy and Stability of Numerical Algorithms,
2nd ed., 1.6, on the conditioning of a problem and the stability of a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import SymtapeError, Unsupported
from symtape.graph.graph import Graph, Node
from symtape.process.precision import precision
from symtape.rigorous.backward_error import backward_stable
from symtape.rigorous.enclose import Reading
from symtape.rigorous.matrices import midpoints
from symtape.rigorous.scalar import list_entries
from verify.files import places
from verify.judging.diagnosis.blame import Blame
from verify.judging.kinks.search import quote
from verify.judging.rounding.float_value import Allowance, distance, flush_allowance, unit_of
from verify.judging.rounding.programs import Point, Programs
from verify.judging.rounding.tolerances import FEW, LEAST_POWER

_BITS: Final = 300

_LOST: Final = 2.0**-10
"""Digits are lost where a value is off by more than this, relatively."""

_GRADES: Final = ("overflows", "underflows", "loses digits")


def find_range_error(program: Graph, point: Sequence[Any]) -> Blame | None:
    """The first operation of a program whose float value has left the exact one.

    Overflow is told before underflow, and both before digits that cancel: what follows from an
    infinity may look like anything.

    The program is a claim's own, and right in exact arithmetic.

    Returns
    -------
    Blame or None
        None where nothing of the kind is seen, or a value has no reading in balls.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> def f(x):
    ...     return np.exp(x) / (1 + np.exp(x))
    >>> find_range_error(symtape.record(f, 1.0), [800.0]).words.partition(",")[0]
    'exp(800.0) overflows'
    """
    try:
        with precision(_BITS), np.errstate(all="ignore"):
            found = list(_range_errors(program, point))
    except (SymtapeError, ArithmeticError, LookupError, TypeError, ValueError):
        return None
    for grade in _GRADES:
        for how, node, words in found:
            if how == grade:
                return Blame(node.name, places.place_of_origin(node.origin), words)
    return None


def _range_errors(program: Graph, point: Sequence[Any]) -> Iterator[tuple[str, Node, str]]:
    values = program.values(*point)
    reading = Reading(program, point)
    meanings = program.interpret(
        [reading.read_input(np.asarray(x)) for x in point], reading.constant, reading.apply
    )
    told: set[str] = set()
    for at, node in enumerate(program.nodes):
        if node.primitive is None or node.dtype.kind != "f" or len(told) == len(_GRADES):
            continue
        given = [np.asarray(values[i]) for i in node.inputs]
        pairs = zip(np.ravel(values[at]).tolist(), list_entries(meanings[at]), strict=True)
        for position, (value, ball) in enumerate(pairs):
            how = _describe_range_error(value, ball, node.dtype)
            if how and how not in told:
                told.add(how)
                yield how, node, _words(node, given, position, value, ball, how)
                break


def _describe_range_error(value: float, ball: Any, dtype: np.dtype[Any]) -> str:
    """In which way a float has left the exact value; empty if it has not."""
    if not isinstance(ball, arb) or not ball.is_finite():
        return ""
    limits = np.finfo(dtype)
    if not np.isfinite(value):
        return "overflows" if abs(ball) > float(limits.max) else ""
    if ball.contains(0) or abs(ball - value) < abs(ball) * _LOST:
        return ""
    return "underflows" if abs(ball) < float(limits.smallest_normal) else "loses digits"


def _words(node: Node, given: list[Any], position: int, value: float, ball: Any, how: str) -> str:
    arguments = quote(_elements(node, given, position))
    place = places.place_of_origin(node.origin)
    where = f", at {places.relative(place)}" if place else ""
    exact = ball.str(6, radius=False)
    dtype = "" if node.dtype == np.float64 else f" in {node.dtype}"
    if how == "overflows":
        return f"{node.name}({arguments}) overflows{dtype}, and its exact value is {exact}{where}"
    if how == "underflows":
        return (
            f"{node.name}({arguments}) underflows{dtype} to {value!r}, and its exact value is "
            f"{exact}{where}"
        )
    return (
        f"{node.name}({arguments}) loses its digits{dtype}: it gives {value!r} instead of "
        f"{exact}{where}"
    )


def _elements(node: Node, given: list[Any], position: int) -> list[Any]:
    """The inputs of one element, where the operation is elementwise."""
    row = node.row
    if not row.elementwise:
        return given
    index = tuple(int(k) for k in np.unravel_index(position, node.shape)) if node.shape else ()
    return [np.broadcast_to(x, node.shape)[index] for x in given]


_MOST_COORDINATES: Final = 32


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
        for bounds, size in zip(allowed, sizes, strict=True)
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
    return [
        np.where(flags, np.minimum(bounds, known), bounds)
        for flags, bounds, known in zip(hidden, allowed, explained, strict=True)
    ]


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
