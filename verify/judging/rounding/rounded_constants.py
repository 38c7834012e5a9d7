"""Constants that are floats near to what was meant: pi, a third, 0.1, and what is made of them.

``2 / np.sqrt(np.pi)`` is rounded before anybody can record it, and the derivative of
``.1*x**3 - .3*x`` is written ``.3*x**2 - .3``, which belongs to a tenth that nobody rounded. In
exact arithmetic such a rule is that of a slightly different function. It is wrong only if it is
so for every value that the constants may stand for, those of the function and those of the
claim. What they may stand for is asked of the programs themselves: both are evaluated again, in
exact arithmetic, with other last digits in every long constant. Short constants (2, 0.5, 1024)
are likely to be meant, and exact.

Last digits are those of the constant itself, whatever stands beside it in an array: 6.7e-11 beside
3e8 is a number in other units. A constant that no decimal of 15 digits gives has been computed,
and carries what that may cost, within a bound. A claim that is excused must still be
told from a wrong one, entry by entry, at its point or beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.process.precision import precision
from symtape.rigorous.enclose import enclose
from symtape.rigorous.matrices import midpoints
from verify.judging.rounding.last_digits import (
    LEAST,
    digits_of,
    float_constants,
    has_residues,
    is_long,
    long_constants,
    units_of,
)
from verify.judging.rounding.programs import last_place
from verify.judging.rounding.tolerances import HALF, LEAST_POWER
from verify.oracles.closed_form import Truth

_MOST: Final = 4
"""Units in the last place by which constants are moved: each may be the result of some operations,
and in a sum of many the errors of some cancel."""

_DRAWS: Final = 8
"""Ways to move all constants at once, each of which is taken forward and back."""

_TRIED: Final = 2
"""Draws after which a gap that is far larger than what they show is not asked of any more."""

_FAR: Final = 2.0**20

_BESIDE: Final = 4.0
"""How many times what constants explain a right claim may be off beside the point."""

_OFFSETS: Final = (2.0**-5, -(2.0**-5), 2.0**-12, -(2.0**-12))
"""Relative steps to points beside one at which entries vanish."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What the last digits of constants may cost a derivative.

    Attributes
    ----------
    parts : list of float arrays
        How far each entry may be from the exact derivative on their account.
    telling : bool
        Whether that is little beside each entry, here or at a point beside.
    """

    parts: list[Any]
    telling: bool

    def covers(self, gaps: Sequence[Any]) -> bool:
        """Whether no entry is farther off than they explain."""
        return all(bool(np.all(gap <= part)) for gap, part in zip(gaps, self.parts, strict=True))

    def confirmable(self, allowed: Sequence[Any], truth: Truth) -> list[Any]:
        """What rounding is allowed; nothing of entries that hang on constants.

        These are measured by what a coarser fault in a constant would cost them.
        """
        found = []
        for bounds, balls, part in zip(allowed, truth.parts, self.parts, strict=True):
            hanging = part >= LEAST_POWER * np.abs(midpoints(balls))
            found.append(np.where(hanging, 0.0, bounds))
        return found

    def clear_claimed(self, claimed: Sequence[Any], truth: Truth) -> list[Any]:
        """The claimed arrays, with the exact entry for each that they may have moved to there."""
        found = []
        for values, balls, part in zip(claimed, truth.parts, self.parts, strict=True):
            middles = midpoints(balls)
            found.append(np.where(abs(values - middles) <= part, middles, values))
        return found


def uncertainty(
    derivative: Graph,
    claimed: Graph | None,
    point: Sequence[Any],
    truth: Truth,
    residues: bool = False,
) -> Uncertainty | None:
    """How far the last digits of their constants may set a claim and the exact derivative apart.

    Parameters
    ----------
    derivative : Graph
        The exact derivative as a program, with the constants of the function.
    claimed : Graph or None
        The program of the claim, where it could be followed.
    point : sequence of arrays
    truth : Truth
    residues : bool
        Whether all that may be left of 0 counts as that, if enough is told apart even so.

    Returns
    -------
    Uncertainty or None
        None where it is not known how far; or where the program of the claim is farther off in
        exact arithmetic.
    """
    programs = [derivative] if claimed is None else [derivative, claimed]
    if not residues:
        narrow = _explain_by_constants(programs, point, truth, np.minimum)
        if narrow is not None or not any(map(has_residues, programs)):
            return narrow
    # What may also be a column in smaller units is left of 0 if enough is told apart even so.
    wide = _explain_by_constants(programs, point, truth, np.maximum)
    return wide if wide is not None and wide.telling else None


def _explain_by_constants(
    programs: Sequence[Graph], point: Sequence[Any], truth: Truth, of_both: Any
) -> Uncertainty | None:
    """As :func:`uncertainty`, where residues are small beside the least or most of two sizes.

    These are of the largest constants in their row and in their column.
    """
    claimed = programs[1:]
    try:
        moving = [_Moving(program, point, truth.precision, of_both) for program in programs]
        # Of a claim that could not be followed there is no gap in exact arithmetic to explain.
        gaps = [_zeros(part) for part in truth.parts] if not claimed else moving[1].gaps(truth)
        parts = _reach(moving, gaps)
    except Unsupported:
        return None
    if parts is None:
        return None
    found = Uncertainty(parts, True)
    # Of complex numbers, products of constants are computed in floats before they are recorded.
    exact = moving[0].holds(truth) or found.covers(moving[0].gaps(truth))
    if not (exact and found.covers(gaps)):
        return None
    hidden = _hidden_entries(parts, truth.parts)
    for away in _OFFSETS:
        if not any(map(np.any, hidden)):
            break
        beside = _move_aside(moving, away)
        if beside is None:
            continue
        shifts = _largest_shifts(beside, range(_DRAWS))
        shown = [~there for there in _hidden_entries(shifts, beside[0].balls)]
        if claimed and _is_told_apart(beside, shifts, map(np.logical_and, hidden, shown)):
            return None
        hidden = [here & ~there for here, there in zip(hidden, shown, strict=True)]
    return replace(found, telling=not any(map(np.any, hidden)))


def _is_told_apart(beside: Sequence[_Moving], shifts: Sequence[Any], asked: Iterable[Any]) -> bool:
    """Whether constants do not explain how claim and derivative differ in some entries."""
    derivative, claimed = (one.balls for one in beside)
    with precision(beside[0].bits):
        gaps = [_distances(a, b, 0.0) for a, b in zip(claimed, derivative, strict=True)]
    return any(
        bool(np.any(flags & (gap > _BESIDE * most)))
        for gap, most, flags in zip(gaps, shifts, asked, strict=True)
    )


def _hidden_entries(parts: Sequence[Any], exact: Sequence[Any]) -> list[Any]:
    """Which entries hang on constants so much that no fault of interesting size would show.

    An entry that is 0 is measured by the largest, for it has no other measure.
    """
    sizes = [np.abs(midpoints(balls)) for balls in exact]
    largest = max(float(np.max(size, initial=0.0)) for size in sizes)
    return [
        ~(part <= LEAST_POWER * np.where(size == 0, largest, size))
        for part, size in zip(parts, sizes, strict=True)
    ]


def _move_aside(moving: Sequence[_Moving], away: float) -> list[_Moving] | None:
    """The programs at a point where what vanishes by chance does not; None on another path."""
    point = [_offset_point(arg, away) for arg in moving[0].point]
    there = [_Moving(one.program, point, one.bits, one.of_both) for one in moving]
    return there if all(one.program.is_followed_by(one.values) for one in there) else None


def _offset_point(arg: Any, away: float) -> Any:
    """Numbers a little off, each relatively; zeros by the measure of the largest."""
    array = np.asarray(arg)
    size = np.abs(array)
    scale = np.where(size == 0, np.max(size, initial=0.0) or 1.0, array)
    turns = 1 + np.arange(array.size).reshape(array.shape) % 7 / 8
    return (array + away * turns * scale).astype(array.dtype)[()]


def _reach(moving: list[_Moving], gaps: list[Any]) -> list[Any] | None:
    """The farthest that entries come; None as soon as a gap is far beyond."""
    first = _largest_shifts(moving, range(_TRIED))
    if any(np.any(gap > _FAR * most) for gap, most in zip(gaps, first, strict=True)):
        return None
    rest = _largest_shifts(moving, range(_TRIED, _DRAWS))
    return [np.maximum(most, some) for most, some in zip(first, rest, strict=True)]


def _largest_shifts(moving: list[_Moving], draws: Iterable[int]) -> list[Any]:
    """The farthest that all programs together move each entry in any of some draws."""
    found = [
        [np.sum(p, axis=0) for p in zip(*(one.draw_moves(draw) for one in moving), strict=True)]
        for draw in draws
    ]
    return [np.max(parts, axis=0) for parts in zip(*found, strict=True)]


class _Moving:
    """A program at a point whose long constants can be moved."""

    def __init__(self, program: Graph, point: Sequence[Any], bits: int, of_both: Any) -> None:
        self.program, self.point, self.bits, self.of_both = program, point, bits, of_both
        self.units = {
            id(node): units_of(np.asarray(node.constant), of_both)
            for node in float_constants(program)
        }
        self.digits = np.array(long_constants(program, digits=True))
        self.balls = enclose(program, point, self.bits)
        self.values = program.values(*point)

    def holds(self, truth: Truth) -> bool:
        """Whether the program is the exact derivative."""
        return all(
            ball.overlaps(exact)
            for part, exacts in zip(self.balls, truth.parts, strict=True)
            for ball, exact in zip(np.ravel(part), np.ravel(exacts), strict=True)
        )

    def gaps(self, truth: Truth) -> list[Any]:
        """How far each entry is from the exact one; infinite where that is not known.

        Less than half a unit in the last place is nothing, as it is of any rule.
        """
        with precision(self.bits):
            gaps = [
                _distances(a, b, math.inf) for a, b in zip(self.balls, truth.parts, strict=True)
            ]
        dtypes = [self.program.nodes[at].dtype for at in self.program.outputs]
        return [
            np.where(gap > HALF * _last_places(balls, dtype), gap, 0.0)
            for gap, balls, dtype in zip(gaps, truth.parts, dtypes, strict=True)
        ]

    def draw_moves(self, draw: int) -> list[Any]:
        """How far each entry moves both when constants go one way and when they go back.

        What moves one way alone is on the boundary of a choice, of which constants are no excuse;
        nor are they of a decision that would come out otherwise, as ``x == 3.7`` does either way:
        decisions stay as they are.
        """
        rng = np.random.default_rng(draw)
        sizes = rng.uniform(LEAST, _MOST, self.digits.size)
        steps = sizes * rng.choice((-1, 1), self.digits.size)
        ahead, back = (self._distances(sign * steps) for sign in (1, -1))
        return [np.minimum(one, other) for one, other in zip(ahead, back, strict=True)]

    def _distances(self, steps: Any) -> list[Any]:
        if not self.digits.size:
            return [_zeros(part) for part in self.balls]
        moved = self._move_constants(steps)
        balls = enclose(_deciding_as(self.values, moved, self.point), self.point, self.bits)
        with precision(self.bits):
            return [_distances(a, b, 0.0) for a, b in zip(balls, self.balls, strict=True)]

    def _move_constants(self, steps: Any) -> Graph:
        """The program with its long constants moved by `steps` units, alike where digits are."""
        known: dict[int, Mapping[str, Any]] = {}

        def move_array(array: Any, units: Any) -> Any:
            at = np.minimum(np.searchsorted(self.digits, digits_of(array)), self.digits.size - 1)
            # By magnitude, so that a constant and its negative move alike.
            shift = np.sign(array) * steps[at] * units
            return (array + np.where(is_long(array), shift, 0)).astype(array.dtype)[()]

        def move_parameter(value: Any) -> Any:
            if type(value) is not float:
                return value
            array = np.asarray(value)
            return float(move_array(array, units_of(array, self.of_both)))

        def renew_node(node: Node) -> Node:
            if id(node) in self.units:
                return replace(
                    node, constant=move_array(np.asarray(node.constant), self.units[id(node)])
                )
            if any(type(value) is float for value in node.params.values()):
                # Nodes of one operation with several outputs share what they are told by identity.
                params = {key: move_parameter(value) for key, value in node.params.items()}
                return replace(node, params=known.setdefault(id(node.params), params))
            return node

        return replace(self.program, nodes=tuple(map(renew_node, self.program.nodes)))


def _deciding_as(values: Sequence[Any], moved: Graph, point: Sequence[Any]) -> Graph:
    """The moved program with the truths, signs and places among `values`, as it had them."""

    def keep_decision(node: Node, value: Any, other: Any) -> Node:
        same = np.asarray(value).tobytes() == np.asarray(other).tobytes()
        if same or not _decides(node):
            return node
        return replace(node, primitive=None, inputs=(), params={}, constant=value, part=None)

    return replace(
        moved, nodes=tuple(map(keep_decision, moved.nodes, values, moved.values(*point)))
    )


def _decides(node: Node) -> bool:
    """Whether the value of a node is locally constant."""
    return node.primitive is not None and (
        node.dtype.kind in "biu" or not any(node.primitive.rules)
    )


def _distances(balls: Any, others: Any, unknown: float) -> Any:
    def gap(one: Any, other: Any) -> float:
        distance = abs(one - other)
        if not distance.is_finite():
            return unknown
        return float(distance.lower()) if not one.overlaps(other) else 0.0

    return np.asarray(np.frompyfunc(gap, 2, 1)(balls, others), dtype=float)


def _last_places(balls: Any, dtype: Any) -> Any:
    places = np.frompyfunc(lambda ball: last_place(ball, dtype), 1, 1)(balls)
    return np.asarray(places, dtype=float)


def _zeros(part: Any) -> Any:
    return np.zeros(np.shape(part))
