"""Rows and functions: diagonals and triangles of matrices, in the last two axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arguments import refuse_out
from symtape.primitives.axes import one_axis
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _diagonal(x: Array, offset: int) -> Array:
    return x.diagonal(offset, -2, -1)


def _diagonal_matrix(x: Array, offset: int, shape: tuple[int, int]) -> Array:
    matrix = np.zeros((*x.shape[:-1], *shape), x.dtype)
    k = np.arange(x.shape[-1])
    matrix[..., k + max(-offset, 0), k + max(offset, 0)] = x
    return matrix


DIAGONAL: Primitive = declare(
    evaluate=_diagonal,
    vjp=[lambda g, x_shape, offset: DIAGONAL_MATRIX(g, offset=offset, shape=x_shape[-2:])],
    batch=lambda flags, args, params: DIAGONAL(args[0], **params),
    rounding=(0, 0),
    complex="holomorphic",
    source="NumPy, numpy.diagonal",
    example=(([[1.5, -2.0, 0.25], [3.0, 0.5, 1.0]],), {"offset": 1}),
)
DIAGONAL_MATRIX: Primitive = declare(
    evaluate=_diagonal_matrix,
    vjp=[lambda g, offset: DIAGONAL(g, offset=offset)],
    jvp="linear",
    batch=lambda flags, args, params: DIAGONAL_MATRIX(args[0], **params),
    rounding=(0, 0),
    complex="holomorphic",
    source="NumPy, numpy.diag",
    example=(([1.5, -2.0],), {"offset": -1, "shape": (3, 3)}),
)


def _triangle(part: Any, k: int) -> Primitive:
    """The row of ``np.tril`` or ``np.triu``, with an example of diagonal `k`."""
    row: Primitive = declare(
        name=part.__name__,
        evaluate=lambda x, k: part(x, k),
        vjp=[lambda g, k: row(g, k=k)],
        batch=lambda flags, args, params: row(args[0], **params),
        rounding=(0, 0),
        complex="holomorphic",
        source=f"NumPy, numpy.{part.__name__}",
        example=(([[1.5, -2.0], [3.0, 0.5]],), {"k": k}),
    )
    return row


TRIL = _triangle(np.tril, 0)
TRIU = _triangle(np.triu, 1)


def _last_two(a: Array, axis1: int, axis2: int) -> Array:
    """`a` with the two axes moved to the end."""
    if a.ndim < 2:
        raise ValueError(f"a diagonal needs an array of at least two axes, got shape {a.shape}")
    first, second = one_axis(axis1, a.ndim), one_axis(axis2, a.ndim)
    if first == second:
        raise ValueError(f"axis1={axis1} and axis2={axis2} are the same axis; expected two")
    if (first, second) == (a.ndim - 2, a.ndim - 1):
        return a
    return np.moveaxis(a, (first, second), (-2, -1))


@implements(np.diagonal)
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """As ``numpy.diagonal``."""
    return DIAGONAL(_last_two(a, axis1, axis2), offset=int(offset))


@implements(np.linalg.diagonal)
def matrix_diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """As ``numpy.linalg.diagonal``."""
    return diagonal(x, offset, -2, -1)


@implements(np.trace)
def trace(
    a: Array,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: Any = None,
) -> Array:
    """As ``numpy.trace``."""
    refuse_out("trace", out)
    return np.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@implements(np.linalg.trace)
def matrix_trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """As ``numpy.linalg.trace``."""
    return trace(x, offset, -2, -1, dtype)


@implements(np.diag)
def diag(v: Array, k: int = 0) -> Array:
    """As ``numpy.diag``."""
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError(f"np.diag needs an array of one or two axes, got shape {v.shape}")
    side = v.shape[0] + abs(k)
    return DIAGONAL_MATRIX(v, offset=int(k), shape=(side, side))


@implements(np.diagflat)
def diagflat(v: Array, k: int = 0) -> Array:
    """As ``numpy.diagflat``."""
    return diag(np.ravel(v), k)


def _matrix(m: Array) -> Array:
    if m.ndim > 1:
        return m
    if not m.ndim:
        raise ValueError("a triangle needs an array of at least one axis, got shape ()")
    return np.broadcast_to(m, (*m.shape, *m.shape))


@implements(np.tril)
def tril(m: Array, k: int = 0) -> Array:
    """As ``numpy.tril``."""
    return TRIL(_matrix(m), k=int(k))


@implements(np.triu)
def triu(m: Array, k: int = 0) -> Array:
    """As ``numpy.triu``."""
    return TRIU(_matrix(m), k=int(k))
