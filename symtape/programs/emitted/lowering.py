"""Rows that a language has nothing for, taken apart into what they are made of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from symtape.graph import freeze
from symtape.graph.graph import Graph, Node
from symtape.primitives.indexing import SCATTER
from symtape.primitives.primitive import Array
from symtape.recording.stack import STACK

_MOST_ROUNDS: Final = 6

IsSpelled = Callable[[Graph, Node], bool]


def _softmax(a: Array, axis: Any) -> Array:
    shares = np.exp(a - np.max(a, axis=axis, keepdims=True))
    return shares / np.sum(shares, axis=axis, keepdims=True)


def _logsumexp(a: Array, axis: Any, keepdims: bool) -> Array:
    largest = np.max(a, axis=axis, keepdims=True)
    found = largest + np.log(np.sum(np.exp(a - largest), axis=axis, keepdims=True))
    return found if keepdims else np.squeeze(found, axis)


def _log_softmax(a: Array, axis: Any) -> Array:
    lower = a - np.max(a, axis=axis, keepdims=True)
    return lower - np.log(np.sum(np.exp(lower), axis=axis, keepdims=True))


def _softmax_pull_back(p: Array, g: Array, axis: Any) -> Array:
    # Less its value where p is nearly 1, the sum is one over the other shares alone.
    rest = g - np.sum(np.where(p > 0.5, g, 0.0), axis=axis, keepdims=True)
    return p * (rest - np.sum(p * rest, axis=axis, keepdims=True))


def _log_softmax_pull_back(p: Array, g: Array, axis: Any) -> Array:
    top = p > 0.5
    others = np.sum(np.where(top, 0.0, p), axis=axis, keepdims=True)
    rest = np.sum(np.where(top, 0.0, g), axis=axis, keepdims=True)
    plain = g - p * np.sum(g, axis=axis, keepdims=True)
    return np.where(top & (others < 0.5), g * others - p * rest, plain)


def _euclidean_norm(x: Array, axis: Any, keepdims: bool) -> Array:
    largest = np.max(np.abs(x), axis=axis, keepdims=True)
    scale = np.where(largest == 0.0, 1.0, largest)
    found = np.sqrt(np.sum((x / scale) ** 2, axis=axis, keepdims=True)) * scale
    return found if keepdims else np.squeeze(found, axis)


def _cofactor(a: Array) -> Array:
    return np.linalg.det(a)[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)


def _share_of_extreme(x: Array, axis: Any, largest: bool) -> Array:
    extreme = np.max if largest else np.min
    tied = x == extreme(x, axis=axis, keepdims=True)
    return np.where(tied, 1.0, 0.0) / np.sum(np.where(tied, 1.0, 0.0), axis=axis, keepdims=True)


def _diagonal_matrix(x: Array, offset: int, shape: tuple[int, int]) -> Array:
    k = np.arange(x.shape[-1])
    places = (..., k + max(-offset, 0), k + max(offset, 0))
    return SCATTER(x, shape=(*x.shape[:-1], *shape), index=places)


def _var(x: Array, axis: Any, ddof: float, keepdims: bool) -> Array:
    around = x - np.mean(x, axis=axis, keepdims=True)
    freedom = np.size(x) / max(1, math.prod(np.shape(np.sum(x, axis=axis)))) - ddof
    return np.sum(around * around, axis=axis, keepdims=keepdims) / freedom


def _std(x: Array, axis: Any, ddof: float, keepdims: bool) -> Array:
    return np.sqrt(_var(x, axis, ddof, keepdims))


COMPOSED: Final[Mapping[str, Callable[..., Any]]] = {
    "cofactor": _cofactor,
    "diagonal_matrix": _diagonal_matrix,
    "euclidean_norm": _euclidean_norm,
    "log_softmax": _log_softmax,
    "log_softmax_pull_back": _log_softmax_pull_back,
    "logsumexp": _logsumexp,
    "share_of_extreme": _share_of_extreme,
    "softmax": _softmax,
    "std": _std,
    "var": _var,
    "softmax_pull_back": _softmax_pull_back,
}
"""What rows are made of whose own code decides by what it is given; without any decision."""


def lower_graph(graph: Graph, is_spelled: IsSpelled) -> Graph:
    """`graph` with what has no spelling taken apart, as far as it can be.

    A row is replaced by what its own ``evaluate`` does to tensors, where that is made of other
    rows and decides nothing; or by what :data:`COMPOSED` says.

    Parameters
    ----------
    graph : Graph
        With the point at which it was recorded.
    is_spelled : callable ``(graph, node) -> bool``
    """
    fixed: set[str] = set()
    for _ in range(_MOST_ROUNDS):
        unspelled = {
            node.name
            for node in graph.nodes
            if node.primitive is not None and not is_spelled(graph, node)
        }
        if not unspelled - fixed:
            break
        graph = _expand_unspelled(graph, is_spelled, fixed)
    return graph


def _expand_unspelled(graph: Graph, is_spelled: IsSpelled, fixed: set[str]) -> Graph:
    def apply(node: Node, args: list[Any]) -> Any:
        STACK.forced_origin = node.origin
        row = node.row
        if row.name in fixed or is_spelled(graph, node):
            return row(*args, **node.params)
        if row.name in COMPOSED:
            return COMPOSED[row.name](*args, **node.params)
        made = _made_of(node, graph)
        if not made:
            fixed.add(row.name)
            return row(*args, **node.params)
        return row.evaluate(*args, **node.params)

    def replay_graph(*xs: Any) -> Any:
        before = STACK.forced_origin
        try:
            values = graph.interpret(list(xs), constant=lambda node: node.constant, apply=apply)
        finally:
            STACK.forced_origin = before
        for step in graph.path:
            bool(values[step.node])
        return tuple(values[at] for at in graph.outputs)

    with np.errstate(all="ignore"):
        return dataclasses.replace(freeze.record(replay_graph, *graph.at), at=graph.at)


def _made_of(node: Node, graph: Graph) -> bool:
    """Whether a row's ``evaluate`` is made of other rows, without a decision."""
    given = [np.ones(graph.nodes[i].shape, graph.nodes[i].dtype) * 0.5 for i in node.inputs]
    try:
        with np.errstate(all="ignore"):
            found = freeze.record(lambda *xs: node.row.evaluate(*xs, **node.params), *given)
    except Exception:  # noqa: BLE001  # code for arrays may do anything with tensors
        return False
    whole = not found.path and not found.escapes
    return whole and all(one.primitive is not node.primitive for one in found.nodes)
