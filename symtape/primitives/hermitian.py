"""Rules of factorisations of complex matrices: by conjugate transposes, for Hermitian ones.

They are written for the adjoint, in which the change of a target is the real part of
``sum(conj(g) * d)``; cotangents of the sweep are conjugates of these. Vectors of eigenvalues and of
singular values are determined but for a phase each: of a target that depends on it there is no
derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.linear_algebra import SOLVE, transpose_matrices
from symtape.primitives.primitive import Array


def adjoint(a: Array) -> Array:
    """Each matrix of a stack conjugated and transposed."""
    return np.conj(transpose_matrices(a))


def hermitian_part(a: Array) -> Array:
    """Each matrix of a stack, averaged with its adjoint."""
    return (a + adjoint(a)) / 2


def diagonal_of(x: Array) -> Array:
    """The diagonal of each matrix of a stack."""
    return np.diagonal(x, axis1=-2, axis2=-1)


def make_diagonal_matrix(x: Array) -> Array:
    """Each vector of a stack as a diagonal matrix."""
    return np.expand_dims(x, -1) * np.eye(x.shape[-1], dtype=np.real(x).dtype)


def check_phase(name: str, turned: Array, cotangents: Array) -> None:
    """Refuse what changes when vectors are turned by a phase, which is arbitrary.

    Parameters
    ----------
    name : str
    turned : array
        By how much, for each vector.
    cotangents : array
        Of the vectors, for the scale.

    Raises
    ------
    Unsupported
    """
    sizes, scale = np.abs(_plain(turned)), np.abs(_plain(cotangents))
    if not sizes.size or not np.all(np.isfinite(sizes)):
        return
    limit = 1e3 * np.finfo(scale.dtype).eps ** 0.75 * np.max(scale, initial=0.0)
    if np.max(sizes) > limit:
        raise Unsupported(
            f"what is differentiated depends on the phases of the vectors that {name} of a complex "
            "matrix gives, and these are arbitrary, so that it has no derivative; compute with "
            "what does not depend on them, as np.abs(v) or v @ v.conj().T"
        )


def _plain(x: Any) -> Any:
    while hasattr(x, "_value") or hasattr(x, "value"):
        x = x._value if hasattr(x, "_value") else x.value
    return np.asarray(x)


def cholesky(g: Array, y: Array, upper: bool) -> Array:
    """By the Hermitian matrix, of its factor."""
    factor, g = (adjoint(y), transpose_matrices(g)) if upper else (y, np.conj(g))
    n, real = factor.shape[-1], np.real(factor).dtype
    lower = np.tri(n, dtype=real) - np.eye(n, dtype=real) / 2
    back = adjoint(factor)
    inner = SOLVE(back, lower * (back @ g))
    return np.conj(hermitian_part(SOLVE(back, adjoint(inner))))


def eigh(g: Any, y: Any, factors: Array) -> Array:
    """By the Hermitian matrix, of its eigenvalues and vectors; `factors` are one over gaps."""
    (g_values, g_vectors), (_, vectors) = g, y
    back, g_vectors = adjoint(vectors), np.conj(g_vectors)
    turning = back @ g_vectors
    check_phase("eigh", np.imag(diagonal_of(turning)), g_vectors)
    whole = vectors @ (factors * turning + make_diagonal_matrix(g_values)) @ back
    return np.conj(hermitian_part(whole))


def eigvalsh(g: Array, vectors: Array) -> Array:
    """By the Hermitian matrix, of its eigenvalues."""
    return np.conj((vectors * np.expand_dims(g, -2)) @ adjoint(vectors))


def singular_values(g: Array, u: Array, vh: Array) -> Array:
    """By the matrix, of its singular values."""
    return np.conj((u * np.expand_dims(g, -2)) @ vh)


def svd(g: Any, y: Any, factors: Array) -> Array:
    """By the matrix, of the reduced decomposition; `factors` are one over gaps of squares."""
    (g_u, g_s, g_vh), (u, s, vh) = g, y
    g_u, g_v, v = np.conj(g_u), transpose_matrices(g_vh), adjoint(vh)
    left, right = adjoint(u) @ g_u, vh @ g_v
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    of_u, of_v = np.imag(diagonal_of(left)), np.imag(diagonal_of(right))
    check_phase("svd", of_u + of_v, np.concatenate([g_u, g_v], axis=-2))
    left, right = factors * left, factors * right
    inner = (left + adjoint(left)) * row + column * (right + adjoint(right))
    inner = inner + make_diagonal_matrix(g_s + (of_u - of_v) / (2 * s) * 1j)
    whole = u @ inner @ vh
    if u.shape[-2] > u.shape[-1]:
        part = g_u / row
        whole = whole + (part - u @ (adjoint(u) @ part)) @ vh
    if v.shape[-2] > v.shape[-1]:
        part = g_v / row
        whole = whole + u @ adjoint(part - v @ (vh @ part))
    return np.conj(whole)


def qr(g: Any, y: Any) -> Array:
    """By a matrix that is not wide, of its factors, where the diagonal of R is real."""
    (g_q, g_r), (q, r) = g, y
    g_q, g_r = np.conj(g_q), np.conj(g_r)
    strict = np.tri(r.shape[-1], k=-1, dtype=np.real(r).dtype)
    inner = r @ adjoint(g_r) - adjoint(g_q) @ q
    below = strict * inner
    both = below + adjoint(below) + make_diagonal_matrix(np.real(diagonal_of(inner)))
    return np.conj(adjoint(SOLVE(r, adjoint(g_q + q @ both))))


def pull_back_pinv(g: Array, a: Array, y: Array, full: bool, turn: Any = adjoint) -> Array:
    """The rule of a pseudo-inverse; `turn` transposes matrices, which may conjugate them."""
    back, g_back = turn(y), turn(g)
    product = -(back @ g @ back)
    rows, columns = a.shape[-2:]
    # Of full rank one projection, or both, are the identity: only rounding would be left.
    if rows > columns or not full:
        part = g_back @ y @ back
        product = product + part - a @ (y @ part)
    if columns > rows or not full:
        part = back @ y @ g_back
        product = product + part - (part @ y) @ a
    return product


def pinv(g: Array, a: Array, y: Array, full: bool) -> Array:
    """By the matrix, of its pseudo-inverse."""
    return np.conj(pull_back_pinv(np.conj(g), a, y, full))
