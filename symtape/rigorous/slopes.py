"""The slopes of one operation by its arguments, in floats, without any rule for a derivative.

Elementwise operations are expanded in jets, element by element. What only moves elements is told
by where indices end up, and what is linear in an argument by its values on a basis. Of solutions,
inverses and determinants the perturbation is known; all else is expanded in jets along each axis.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from flint import arb, arb_series

from symtape.errors import Unsupported
from symtape.graph.graph import Node, isolate_operation
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.rigorous import matrix_slopes
from symtape.rigorous.jets import functions
from symtape.rigorous.jets.jet import Germ, Jet, coefficients
from symtape.rigorous.jets.reading import Expansion
from symtape.rigorous.matrix_slopes import slopes_by_perturbation
from symtape.rigorous.scalar import Ball, to_ball

_BITS: Final = 64

_LINEAR: Final = frozenset(["linear", "multilinear"])

_BEYOND: Final = 2.0**50
"""Numbers of elements start here, where no constant beside them is taken for one."""


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
    numbers: Numbers | None = None,
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
    numbers : Numbers, optional
        What the values are; floats by default.

    Raises
    ------
    Unsupported
        The operation has no reading in jets, or too many slopes.
    """
    row, numbers = node.row, numbers or Numbers()
    # What is stopped has no derivative, and is off by as much as what it is.
    if (row.cuts and not row.stops) or not any(moving):
        return [None] * len(args)
    if row.elementwise:
        find: Callable[..., Slopes] = functools.partial(_diagonal, numbers, shape=shapes[0])
    elif row.structure in _LINEAR:
        find = functools.partial(_slopes_on_basis, numbers)
    elif row.select is not None or row.rounding == (0, 0):
        return split_choice(_find_sources(numbers, node, args, moving), args, moving)
    else:
        find = numbers.slopes_of_whole
    return [find(node, args, k) if moves else None for k, moves in enumerate(moving)]


class Numbers:
    """What slopes are found of, and how: floats at one point."""

    dtype: Any = np.float64
    most = 2**20
    """Entries of a matrix of slopes, above which none is made."""

    def apply(self, node: Node, args: list[Any]) -> Any:
        """What the operation of a node makes of arguments."""
        return node.row.evaluate(*args, **node.params)

    def rank(self, node: Node, args: Sequence[Any]) -> Sequence[Any]:
        """Floats in the order of arguments among which an operation chooses."""
        return args

    def partials(self, node: Node, args: Sequence[Any], place: int, shape: tuple[int, ...]) -> Any:
        """The slope of each element of an elementwise operation by that of one argument."""
        row = node.row
        if row.slopes is not None:
            # A constant may be Python's own number, whose quotient by 0 raises.
            floats = [np.asarray(arg, np.float64) for arg in args]
            with np.errstate(all="ignore"):
                found: Any = np.asarray(row.slopes(matrix_slopes, floats, place), np.float64)
            return np.broadcast_to(found, shape)
        charge(3 * max(math.prod(shape), 1))
        with precision(_BITS, 2):
            return self.partial_by_element(_partial, node, args, place, shape)

    def partial_by_element(
        self,
        partial: Callable[[Node, Sequence[Any], int], Any],
        node: Node,
        args: Sequence[Any],
        place: int,
        shape: tuple[int, ...],
    ) -> Any:
        """As :meth:`partials`, one by one."""
        spread = [np.broadcast_to(arg, shape).ravel().tolist() for arg in args]
        each = [partial(node, values, place) for values in zip(*spread, strict=True)]
        return np.array(each, dtype=self.dtype).reshape(shape)

    def slopes_of_whole(self, node: Node, args: Sequence[Any], place: int) -> Slopes:
        """Of an operation on whole arrays that is neither linear nor moves elements."""
        known = slopes_by_perturbation(node.row, args, place, node.params)
        return _slopes_by_jets(node, args, place) if known is None else _entries(known)


def _diagonal(
    numbers: Numbers, node: Node, args: Sequence[Any], place: int, shape: tuple[int, ...]
) -> Slopes:
    """Of an elementwise operation."""
    partial, given = numbers.partials(node, args, place, shape), np.shape(args[place])
    used = np.arange(math.prod(given)).reshape(given)
    columns = np.broadcast_to(used, shape).ravel()
    return Slopes(np.arange(partial.size), columns, partial.ravel())


def _partial(node: Node, values: Sequence[Any], place: int) -> float:
    """The slope at one element; at a kink the larger of both sides."""
    if (slope := _slope(node, values, place, Jet, 1)) is not None:
        return slope
    sides = [_slope(node, values, place, Germ, speed) for speed in (1, -1)]
    return max((abs(side) if side is not None else math.inf for side in sides), default=math.inf)


def _slope(
    node: Node, values: Sequence[Any], place: int, kind: type[Jet], speed: int
) -> float | None:
    elements = [
        x if isinstance(x, bool) else kind(arb_series([x, speed])) if k == place else to_ball(x)
        for k, x in enumerate(values)
    ]
    slope = expand_element(node, elements)
    return float(slope) if slope.is_finite() else None


def expand_element(node: Node, elements: Sequence[Any]) -> Ball:
    """The first coefficient of an elementwise operation on jets.

    Raises
    ------
    Unsupported
        It has no reading in balls, or none in jets.
    """
    row = node.row
    if row.ball is None:
        raise Unsupported(f"{row.name} has no reading in balls")
    try:
        found = row.ball(functions, *elements, **node.params)
    except (AttributeError, NotImplementedError, TypeError) as error:
        raise Unsupported(f"{row.name} has no reading in jets: {error}") from error
    return coefficients(found, 1)[1]


def _slopes_on_basis(numbers: Numbers, node: Node, args: Sequence[Any], place: int) -> Slopes:
    """Of what is linear in an argument."""
    shape, size = np.shape(args[place]), math.prod(node.shape)
    columns = []
    for index in _axes(shape, size, numbers.most):
        basis = np.zeros(shape, dtype=numbers.dtype)
        basis[index] = 1
        given = [basis if k == place else arg for k, arg in enumerate(args)]
        columns.append(np.ravel(numbers.apply(node, given)))
    return _stack_columns(columns, size, numbers.dtype)


def _slopes_by_jets(node: Node, args: Sequence[Any], place: int) -> Slopes:
    graph = isolate_operation(node, args)
    size = sum(math.prod(graph.nodes[at].shape) for at in graph.outputs)
    shape = np.shape(args[place])
    columns = []
    with precision(_BITS, 2):
        reading = Expansion(graph, list(args))
        for index in _axes(shape, size, Numbers.most):
            direction = [np.zeros(np.shape(arg)) for arg in args]
            direction[place][index] = 1.0
            parts = reading.expand_along(direction)
            columns.append([float(coefficients(v, 1)[1]) for part in parts for v in part.ravel()])
    return _stack_columns(columns, size, np.float64)


def _axes(shape: tuple[int, ...], size: int, most: int) -> Iterator[tuple[int, ...]]:
    if math.prod(shape) * size > most:
        raise Unsupported(f"more than {most} slopes of one operation")
    charge(math.prod(shape) * max(size, 1))
    yield from np.ndindex(shape)


def _stack_columns(columns: Sequence[Any], size: int, dtype: Any) -> Slopes:
    return _entries(np.array(columns, dtype=dtype).reshape(len(columns), size).T)


def _entries(matrix: Any) -> Slopes:
    balls = matrix.dtype == object
    # A ball is true, even if it is 0.
    zero = np.frompyfunc(arb.is_zero, 1, 1)(matrix).astype(bool) if balls else matrix == 0
    rows, columns = np.nonzero(~zero)
    return Slopes(rows, columns, matrix[rows, columns])


def _find_sources(numbers: Numbers, node: Node, args: Sequence[Any], moving: Sequence[bool]) -> Any:
    """For each element of the result the number of the element that it is, below 0 for others."""
    row = node.row
    if row.select is not None:
        return np.asarray(row.select(*numbers.rank(node, args), **node.params)).ravel()
    numbered = [
        _BEYOND + start + np.arange(np.size(arg), dtype=np.float64).reshape(np.shape(arg))
        if moves
        else _plain(arg)
        for arg, start, moves in zip(args, _bounds(args), moving, strict=False)
    ]
    found = np.ravel(row.evaluate(*numbered, **node.params)).astype(np.float64)
    return np.where(found >= _BEYOND, found - _BEYOND, -1.0).astype(np.int64)


def _plain(arg: Any) -> Any:
    """An argument without its balls, which do not matter where elements are only moved."""
    return np.zeros(np.shape(arg)) if np.asarray(arg).dtype == object else arg


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
