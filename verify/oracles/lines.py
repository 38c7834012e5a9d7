"""Lines through a point, along which jets are set against a closed form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.graph.graph import Graph
from symtape.process.precision import precision
from symtape.rigorous import ball
from verify.model.quantity import Quantity
from verify.oracles.closed_form import Truth

_FEW: Final = 6
"""Up to so many coordinates every axis is gone along; beyond, two directions stand for all."""

_MANY: Final = 64
"""Beyond so many coordinates one direction stands for all: it is drawn from 2^21 numbers an axis,
so that no fault but a contrived one is orthogonal to it."""

_DIRECTIONS: Final = 2

_BITS: Final = 64

Directions: TypeAlias = list[Any]
"""An array for each input of a graph."""


def lines_for(
    graph: Graph, point: Sequence[Any], quantity: Quantity, drawn: bool = False
) -> Iterator[list[Directions]]:
    """What to compare along: one direction, or two for a second derivative.

    Parameters
    ----------
    graph : Graph
    point : sequence of arrays
    quantity : Quantity
    drawn : bool
        Only lines by chance, no axes.
    """
    count = len(graph.inputs)
    rows, columns = quantity.rows(count), quantity.columns(count)
    size = sum(int(np.prod(graph.nodes[graph.inputs[i]].shape)) for i in rows)
    if quantity.name == "jvp":
        yield [_point_direction(graph, point, quantity)]
    elif quantity.name == "hvp":
        for seed in range(_DIRECTIONS if size > 1 else 1):
            yield [random_line(graph, rows, seed), _point_direction(graph, point, quantity)]
    elif quantity.name == "hessian":
        for seed in range(_DIRECTIONS if size > 1 else 1):
            yield [random_line(graph, rows, 2 * seed), random_line(graph, columns, 2 * seed + 1)]
    elif size <= _FEW and not drawn:
        yield from ([axis] for _, _, axis in axes(graph, rows))
    else:
        for seed in range(_DIRECTIONS if size <= _MANY else 1):
            yield [random_line(graph, rows, seed)]


def axes(graph: Graph, rows: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...], Directions]]:
    """Every axis of some of the inputs: which input, which entry of it, and the direction."""
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    for number in rows:
        for index in np.ndindex(shapes[number]):
            axis = [np.zeros(shape) for shape in shapes]
            axis[number][index] = 1
            yield number, index, axis


def random_line(graph: Graph, rows: Iterable[int], seed: int) -> Directions:
    """A direction of multiples of 2^-20, zero only of other inputs: exact in every arithmetic."""
    draw = np.random.default_rng(seed)
    line = [np.zeros(graph.nodes[at].shape) for at in graph.inputs]
    for number in rows:
        shape = line[number].shape
        line[number] = draw.integers(1, 2**20 + 1, shape) * draw.choice([-1, 1], shape) / 2.0**20
    return line


def _point_direction(graph: Graph, point: Sequence[Any], quantity: Quantity) -> Directions:
    """The direction that the point itself brings."""
    line = [np.zeros(graph.nodes[at].shape) for at in graph.inputs]
    count = len(line)
    for number, at in zip(quantity.rows(count), quantity.direction_places(count), strict=True):
        line[number] = np.asarray(point[at], dtype=np.float64)
    return line


def pull_outputs(found: Sequence[Any], point: Sequence[Any], quantity: Quantity, bits: int) -> Any:
    """The sum of what the outputs do along a line, weighted by the cotangents of the point."""
    with precision(max(bits, _BITS)):
        total: Any = ball.objects(np.zeros((), dtype=int))
        for at, output in zip(quantity.direction_places(len(point)), found, strict=True):
            weights = ball.objects(np.ravel(np.asarray(point[at], dtype=np.float64)))
            total = total + np.sum(weights * np.ravel(output))
        return np.asarray(total, dtype=object).reshape(())


def contract_truth(
    truth: Truth, graph: Graph, quantity: Quantity, lines: list[Directions]
) -> list[Any]:
    """The closed form's derivative of each output along `lines`."""
    if quantity.name == "jvp":
        return truth.parts
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    sizes = [math.prod(shape) for shape in shapes]
    output = graph.nodes[graph.outputs[0]].shape if quantity.name == "jacobian" else ()
    with precision(truth.precision):
        flat = [[ball.objects(np.ravel(part)) for part in line] for line in lines]
        total: Any = ball.objects(np.zeros(output, dtype=int))
        for part, by in zip(truth.parts, quantity.parts(len(shapes)), strict=True):
            if quantity.name == "hessian":
                i, j = by
                right = ball.matmul(part.reshape(sizes[i], sizes[j]), flat[1][j])
                total = total + np.sum(flat[0][i] * right)
            else:
                (i,) = by
                rows = part.reshape(math.prod(output), sizes[i])
                total = total + ball.matmul(rows, flat[0][i]).reshape(output)
    return [np.asarray(total, dtype=object).reshape(output)]
