"""Derivatives of graphs by jets: forward, along lines, without a rule for a derivative."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from symtape.graph.graph import Graph
from symtape.process.precision import precision
from symtape.rigorous.jets.reading import Arrays, Expansion, expand_part, polarise, taylor


def jvp(graph: Graph, inputs: Arrays, tangents: Arrays, bits: int) -> list[Any]:
    """The derivative of every output along `tangents`, of the outputs' shapes."""
    return [part[..., 1] for part in taylor(graph, inputs, tangents, bits)]


def gradient(graph: Graph, inputs: Arrays, bits: int) -> list[Any]:
    """The gradient of a scalar graph: one object array of balls for each input."""
    return jacobian(graph, inputs, bits)


def jacobian(graph: Graph, inputs: Arrays, bits: int) -> list[Any]:
    """The Jacobian of the first output: an array of shape output + input for each input."""
    output, shapes = _shapes(graph)
    parts = [np.empty(output + shape, dtype=object) for shape in shapes]
    with precision(bits, 2):
        reading = Expansion(graph, inputs)
        for number, index, direction in _axes(shapes):
            found = expand_part(reading.expand_along(direction)[0], 1)
            place: tuple[Any, ...] = (..., *index)
            parts[number][place] = found[..., 1]
    return parts


def hessian(graph: Graph, inputs: Arrays, bits: int) -> list[Any]:
    """The Hessian of a scalar graph: blocks of shape first + second, row by row of inputs.

    Takes ``n (n + 1) / 2`` expansions of order 2.
    """
    _, shapes = _shapes(graph)
    axes = list(_axes(shapes))
    parts = {
        pair: np.empty(shapes[pair[0]] + shapes[pair[1]], dtype=object)
        for pair in itertools.product(range(len(shapes)), repeat=2)
    }
    with precision(bits, 3):
        reading = Expansion(graph, inputs)
        own = [expand_part(reading.expand_along(v)[0], 2)[..., 2] for _, _, v in axes]
        for (i, first), (j, second) in itertools.combinations_with_replacement(enumerate(axes), 2):
            if i == j:
                value = 2 * own[i][()]
            else:
                both = [a + b for a, b in zip(first[2], second[2], strict=True)]
                together = expand_part(reading.expand_along(both)[0], 2)[..., 2]
                value = together[()] - own[i][()] - own[j][()]
            parts[first[0], second[0]][first[1] + second[1]] = value
            parts[second[0], first[0]][second[1] + first[1]] = value
    return list(parts.values())


def mixed_derivative(
    graph: Graph, inputs: Arrays, directions: Sequence[Arrays], bits: int
) -> list[Any]:
    """The derivative of every output by all of `directions`, one after another.

    Parameters
    ----------
    graph : Graph
    inputs : sequence of array_like
    directions : sequence of sequences of array_like
        k of them for a derivative of order k, which takes ``2**(k - 1)`` expansions.
    bits : int

    Returns
    -------
    list of object arrays
        One for each output, of its shape.
    """
    order = len(directions)
    if not order:
        raise ValueError("mixed_derivative: expected at least one direction")
    terms: list[list[Any]] = []
    with precision(bits, order + 1):
        reading = Expansion(graph, inputs)
        for weight, line in polarise(directions):
            found = [expand_part(part, order)[..., order] for part in reading.expand_along(line)]
            terms.append([np.asarray(part * weight, dtype=object) for part in found])
        return [np.asarray(sum(parts), dtype=object) for parts in zip(*terms, strict=True)]


def _shapes(graph: Graph) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    inputs = [graph.nodes[at].shape for at in graph.inputs]
    return graph.nodes[graph.outputs[0]].shape, inputs


def _axes(
    shapes: Sequence[tuple[int, ...]],
) -> Iterator[tuple[int, tuple[int, ...], list[Any]]]:
    """Every axis of the inputs: of which input, at which index, and as a direction."""
    for number, shape in enumerate(shapes):
        for index in np.ndindex(shape):
            direction = [np.zeros(other) for other in shapes]
            direction[number][index] = 1
            yield number, index, direction
