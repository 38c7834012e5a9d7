"""Derivatives of graphs by jets: forward, along lines, without a rule for a derivative.

A derivative by several directions is a sum of expansions along single ones (polarisation):
``D^k f[v1, ..., vk]`` is the mean over all signs of ``s1...sk c_k(s1 v1 + ... + sk vk)`` times 1,
where ``c_k(w)`` is the coefficient of ``t**k`` of ``f(x + t w)``; Griewank, Utke and Walther 2000,
Evaluating higher derivative tensors by forward propagation of univariate Taylor series.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.process.precision import precision
from symtape.rigorous.ball import objects
from symtape.rigorous.jets.jet import Germ, Jet, coefficients
from symtape.rigorous.jets.reading import Expansion

_EXTRA_TERMS: Final = 4
"""How many terms beyond the order asked for are tried where germs cancel at the point."""

Arrays = Sequence[Any]


def taylor(
    graph: Graph,
    inputs: Arrays,
    direction: Arrays,
    bits: int,
    order: int = 1,
    *,
    germ: bool = False,
) -> list[Any]:
    """Expand the outputs of `graph` along a line, ``f(x + t v)`` in powers of ``t``.

    Parameters
    ----------
    graph : Graph
    inputs : sequence of array_like
        The point, one array for each input of the graph.
    direction : sequence of array_like
        Of the shapes of the inputs; what belongs to an integer input is not looked at.
    bits : int
        Working precision.
    order : int
        Of the last coefficient.
    germ : bool
        Expand for ``t`` from 0 up: what is equal at the point is told apart by what follows.
        What agrees in all coefficients that are computed counts as equal.

    Returns
    -------
    list of object arrays
        One for each output, of its shape and one axis more for the coefficients, which are
        ``flint.arb``. One that is not finite says that nothing is known of it.

    Raises
    ------
    Unsupported
        An operation has no reading in jets; names it and the user's line.
    ValueError
        `order` is negative, or the inputs do not fit the graph.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: 1 / (1 - x), 0.0)
    >>> [found] = taylor(graph, [0.0], [1.0], 53, order=3)
    >>> print(*found)
    1.00000000000000 1.00000000000000 1.00000000000000 1.00000000000000
    """
    if order < 0:
        raise ValueError(f"taylor: expected an order from 0 up, got {order}")
    terms = max(order, 1) + 1
    while True:
        with precision(bits, terms):
            reading = Expansion(graph, inputs, Germ if germ else Jet)
            found = [_expand_part(part, order) for part in reading.expand_along(direction)]
        if not germ or terms >= order + 1 + _EXTRA_TERMS or _all_known(found):
            return found
        terms += 2


def _expand_part(part: Any, order: int) -> Any:
    result = np.empty((*part.shape, order + 1), dtype=object)
    for index in np.ndindex(part.shape):
        result[index] = coefficients(part[index], order)
    return result


def _all_known(parts: Sequence[Any]) -> bool:
    return all(ball.is_finite() for part in parts for ball in part.ravel())


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
            found = _expand_part(reading.expand_along(direction)[0], 1)
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
        own = [_expand_part(reading.expand_along(v)[0], 2)[..., 2] for _, _, v in axes]
        for (i, first), (j, second) in itertools.combinations_with_replacement(enumerate(axes), 2):
            if i == j:
                value = 2 * own[i][()]
            else:
                both = [a + b for a, b in zip(first[2], second[2], strict=True)]
                together = _expand_part(reading.expand_along(both)[0], 2)[..., 2]
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
            found = [_expand_part(part, order)[..., order] for part in reading.expand_along(line)]
            terms.append([np.asarray(part * weight, dtype=object) for part in found])
        return [np.asarray(sum(parts), dtype=object) for parts in zip(*terms, strict=True)]


def polarise(directions: Sequence[Arrays]) -> Iterator[tuple[float, list[Any]]]:
    """Lines whose coefficients of order k, so weighted, add up to the derivative by k directions.

    Under the precision around it.
    """
    order = len(directions)
    for signs in itertools.product((1, -1), repeat=order - 1):
        line = [_sum((1, *signs), parts) for parts in zip(*directions, strict=True)]
        yield math.prod(signs) / 2 ** (order - 1), line


def _sum(signs: Sequence[int], parts: Sequence[Any]) -> Any:
    """A sum of directions, in balls, as that of two floats may be no float; 0.0 where it is."""
    total = sum(
        sign * np.asarray(objects(np.asarray(part)), dtype=object)
        for sign, part in zip(signs, parts, strict=True)
    )
    return np.frompyfunc(lambda x: 0.0 if x.is_zero() else x, 1, 1)(total)


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
