"""The slopes of one operation by its arguments, at every point of a box: in balls.

As :mod:`symtape.rigorous.slopes`, which has them at one point, in floats.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from flint import arb, arb_series

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.rigorous import matrix_slopes
from symtape.rigorous.deciding import ranks
from symtape.rigorous.jets.jet import Jet
from symtape.rigorous.scalar import UNKNOWN, Ball, enclose_interval, hull, is_narrow, to_ball
from symtape.rigorous.slopes import Numbers, Slopes, expand_element, slopes

_PIECES: Final = 4
_MORE_PIECES: Final = 32


class Slope(NamedTuple):
    """The slope of an element of a result by an element of an argument.

    Attributes
    ----------
    row, place, column : int
        The element of the result, the argument, and its element.
    value : Ball
        All that it may be in the box; not finite where that is unknown.
    """

    row: int
    place: int
    column: int
    value: Ball


def box_slopes(
    node: Node,
    args: Sequence[Any],
    moving: Sequence[bool],
    apply: Callable[[Node, list[Any]], Any],
) -> list[Slope]:
    """The slopes of an operation by its arguments.

    Parameters
    ----------
    node : Node
        Of one output.
    args : sequence
        Balls or object arrays of balls: all that the arguments may be.
    moving : sequence of bool
        Which arguments are asked for.
    apply : callable ``(node, args) -> meaning``
        The operation on balls.

    Raises
    ------
    Unsupported
        The operation is neither elementwise nor linear, and moves no elements; or what it
        chooses is undecided.
    """
    if node.row.elementwise and not node.shape and not node.row.cuts:
        values = [arg[()] if isinstance(arg, np.ndarray) else arg for arg in args]
        return [Slope(0, k, 0, _partial(node, values, k)) for k, by in enumerate(moving) if by]
    return [
        Slope(row, k, column, value)
        for k, part in enumerate(slopes(node, args, [node.shape], moving, _Balls(apply)))
        if part is not None
        for row, column, value in zip(*map(np.ndarray.tolist, part), strict=True)
    ]


class _Balls(Numbers):
    """All that arguments may be in a box."""

    dtype = object
    most = 4096

    def __init__(self, apply: Callable[[Node, list[Any]], Any]) -> None:
        self._apply = apply

    def apply(self, node: Node, args: list[Any]) -> Any:
        return np.frompyfunc(to_ball, 1, 1)(self._apply(node, args))

    def rank(self, node: Node, args: Sequence[Any]) -> Sequence[Any]:
        return ranks(node.name, [np.asarray(arg) for arg in args], str(node.origin))

    def partials(self, node: Node, args: Sequence[Any], place: int, shape: tuple[int, ...]) -> Any:
        return self.partial_by_element(_partial, node, args, place, shape)

    def slopes_of_whole(self, node: Node, args: Sequence[Any], place: int) -> Slopes:
        raise Unsupported(f"{node.name} at {node.origin} has no slopes over a box")


def _partial(node: Node, values: Sequence[Any], place: int) -> Ball:
    row = node.row
    if row.slopes is not None:
        return to_ball(row.slopes(matrix_slopes, list(map(to_ball, values)), place))
    moving = values[place]
    if row.decision == "condition" or is_narrow(moving):
        slope = _jet_slope(node, values, place)
    else:
        slope = _slope_in_pieces(node, values, place, _PIECES)
        slope = slope if slope.is_finite() else _slope_in_pieces(node, values, place, _MORE_PIECES)
    return slope if slope.is_finite() else _slope_across_kink(node, slope)


def _slope_in_pieces(node: Node, values: Sequence[Any], place: int, count: int) -> Ball:
    """The hull of the slopes on parts of a wide ball, for jets are made for narrow ones."""
    low, high = values[place].lower(), values[place].upper()
    ends = [low + (high - low) * k / count for k in range(count + 1)]
    slopes = []
    for below, above in itertools.pairwise(ends):
        part = enclose_interval(below.lower(), above.upper())
        slopes.append(_jet_slope(node, [*values[:place], part, *values[place + 1 :]], place))
        if not slopes[-1].is_finite():
            return UNKNOWN
    return hull(*slopes)


def _jet_slope(node: Node, values: Sequence[Any], place: int) -> Ball:
    elements = [
        Jet(arb_series([x, 1]))
        if k == place
        else x
        if x is None or isinstance(x, bool | np.bool_)
        else Jet(to_ball(x))
        for k, x in enumerate(values)
    ]
    return expand_element(node, elements)


def _slope_across_kink(node: Node, unknown: Ball) -> Ball:
    """Between those of both sides, of what is Lipschitz across its kinks, or of one side only."""
    if node.row.ties == "zero":  # Of absolute values: no row has a jump there.
        return arb(0, 1)
    if node.row.decision in ("largest", "smallest", "condition"):
        return arb(0.5, 0.5)
    return unknown
