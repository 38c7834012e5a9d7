"""The slopes of one operation by its arguments, in floats, without any rule for a derivative.

Elementwise operations are expanded in jets, element by element. What only moves elements is told
by where indices end up, and what is linear in an argument by its values on a basis. Of solutions,
inverses and determinants the perturbation is known; all else is expanded in jets along each axis.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from flint import arb_series

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.rigorous import matrix_slopes
from symtape.rigorous.jets import functions
from symtape.rigorous.jets.jet import Germ, Jet, coefficients
from symtape.rigorous.jets.reading import Expansion
from symtape.rigorous.matrix_slopes import slopes_by_perturbation
from symtape.rigorous.scalar import to_ball

_BITS: Final = 64

_LINEAR: Final = frozenset(["linear", "multilinear"])

_BEYOND: Final = 2.0**50
"""Numbers of elements start here, where no constant beside them is taken for one."""

_MOST: Final = 2**20
"""Entries of a matrix of slopes, above which none is made."""


class Slopes(NamedTuple):
    """A sparse matrix: rows are elements of the result, columns elements of the argument."""

    rows: Any
    columns: Any
    values: Any


def slopes(
    node: Node,
    args: Sequence[Any],
    shapes: Sequence[tuple[int, ...]],
    moving: Sequence[bool],
) -> list[Slopes | None]:
    """The slopes of an operation by each argument; None by one that has none.

    Parameters
    ----------
    node : Node
        Of several outputs any one: the results of all are joined end to end.
    args : sequence of arrays
        Values.
    shapes : sequence of tuple of int
        Of the outputs.
    moving : sequence of bool
        Which arguments are asked for; the others are exact.

    Raises
    ------
    Unsupported
        The operation has no reading in jets, or too many slopes.
    """
    row = node.row
    if row.cuts or row.stops or not any(moving):
        return [None] * len(args)
    if row.elementwise:
        return [
            _diagonal(_partials(row, node, args, k, shapes[0]), np.shape(args[k]))
            if moves
            else None
            for k, moves in enumerate(moving)
        ]
    if row.structure in _LINEAR:
        return [
            _slopes_on_basis(node, args, k) if moves else None for k, moves in enumerate(moving)
        ]
    if row.select is not None:
        chosen = np.asarray(row.select(*args, **node.params)).ravel()
        return split_choice(chosen, args, moving)
    if row.rounding == (0, 0):
        return split_choice(where_from(node, args, moving), args, moving)
    return [_slopes_of_whole(node, args, k) if moves else None for k, moves in enumerate(moving)]


def _diagonal(partial: Any, shape: tuple[int, ...]) -> Slopes:
    """Of an elementwise operation: `partial` in the shape of the result."""
    used = np.arange(math.prod(shape)).reshape(shape)
    columns = np.broadcast_to(used, partial.shape).ravel()
    return Slopes(np.arange(partial.size), columns, partial.ravel())


def _slopes_of_whole(node: Node, args: Sequence[Any], place: int) -> Slopes:
    known = slopes_by_perturbation(node.row, args, place, node.params)
    return _slopes_by_jets(node, args, place) if known is None else _entries(known)


def _partials(
    row: Primitive, node: Node, args: Sequence[Any], place: int, shape: tuple[int, ...]
) -> Any:
    if row.slopes is not None:
        # A constant may be Python's own number, whose quotient by 0 raises.
        floats = [np.asarray(arg, np.float64) for arg in args]
        with np.errstate(all="ignore"):
            found: Any = np.asarray(row.slopes(matrix_slopes, floats, place), np.float64)
        return np.broadcast_to(found, shape)
    spread = [np.broadcast_to(arg, shape).ravel().tolist() for arg in args]
    charge(3 * max(len(spread[0]), 1))
    with precision(_BITS, 2):
        each = [_partial(row, node, values, place) for values in zip(*spread, strict=True)]
    return np.array(each, dtype=np.float64).reshape(shape)


def _partial(row: Primitive, node: Node, values: Sequence[Any], place: int) -> float:
    """The slope at one element; at a kink the larger of both sides."""
    if (slope := _slope(row, node, values, place, Jet, 1)) is not None:
        return slope
    sides = [_slope(row, node, values, place, Germ, speed) for speed in (1, -1)]
    return max((abs(side) if side is not None else math.inf for side in sides), default=math.inf)


def _slope(
    row: Primitive, node: Node, values: Sequence[Any], place: int, kind: type[Jet], speed: int
) -> float | None:
    if row.ball is None:
        raise Unsupported(f"{row.name} has no reading in balls")
    elements = [
        x if isinstance(x, bool) else kind(arb_series([x, speed])) if k == place else to_ball(x)
        for k, x in enumerate(values)
    ]
    try:
        found = row.ball(functions, *elements, **node.params)
    except (AttributeError, NotImplementedError, TypeError) as error:
        raise Unsupported(f"{row.name} has no reading in jets: {error}") from error
    slope = coefficients(found, 1)[1]
    return float(slope) if slope.is_finite() else None


def _slopes_on_basis(node: Node, args: Sequence[Any], place: int) -> Slopes:
    """Of what is linear in an argument."""
    row, x = node.primitive, np.asarray(args[place])
    assert row is not None
    columns = []
    for index in _axes(x.shape, math.prod(node.shape)):
        basis = np.zeros(x.shape)
        basis[index] = 1.0
        given = [basis if k == place else arg for k, arg in enumerate(args)]
        columns.append(np.ravel(row.evaluate(*given, **node.params)))
    return _stack_columns(columns, math.prod(node.shape))


def _slopes_by_jets(node: Node, args: Sequence[Any], place: int) -> Slopes:
    graph = _isolate_node(node, args)
    size = sum(math.prod(graph.nodes[at].shape) for at in graph.outputs)
    shape = np.shape(args[place])
    columns = []
    with precision(_BITS, 2):
        reading = Expansion(graph, list(args))
        for index in _axes(shape, size):
            direction = [np.zeros(np.shape(arg)) for arg in args]
            direction[place][index] = 1.0
            parts = reading.along(direction)
            columns.append([float(coefficients(v, 1)[1]) for part in parts for v in part.ravel()])
    return _stack_columns(columns, size)


def _isolate_node(node: Node, args: Sequence[Any]) -> Graph:
    """The graph of one operation."""
    inputs = tuple(
        Node(None, (), {}, np.shape(arg), np.asarray(arg).dtype, node.origin) for arg in args
    )
    row = node.row
    given = tuple(range(len(inputs)))
    if node.part is None:
        return Graph(
            (*inputs, _make_output_node(node, given, None, node.shape)), given, (len(inputs),)
        )
    results = row.evaluate(*args, **node.params)
    nodes = [
        _make_output_node(node, given, part, np.shape(value)) for part, value in enumerate(results)
    ]
    outputs = tuple(range(len(inputs), len(inputs) + len(nodes)))
    return Graph((*inputs, *nodes), given, outputs)


def _make_output_node(
    node: Node, given: tuple[int, ...], part: int | None, shape: tuple[int, ...]
) -> Node:
    return Node(node.primitive, given, node.params, shape, node.dtype, node.origin, part=part)


def _axes(shape: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    if math.prod(shape) * size > _MOST:
        raise Unsupported(f"more than {_MOST} slopes of one operation")
    charge(math.prod(shape) * max(size, 1))
    yield from np.ndindex(shape)


def _stack_columns(columns: Sequence[Any], size: int) -> Slopes:
    return _entries(np.array(columns, dtype=np.float64).reshape(len(columns), size).T)


def _entries(matrix: Any) -> Slopes:
    rows, columns = np.nonzero(matrix)
    return Slopes(rows, columns, matrix[rows, columns])


def where_from(node: Node, args: Sequence[Any], moving: Sequence[bool]) -> Any:
    """For each element of the result the number of the element that it is, below 0 for others."""
    row = node.row
    numbered = [
        _BEYOND + start + np.arange(np.size(arg), dtype=np.float64).reshape(np.shape(arg))
        if moves
        else arg
        for arg, start, moves in zip(args, _bounds(args), moving, strict=False)
    ]
    found = np.ravel(row.evaluate(*numbered, **node.params)).astype(np.float64)
    return np.where(found >= _BEYOND, found - _BEYOND, -1.0).astype(np.int64)


def _bounds(args: Sequence[Any]) -> list[int]:
    return [0, *itertools.accumulate(np.size(arg) for arg in args)]


def split_choice(chosen: Any, args: Sequence[Any], moving: Sequence[bool]) -> list[Slopes | None]:
    """The slopes of what hands elements on, from their numbers; None by what does not move."""
    found: list[Slopes | None] = []
    for (start, stop), moves in zip(itertools.pairwise(_bounds(args)), moving, strict=True):
        [places] = np.nonzero((chosen >= start) & (chosen < stop))
        one = Slopes(places, chosen[places] - start, np.ones(len(places)))
        found.append(one if moves else None)
    return found
