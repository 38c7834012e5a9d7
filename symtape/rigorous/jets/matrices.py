"""Linear algebra on object arrays of jets, coefficient by coefficient.

A matrix of jets is a polynomial in ``t`` whose coefficients are matrices of balls. What defines
the result (``A x = b``, ``A v = λ v``) gives each of its coefficients from those before, by one
linear system with the matrices at ``t = 0``, which the enclosing solver solves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import flint
import numpy as np
from flint import arb, arb_series

from symtape.primitives import orthogonal
from symtape.rigorous import matrices as plain
from symtape.rigorous.decompositions import svd as plain_svd
from symtape.rigorous.jets.choice import sign
from symtape.rigorous.jets.elementary import absolute, log, sqrt
from symtape.rigorous.jets.jet import Element, Germ, Jet, Lost, coefficients, is_fixed, value_of
from symtape.rigorous.matrices import kept_size, only_balls
from symtape.rigorous.matrix_roots import logm as plain_logm
from symtape.rigorous.matrix_roots import sqrtm as plain_sqrtm
from symtape.rigorous.scalar import UNKNOWN

_LARGE_PRODUCT: Final = 64


def _parts(a: Any) -> list[Any]:
    """The coefficients of an array of jets, each an object array; of constants only the first."""
    if a.ndim and only_balls(a):
        return [a]
    if all(map(is_fixed, a.flat)):
        return [_spread(lambda x: value_of(x), a)]
    order = flint.ctx.cap - 1
    lists = [coefficients(x, order) for x in a.flat]
    parts = []
    for k in range(order + 1):
        part = np.fromiter((found[k] for found in lists), dtype=object, count=a.size)
        parts.append(part.reshape(a.shape))
    return parts


def _spread(function: Callable[[Any], Any], a: Any) -> Any:
    return np.fromiter(map(function, a.flat), dtype=object, count=a.size).reshape(a.shape)


def _join_coefficients(parts: Sequence[Any], kind: type[Jet]) -> Any:
    """The array of jets with these coefficients."""
    entries = zip(*(part.flat for part in parts), strict=True)
    jets = (_jet(list(entry), kind) for entry in entries)
    return np.fromiter(jets, dtype=object, count=parts[0].size).reshape(parts[0].shape)


def _jet(found: list[Any], kind: type[Jet]) -> Element:
    if not all(part.is_finite() for part in found[:2]):
        return Lost(found[0])
    return kind(arb_series(found)) if len(found) > 1 else found[0]


def _kind(*arrays: Any) -> type[Jet]:
    found = (set(map(type, a.ravel().tolist())) for a in arrays if kept_size(a) is None)
    return Germ if any(Germ in kinds for kinds in found) else Jet


def _convolve(a: Sequence[Any], b: Sequence[Any], k: int, start: int = 0) -> Any:
    """The sum of ``a[i] @ b[k - i]`` from ``i = start`` on; None if it is empty."""
    terms = [
        plain.matmul(a[i], b[k - i]) for i in range(start, k + 1) if i < len(a) and k - i < len(b)
    ]
    return functools.reduce(lambda x, y: x + y, terms) if terms else None


def matmul(a: Any, b: Any) -> Any:
    """The matrix product; of large ones by products of the coefficient matrices."""
    a, b = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    if a.ndim > 2 or b.ndim > 2 or a.size * b.shape[-1] < _LARGE_PRODUCT:
        return np.matmul(a, b)
    first, second = _parts(a), _parts(b)
    count = flint.ctx.cap if len(first) > 1 or len(second) > 1 else 1
    products = [_convolve(first, second, k) for k in range(count)]
    zero = _spread(lambda x: arb(0), np.asarray(products[0], dtype=object))
    filled = [zero if part is None else np.asarray(part, dtype=object) for part in products]
    return _join_coefficients(filled, _kind(a, b))


def solve(a: Any, b: Any) -> Any:
    """The solution of ``a @ x = b``."""
    a, b = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    if b.ndim == 1:
        return solve(a, b[:, None])[..., 0]
    matrix, right = _parts(a), _parts(b)
    found: list[Any] = []
    for k in range(flint.ctx.cap):
        rest = right[k] if k < len(right) else _zeros(right[0])
        known = _convolve(matrix, found, k, start=1) if k else None
        found.append(plain.solve(matrix[0], rest if known is None else rest - known))
    return _join_coefficients(found, _kind(a, b))


def _zeros(like: Any) -> Any:
    return _spread(lambda x: arb(0), like)


def _identity(n: int) -> Any:
    return plain.objects(np.eye(n, dtype=int))


def inv(a: Any) -> Any:
    """The inverse."""
    a = np.asarray(a, dtype=object)
    return solve(a, _identity(a.shape[-1]))


def det(a: Any) -> Any:
    """The determinant."""
    return plain.stacked_parts(lambda one: (_det(one),), a)[0]


def _det(a: Any) -> Element:
    """By Faddeev and Le Verrier's recurrence, which divides by integers alone.

    Householder 1964, The Theory of Matrices in Numerical Analysis, section 6.7.
    """
    n = len(a)
    if not n:
        return arb(1)
    current: Any = _identity(n)
    last: Any = arb(1)
    for k in range(1, n + 1):
        product = matmul(a, current)
        last = -sum(product.diagonal().tolist(), start=arb(0)) / arb(k)
        current = product + last * _identity(n)
    return -last if n % 2 else last


def cofactor(a: Any) -> Any:
    """The signed minors."""
    return plain.stacked_parts(lambda one: (plain.signed_minors(one, _det),), a)[0]


def slogdet(a: Any) -> tuple[Any, Any]:
    """Sign and logarithm of the absolute value of the determinant."""
    found = np.asarray(det(a), dtype=object)
    return _spread(sign, found), _spread(lambda x: log(absolute(x)), found)


def expm(a: Any) -> Any:
    """The matrix exponential."""
    return _apply_to_triangle(plain.expm, a)


def _apply_to_triangle(function: Callable[[Any], Any], a: Any) -> Any:
    """A function of matrices: of a block triangle of the coefficients, its first row of blocks.

    Higham 2008, Functions of Matrices, theorem 3.6, of any order.
    """

    def apply_to_one(one: Any) -> tuple[Any]:
        parts, n, count = _parts(one), len(one), flint.ctx.cap
        found = function(_block_triangle(parts, n, count))[:n]
        return (
            _join_coefficients([found[:, k * n : k * n + n] for k in range(count)], _kind(one)),
        )

    return plain.stacked_parts(apply_to_one, a)[0]


def _block_triangle(parts: Sequence[Any], n: int, count: int) -> Any:
    whole = np.empty((n * count, n * count), dtype=object)
    whole[...] = arb(0)
    for row in range(count):
        for k in range(min(len(parts), count - row)):
            place = row + k
            whole[row * n : row * n + n, place * n : place * n + n] = parts[k]
    return whole


def sqrtm(a: Any) -> Any:
    """The principal square root."""
    return _apply_to_triangle(plain_sqrtm, a)


def logm(a: Any) -> Any:
    """The principal logarithm."""
    return _apply_to_triangle(plain_logm, a)


def cholesky(a: Any) -> Any:
    """The lower triangular factor, of the lower triangle of `a` as NumPy reads it."""
    return plain.stacked_parts(lambda one: (plain.triangular_factor(one, sqrt),), a)[0]


def eigvalsh(a: Any) -> Any:
    """The eigenvalues, ascending, of the lower triangle of `a`."""
    return eigh(a)[0]


def eigh(a: Any, UPLO: Literal["L", "U"] = "L") -> tuple[Any, Any]:
    """Eigenvalues, ascending, and eigenvectors; lost where eigenvalues cannot be told apart."""
    values, vectors = plain.stacked_parts(lambda one: _eigh(one, UPLO), a)
    return values, vectors


def eig(a: Any) -> tuple[Any, Any]:
    """Real eigenvalues and eigenvectors; lost where eigenvalues cannot be told apart."""
    values, vectors = plain.stacked_parts(lambda one: _expand_eigenpairs(one, plain.eig), a)
    return values, vectors


def _eigh(a: Any, UPLO: Literal["L", "U"]) -> tuple[Any, Any]:
    lower = np.tril(np.ones(a.shape, dtype=bool))
    return _expand_eigenpairs(np.where(lower, a, a.T), functools.partial(plain.eigh, UPLO=UPLO))


def _expand_eigenpairs(a: Any, decomposed: Callable[[Any], tuple[Any, Any]]) -> tuple[Any, Any]:
    n = len(a)
    parts = _parts(a)
    values, vectors = decomposed(parts[0])
    moving = np.empty(n, dtype=object)
    columns = np.empty((n, n), dtype=object)
    for place in range(n):
        moving[place], columns[:, place] = _eigenpair(
            parts, values[place], vectors[:, place], _kind(a)
        )
    return moving, columns


def _eigenpair(
    parts: Sequence[Any], value: Any, vector: Any, kind: type[Jet]
) -> tuple[Element, Any]:
    """The expansion of a simple eigenvalue and its vector of length 1.

    Coefficient k of ``(A - λ) v = 0`` and of ``v·v = 1`` is linear in those of λ and v.
    """
    n = len(vector)
    if not all(x.is_finite() for x in vector):
        return Lost(value), _spread(lambda x: Lost(x), vector)
    bordered = np.empty((n + 1, n + 1), dtype=object)
    bordered[:n, :n] = parts[0] - value * _identity(n)
    bordered[:n, n], bordered[n, :n], bordered[n, n] = -vector, vector, arb(0)
    values, vectors = [value], [vector]
    for k in range(1, flint.ctx.cap):
        right = np.empty(n + 1, dtype=object)
        right[...] = arb(0)
        for i in range(1, k + 1):
            if i < len(parts):
                right[:n] = right[:n] - parts[i] @ vectors[k - i]
            if i < k:
                right[:n] = right[:n] + values[i] * vectors[k - i]
                right[n] = right[n] - (vectors[i] @ vectors[k - i]) / 2
        found = plain.solve(bordered, right)
        vectors.append(found[:n])
        values.append(found[n])
    return _jet(values, kind), _join_coefficients(vectors, kind)


def qr(a: Any) -> tuple[Any, Any]:
    """The reduced QR decomposition, by Gram and Schmidt, with the signs of LAPACK."""
    q, r = orthogonal.qr(a, [midpoints(a)])
    return q, r


def svd(a: Any) -> tuple[Any, Any, Any]:
    """The reduced singular value decomposition, values descending."""
    u, s, vh = plain.stacked_parts(_svd, a)
    return u, s, vh


def _svd(a: Any) -> tuple[Any, Any, Any]:
    """By the eigenvectors of the Gram matrix, with the signs that the balls' reading gives."""
    left, _, right = plain_svd(_parts(a)[0])
    if a.shape[0] < a.shape[1]:
        u, s = _one_side(a.T, left)
        return u, s, matmul(u.T, a) / s[:, None]
    v, s = _one_side(a, right.T)
    return matmul(a, v) / s, s, v.T


def _one_side(a: Any, guide: Any) -> tuple[Any, Any]:
    values, vectors = eigh(matmul(a.T, a))
    values, vectors = values[::-1], vectors[:, ::-1]
    for k in range(len(values)):
        agreement = sum((value_of(x) * y for x, y in zip(vectors[:, k], guide[:, k], strict=True)))
        if agreement < 0:
            vectors[:, k] = -vectors[:, k]
        elif not agreement > 0:
            vectors[:, k] = Lost(UNKNOWN)
    return vectors, sqrt(values)


def singular_values(a: Any) -> Any:
    """The singular values, descending."""
    return plain.stacked_parts(lambda one: (_singular_values(one),), a)[0]


def _singular_values(a: Any) -> Any:
    gram = matmul(a.T, a) if a.shape[0] >= a.shape[1] else matmul(a, a.T)
    return sqrt(eigvalsh(gram)[::-1])


def midpoints(a: Any) -> Any:
    """The midpoints of the values, as floats."""
    return plain.midpoints(_spread(value_of, np.asarray(a, dtype=object)))
