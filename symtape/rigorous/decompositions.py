"""QR and singular values of object arrays of balls.

Singular values go through the Gram matrix, which squares the condition number: more precision
makes up for it. The signs of their vectors, which are open, are NumPy's at the midpoint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.rigorous.elementary import sqrt, square
from symtape.rigorous.matrices import eigh, eigvalsh, matmul, midpoints, objects, stacked_parts
from symtape.rigorous.scalar import UNKNOWN, Ball


def qr(a: Any) -> tuple[Any, Any]:
    """The reduced QR decomposition by reflections, with the signs that LAPACK gives it.

    Those jump where a pivot is zero (here 0.0, not -0.0), and where a column has nothing below
    it; where either is open, what follows is unknown.
    """
    first, second = stacked_parts(_qr, objects(a))
    return first, second


def _qr(a: Any) -> tuple[Any, Any]:
    rows, rank = len(a), min(a.shape)
    upper, orthogonal = a.copy(), objects(np.eye(rows, rank, dtype=int))
    reflections = []
    for j in range(min(rank, rows - 1)):
        below = upper[j + 1 :, j]
        if all(x.is_zero() for x in below):
            continue
        pivot = _reflect_pivot(upper[j, j], below)
        normal = np.concatenate([[upper[j, j] - pivot], below])
        normal = normal * (1 / sqrt(np.sum(normal * normal)))
        reflections.append((j, normal))
        upper[j:] = upper[j:] - 2 * np.outer(normal, normal @ upper[j:])
        upper[j, j], upper[j + 1 :, j] = pivot, objects(0)[()]
    for j, normal in reversed(reflections):
        orthogonal[j:] = orthogonal[j:] - 2 * np.outer(normal, normal @ orthogonal[j:])
    return orthogonal, upper[:rank]


def _reflect_pivot(pivot: Ball, below: Any) -> Ball:
    """The pivot after the reflection: of the opposite sign, with the length of the column."""
    rest = np.sum(below * below)
    if not rest > 0:
        return UNKNOWN
    length = sqrt(rest + square(pivot))
    if pivot > 0 or pivot.is_zero():
        return -length
    return length if pivot < 0 else UNKNOWN


def svd(a: Any) -> tuple[Any, Any, Any]:
    """The reduced singular value decomposition, values descending."""
    u, s, vh = stacked_parts(_svd, objects(a))
    return u, s, vh


def _svd(a: Any) -> tuple[Any, Any, Any]:
    rows, columns = a.shape
    left, _, right = np.linalg.svd(midpoints(a), full_matrices=False)
    if rows < columns:
        u, s = _one_side(a.T, left)
        return u, s, matmul(u.T, a) / s[:, None]
    v, s = _one_side(a, right.T)
    return matmul(a, v) / s, s, v.T


def _one_side(a: Any, guide: Any) -> tuple[Any, Any]:
    """Eigenvectors of ``a.T @ a`` pointing as `guide` does, and the roots of its eigenvalues."""
    values, vectors = eigh(matmul(a.T, a))
    values, vectors = values[::-1], vectors[:, ::-1]
    agreement = np.sum(midpoints(vectors) * guide, axis=0)
    signed = np.where(agreement < 0, -vectors, vectors)
    certain = np.abs(agreement) > 0.5
    return np.where(certain, signed, UNKNOWN), sqrt(values)


def singular_values(a: Any) -> Any:
    """The singular values, descending."""
    (values,) = stacked_parts(_singular_values, objects(a))
    return values


def _singular_values(a: Any) -> tuple[Any]:
    gram = matmul(a.T, a) if a.shape[0] >= a.shape[1] else matmul(a, a.T)
    return (sqrt(eigvalsh(gram)[::-1]),)
