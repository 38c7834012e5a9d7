"""Choices that rounding may make otherwise: points as near to a kink as floats can tell.

Where ``w @ x`` is 1e-9 and rounding may move it by 1e-8, honest code may find it below zero and
take the derivative of that side. Such a value is no fault, and no confirmation either.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.rigorous.enclose import enclose
from symtape.rigorous.rounding import model
from verify.files import places

_BITS: Final = 300


def other_side(
    graph: Graph,
    program: Graph,
    x: Sequence[Any],
    claimed: Sequence[Any],
    allowed: Sequence[Any] | None = None,
) -> str:
    """Words for values that are those of the other side of a choice; empty if they are not.

    Parameters
    ----------
    graph : Graph
        The function, recorded at the point.
    program : Graph
        Its derivative: the claim's, or that of symtape's tape.
    x : sequence of arrays
    claimed : sequence of arrays
        One for each output of `program`.
    allowed : sequence of float arrays, optional
        How far beyond what `program` may return the values may be, for another program.
    """
    try:
        doubted = next(_iterate_doubtful_nodes(graph, x), None)
        if doubted is None or not _may_return(program, x, claimed, allowed):
            return ""
    except Unsupported:
        return ""
    place = places.relative(places.place_of_origin(doubted.origin))
    return (
        f"rounding may choose the other side of {doubted.name}{f' at {place}' if place else ''}, "
        "and the value is one that floats may give then; give a point farther from where its "
        "sides meet"
    )


def _may_return(
    program: Graph, x: Sequence[Any], claimed: Sequence[Any], allowed: Sequence[Any] | None
) -> bool:
    """Whether the model balls, with both sides of what is in doubt, hold every value."""
    slack = [np.zeros(np.shape(part)) for part in claimed] if allowed is None else allowed
    for balls, part, more in zip(model(program, x), claimed, slack, strict=True):
        values = zip(np.ravel(balls), np.ravel(part).tolist(), np.ravel(more), strict=True)
        for ball, value, beyond in values:
            if not (np.isfinite(value) and ball.is_finite()):
                return False
            if not (ball.contains(value) or float(abs(ball - value).lower()) <= beyond):
                return False
    return True


def _iterate_doubtful_nodes(graph: Graph, x: Sequence[Any]) -> Iterator[Node]:
    """The operations whose choice rounding may turn, of those that the value depends on.

    Of numbers that are equal in exact arithmetic all choices have been gone through, and have one
    derivative.
    """
    chosen = [node for node in _list_asked_nodes(graph) if _chooses_by_numbers(graph, node)]
    if not chosen:
        return
    places_of = sorted({at for node in chosen for at in node.inputs})
    inputs = dataclasses.replace(graph, outputs=tuple(places_of))
    floats = dict(zip(places_of, model(inputs, x), strict=True))
    try:
        exact = dict(zip(places_of, enclose(inputs, x, _BITS), strict=True))
    except Unsupported:
        exact = {at: np.full(np.shape(balls), None) for at, balls in floats.items()}
    for node in chosen:
        known = [_pair_entries(floats[at], exact[at]) for at in node.inputs]
        if any(_may_swap(a, b) for a, b in _iterate_compared_numbers(node, known)):
            yield node


def _list_asked_nodes(graph: Graph) -> list[Node]:
    """What the value and the path are made of, without what is only compared.

    In ``abs(step) < 1e-12`` the comparison is asked by itself, and the sign of the step has no part
    in what comes after it.
    """
    nodes = graph.nodes
    asked = {*graph.outputs, *(step.node for step in graph.path)}
    for at in range(len(graph) - 1, -1, -1):
        if at in asked:
            compares = nodes[at].dtype == np.bool_
            asked.update(i for i in nodes[at].inputs if not compares or nodes[i].dtype == np.bool_)
    return [nodes[at] for at in sorted(asked)]


def _chooses_by_numbers(graph: Graph, node: Node) -> bool:
    """Whether rounding can turn a choice; of truth values, it turns the comparison they are of."""
    if node.primitive is None or not node.primitive.ties:
        return False
    return all(graph.nodes[at].dtype != np.bool_ for at in node.inputs)


def _pair_entries(floats: Any, exact: Any) -> Any:
    """An array of pairs: the ball of what floats may be, and that of the number itself."""
    pairs = np.empty(np.shape(floats), dtype=object)
    for index in np.ndindex(pairs.shape):
        pairs[index] = (floats[index], exact[index])
    return pairs


def _iterate_compared_numbers(node: Node, inputs: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """The numbers by whose order an operation chooses."""
    match node.row.ties:
        case "zero":
            yield from ((pair, (0, 0)) for pair in np.ravel(inputs[0]).tolist())
        case "inputs":
            left, right = np.broadcast_arrays(*inputs)
            yield from zip(left.ravel().tolist(), right.ravel().tolist(), strict=True)
        case _:
            yield from _iterate_ranked_pairs(node, inputs[0])


def _iterate_ranked_pairs(node: Node, pairs: Any) -> Iterator[tuple[Any, Any]]:
    axis = node.params.get("axis")
    axes = range(pairs.ndim) if axis is None else np.atleast_1d(axis).tolist()
    last = np.moveaxis(pairs, axes, range(-len(axes), 0)) if pairs.ndim else pairs.reshape(1)
    lead = last.shape[: last.ndim - max(len(axes), 1)]
    for row in last.reshape((int(np.prod(lead)), -1)):
        ordered = sorted(row.tolist(), key=lambda pair: float(pair[0].mid()))
        yield from itertools.pairwise(ordered)


def _may_swap(left: Any, right: Any) -> bool:
    """Whether two numbers that rounding has moved may lie in either order, and are not equal."""
    difference = left[0] - right[0]
    if not difference.contains(0) or float(difference.rad()) == 0:
        return False
    known = left[1] is not None and right[1] is not None
    return not (known and (left[1] - right[1]).contains(0))
