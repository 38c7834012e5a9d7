"""The slopes of one operation by its arguments, at every point of a box: in balls.

As :mod:`symtape.rigorous.slopes`, which has them at one point, in floats.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from flint import arb, arb_series

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.rigorous import matrix_slopes
from symtape.rigorous.deciding import ranks
from symtape.rigorous.jets import functions
from symtape.rigorous.jets.jet import Jet, coefficients
from symtape.rigorous.scalar import UNKNOWN, Ball, enclose_interval, hull, is_narrow, to_ball
from symtape.rigorous.slopes import split_choice, where_from

_LINEAR: Final = frozenset(["linear", "multilinear"])
_PIECES: Final = 4
_MORE_PIECES: Final = 32
_MOST: Final = 4096
"""Slopes of one operation, above which there is no bound."""


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
    row = node.row
    places = [k for k, moves in enumerate(moving) if moves]
    if row.cuts or not places:
        return []
    if row.elementwise:
        return _diagonal(node, args, places)
    if row.structure in _LINEAR:
        return [slope for k in places for slope in _slopes_on_basis(node, args, k, apply)]
    if row.select is not None:
        arrays = ranks(row.name, list(map(_array, args)), str(node.origin))
        chosen = np.asarray(row.select(*arrays, **node.params)).ravel()
    elif row.rounding == (0, 0):
        chosen = where_from(node, [_plain(arg) for arg in args], moving)
    else:
        raise Unsupported(f"{row.name} at {node.origin} has no slopes over a box")
    return [
        Slope(int(r), k, int(c), arb(1))
        for k, part in enumerate(split_choice(chosen, args, moving))
        if part is not None
        for r, c in zip(part.rows, part.columns, strict=True)
    ]


def _diagonal(node: Node, args: Sequence[Any], places: Sequence[int]) -> list[Slope]:
    if not node.shape:
        values = [arg[()] if isinstance(arg, np.ndarray) else arg for arg in args]
        return [Slope(0, k, 0, _partial(node, values, k)) for k in places]
    columns = [
        np.broadcast_to(np.arange(np.size(arg)).reshape(np.shape(arg)), node.shape).ravel().tolist()
        for arg in args
    ]
    flat = [np.ravel(_array(arg)).tolist() for arg in args]
    return [
        Slope(r, k, columns[k][r], _partial(node, entry, k))
        for r in range(math.prod(node.shape))
        for entry in ([values[at[r]] for values, at in zip(flat, columns, strict=True)],)
        for k in places
    ]


def _partial(node: Node, values: Sequence[Any], place: int) -> Ball:
    row = node.row
    if row.slopes is not None:
        balls = [x if type(x) is arb else to_ball(x) for x in values]
        return to_ball(row.slopes(matrix_slopes, balls, place))
    if row.ball is None:
        raise Unsupported(f"{row.name} has no reading in balls")
    if row.stops:
        return arb(1)
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
    assert node.row.ball is not None
    try:
        found = node.row.ball(functions, *elements, **node.params)
    except (AttributeError, NotImplementedError, TypeError) as error:
        raise Unsupported(f"{node.name} has no reading in jets: {error}") from error
    return coefficients(found, 1)[1]


def _slope_across_kink(node: Node, unknown: Ball) -> Ball:
    """Between those of both sides, of what is Lipschitz across its kinks, or of one side only."""
    if node.row.ties == "zero":  # Of absolute values: no row has a jump there.
        return arb(0, 1)
    if node.row.decision in ("largest", "smallest", "condition"):
        return arb(0.5, 0.5)
    return unknown


def _slopes_on_basis(
    node: Node, args: Sequence[Any], place: int, apply: Callable[[Node, list[Any]], Any]
) -> list[Slope]:
    """Of what is linear in an argument."""
    shape = np.shape(args[place])
    if math.prod(shape) * math.prod(node.shape) > _MOST:
        raise Unsupported(f"more than {_MOST} slopes of {node.name} over a box")
    found = []
    for column, index in enumerate(np.ndindex(shape)):
        basis = np.full(shape, arb(0), dtype=object)
        basis[index] = arb(1)
        given = [basis[()] if k == place else arg for k, arg in enumerate(args)]
        values = np.ravel(_array(apply(node, given))).tolist()
        found += [
            Slope(row, place, column, to_ball(value))
            for row, value in enumerate(values)
            if not (type(value) is arb and value.is_zero())
        ]
    return found


def _array(arg: Any) -> Any:
    if isinstance(arg, np.ndarray):
        return arg
    array = np.empty((), dtype=object)
    array[()] = arg
    return array


def _plain(arg: Any) -> Any:
    """An argument without its numbers, which do not matter where elements are only moved."""
    balls = type(arg) is arb or (isinstance(arg, np.ndarray) and arg.dtype == object)
    return np.zeros(np.shape(arg)) if balls else arg
