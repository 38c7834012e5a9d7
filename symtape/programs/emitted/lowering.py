"""Rows that a language has nothing for, taken apart into what they are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.diagonals import DIAGONAL_MATRIX
from symtape.primitives.extrema import SHARE
from symtape.primitives.indexing import SCATTER
from symtape.primitives.linear_algebra import COFACTOR
from symtape.primitives.norms import EUCLIDEAN_NORM
from symtape.primitives.primitive import Array, Primitive
from symtape.primitives.reductions import STD, VAR
from symtape.primitives.softmax import (
    LOG_SOFTMAX,
    LOG_SOFTMAX_PULL_BACK,
    LOGSUMEXP,
    SOFTMAX,
    SOFTMAX_PULL_BACK,
)
from symtape.programs.compiled.expanding import expand_graph
from symtape.programs.compiled.parts import PARTS

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


def _cofactor(a: Array) -> Array:
    return np.linalg.det(a)[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)


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


_COMPOSED: Final[Mapping[Primitive, Callable[..., Any]]] = {
    **{row: PARTS[row] for row in (EUCLIDEAN_NORM, SHARE)},
    **{row: PARTS[row] for row in (SOFTMAX_PULL_BACK, LOG_SOFTMAX_PULL_BACK)},
    COFACTOR: _cofactor,
    DIAGONAL_MATRIX: _diagonal_matrix,
    LOGSUMEXP: _logsumexp,
    LOG_SOFTMAX: _log_softmax,
    SOFTMAX: _softmax,
    STD: _std,
    VAR: _var,
}
"""What rows are made of whose own code decides by what it is given; without any decision."""


def lower_graph(graph: Graph, is_spelled: IsSpelled) -> Graph:
    """`graph` with what has no spelling taken apart, as far as it can be."""
    return expand_graph(
        graph, lambda graph, node: not is_spelled(graph, node), _COMPOSED, may_decide=False
    ).graph
