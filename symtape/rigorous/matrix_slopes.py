"""First-order perturbation of factorisations, as matrices of slopes.

Written down forward, ``dY`` for ``dA``, for :mod:`symtape.rigorous.slopes`; the tape's rules go
the other way. Giles, An extended collection of matrix derivative results for forward and reverse
mode algorithmic differentiation, Oxford NA-08/01 (2008), sections 2 and 3.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.primitives.primitive import Primitive


def _inverse(a: Any) -> Any:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return np.full(a.shape, np.inf)


def inv(args: Sequence[Any], place: int) -> Any:
    """Of the inverse."""
    x = _inverse(args[0])
    return -np.einsum("ik,lj->ijkl", x, x)


def det(args: Sequence[Any], place: int) -> Any:
    """Of the determinant."""
    return np.linalg.det(args[0]) * _inverse(args[0]).T


def slogdet(args: Sequence[Any], place: int) -> Any:
    """Of sign and logarithm of the determinant."""
    return np.stack([np.zeros(args[0].shape), _inverse(args[0]).T])


def cofactor(args: Sequence[Any], place: int) -> Any:
    """Of the signed minors."""
    x, det = _inverse(args[0]), np.linalg.det(args[0])
    return det * (np.einsum("ji,lk->ijkl", x, x) - np.einsum("jk,li->ijkl", x, x))


def solve(args: Sequence[Any], place: int) -> Any:
    """Of the solution of a linear system, by the matrix or by the right-hand side."""
    a, b = args
    x = _inverse(a)
    if place:
        return x if b.ndim == 1 else np.einsum("ik,jl->ijkl", x, np.eye(b.shape[1]))
    y = x @ b
    return -np.einsum("ik,l...->i...kl", x, y)


def eigvalsh(args: Sequence[Any], place: int, UPLO: str = "L") -> Any:
    """Of the eigenvalues of a symmetric matrix."""
    vectors = np.linalg.eigh(args[0], UPLO=UPLO)[1]  # type: ignore[call-overload]
    read = np.tri(len(vectors)) if UPLO == "L" else np.tri(len(vectors)).T
    return np.einsum("ki,li->ikl", vectors, vectors) * (2 * read - np.eye(len(vectors)))


def singular_values(args: Sequence[Any], place: int) -> Any:
    """Of the singular values."""
    u, _, vt = np.linalg.svd(args[0], full_matrices=False)
    return np.einsum("ki,il->ikl", u, vt)


def slopes_by_perturbation(
    row: Primitive, args: Sequence[Any], place: int, params: Any
) -> Any | None:
    """The slopes as a matrix, one row an element of the result; None where there are none here."""
    if row.slopes is None or np.ndim(args[0]) != 2 or np.ndim(args[-1]) > 2:
        return None
    with np.errstate(all="ignore"):
        wide = [np.asarray(x, np.float64) for x in args]
        found = row.slopes(sys.modules[__name__], wide, place, **params)
    if not np.all(np.isfinite(found)):
        return None
    return np.reshape(found, (-1, math.prod(np.shape(args[place]))))
