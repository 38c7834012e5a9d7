"""Linear algebra of complex matrices, by real ones of twice the size.

A complex matrix X + iY acts on real and imaginary parts as [[X, -Y], [Y, X]] (Golub and Van Loan,
Matrix Computations, section 1.4); solutions, inverses and exponentials are blocks of those of it.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from symtape.graph.cartesian.elementary import log, plain, refuse
from symtape.graph.cartesian.parts import (
    Parts,
    absolute,
    add,
    conjugate,
    divide,
    map_parts,
    multiply,
    negative,
    pair,
    parts,
    stack_parts,
    subtract,
    take,
)
from symtape.graph.cartesian.products import matmul
from symtape.graph.cartesian.readings import reads
from symtape.graph.cartesian.slack import slack
from symtape.primitives.banded import expand_bands
from symtape.primitives.primitive import PRIMITIVES, Primitive

_MOST_BY_MINORS: Final = 5
"""Rows of a determinant up to which there are fewer minors than eliminations are good for."""


def double_matrix(a: Parts) -> Any:
    """The real matrix of twice the size."""
    upper = np.concatenate([a.real, -a.imag], axis=-1)
    lower = np.concatenate([a.imag, a.real], axis=-1)
    return np.concatenate([upper, lower], axis=-2)


@reads("solve")
def solve(a: Any, b: Any) -> Parts:
    """The blocks of the solution of the system of twice the size."""
    matrix, right = parts(a), parts(b)
    row = PRIMITIVES["solve"]
    if matrix.im is None:
        return map_parts(right, lambda x: row(matrix.re, x))
    vector = np.ndim(right.real) == 1
    axis = -1 if vector else -2
    found = row(double_matrix(matrix), np.concatenate([right.real, right.imag], axis=axis))
    n = np.shape(matrix.real)[-1]
    if vector:
        return Parts(found[..., :n], found[..., n:])
    return Parts(found[..., :n, :], found[..., n:, :])


@reads("inv", "expm")
def block(row: Primitive, a: Parts) -> Parts:
    """The blocks of a function of the matrix of twice the size."""
    if a.im is None:
        return Parts(row(a.re), None)
    n, found = np.shape(a.im)[-1], row(double_matrix(a))
    return Parts(found[..., :n, :n], found[..., n:, :n])


@reads("pinv")
def pinv(a: Parts, **params: Any) -> Parts:
    """Of full rank, by the solution of the normal equations."""
    rows, columns = np.shape(a.real)[-2:]
    back = _adjoint(a)
    if rows >= columns:
        return solve(matmul(back, a), back)
    return _adjoint(solve(matmul(a, back), a))


def _adjoint(a: Parts) -> Parts:
    return _transpose(conjugate(a))


def _transpose(a: Parts) -> Parts:
    return map_parts(a, lambda x: np.swapaxes(x, -1, -2))


@reads("det")
def det(a: Parts) -> Parts:
    """By minors, which need no division; of large matrices the product of the pivots."""
    if np.ndim(a.real) == 2 and np.shape(a.real)[0] <= _MOST_BY_MINORS:
        return _expand_minors(a)
    pivots, odd = _pivots(a)
    found = Parts(1.0, None)
    for pivot in pivots:
        found = multiply(found, pivot)
    return negative(found) if odd else found


def _expand_minors(a: Parts) -> Parts:
    """Laplace's expansion, each minor of the first rows once."""
    n = np.shape(a.real)[0]
    near = map_parts(a, lambda x: slack(x, 2 * n))
    minors: dict[tuple[int, ...], Parts] = {(): Parts(1.0, None)}
    for row in range(n):
        larger: dict[tuple[int, ...], Parts] = {}
        for columns in itertools.combinations(range(n), row + 1):
            terms = Parts(0.0, None)
            for at, column in enumerate(columns):
                rest = minors[columns[:at] + columns[at + 1 :]]
                term = multiply(take(near, (row, column)), rest)
                terms = (subtract if (row + at) % 2 else add)(terms, term)
            larger[columns] = terms
        minors = larger
    return minors[tuple(range(n))]


@reads("cofactor")
def cofactor(a: Parts) -> Parts:
    """By minors; of large matrices the determinant times the transposed inverse."""
    if np.ndim(a.real) == 2 and np.shape(a.real)[0] <= _MOST_BY_MINORS:
        return _cofactors(a)
    return multiply(det(a), _transpose(block(PRIMITIVES["inv"], a)))


def _cofactors(a: Parts) -> Parts:
    every = range(np.shape(a.real)[0])
    rows = []
    for row in every:
        kept = np.array([k for k in every if k != row], dtype=int)
        minors = [
            _expand_minors(take(take(a, kept), (slice(None), np.delete(every, column))))
            for column in every
        ]
        signed = [negative(z) if (row + k) % 2 else z for k, z in enumerate(minors)]
        rows.append(stack_parts(signed))
    return stack_parts(rows)


@reads("slogdet")
def slogdet(a: Parts) -> tuple[Parts, Any]:
    """The turn and the size of the product of the pivots, the size by its logarithm."""
    pivots, odd = _pivots(a)
    turned, size = Parts(1.0, None), 0.0
    for pivot in pivots:
        turned = multiply(turned, divide(pivot, Parts(absolute(pivot), None)))
        size = size + log(pivot).re
    return (negative(turned) if odd else turned), size


def _pivots(a: Parts) -> tuple[list[Parts], bool]:
    """The pivots of an elimination, largest first, and whether rows changed places oddly often."""
    if np.ndim(a.real) != 2:
        raise refuse("det of a stack")
    left, pivots, odd = a, [], False
    for _ in range(np.shape(a.real)[0]):
        sizes = np.hypot(plain(left.real[:, 0]), plain(left.imag[:, 0]))
        at = int(np.argmax(sizes))
        if not sizes[at]:
            raise refuse("a singular determinant")
        order = [at, *(k for k in range(len(sizes)) if k != at)]
        odd ^= bool(at % 2)
        left = take(left, np.array(order))
        pivot = take(left, (0, 0))
        pivots.append(pivot)
        column = divide(take(left, (slice(1, None), slice(0, 1))), pivot)
        top = take(left, (slice(0, 1), slice(1, None)))
        left = subtract(take(left, (slice(1, None), slice(1, None))), multiply(column, top))
    return pivots, odd


@reads("solve_triangular")
def solve_triangular(a: Any, b: Any, trans: int, lower: bool, unit_diagonal: bool) -> Parts:
    """As :func:`solve`, of the triangle that is read."""
    matrix = parts(a)
    n = np.shape(matrix.real)[-1]
    read = np.tri(n, k=-1 if unit_diagonal else 0, dtype=bool)
    read = read if lower else read.T

    def complete_triangle(x: Any, ones: bool) -> Any:
        found = np.where(read, x, 0.0) + (np.eye(n) if ones and unit_diagonal else 0.0)
        return np.swapaxes(found, -1, -2) if trans else found

    im = None if matrix.im is None else complete_triangle(matrix.im, False)
    return solve(Parts(complete_triangle(matrix.real, True), im), b)


@reads("solve_banded")
def solve_banded(a: Any, b: Any, below: int, above: int, definite: bool) -> Parts:
    """As :func:`solve`, of the matrix written out."""
    return solve(map_parts(parts(a), lambda x: expand_bands(x, below, above)), b)


@reads("cholesky")
def cholesky(a: Parts, **params: Any) -> Parts:
    """Column by column, of the lower triangle; of the upper one the adjoint, by that of it."""
    if np.ndim(a.real) != 2:
        raise refuse("cholesky of a stack")
    if params.get("upper"):
        return _adjoint(cholesky(_adjoint(a)))
    n = np.shape(a.real)[0]
    left, columns = a, []
    for k in range(n):
        root = np.sqrt(left.real[0, 0])
        below = take(left, (slice(1, None), 0))
        below = pair(*(None if x is None else x / root for x in (below.re, below.im)))
        zeros = np.zeros(k)
        columns.append(
            (
                np.concatenate([zeros, np.reshape(root, (1,)), below.real]),
                np.concatenate([zeros, np.zeros(1), below.imag]),
            )
        )
        across = take(conjugate(below), (None, slice(None)))
        product = multiply(take(below, (slice(None), None)), across)
        left = subtract(take(left, (slice(1, None), slice(1, None))), product)
    return Parts(*(np.stack([column[k] for column in columns], axis=1) for k in (0, 1)))


@reads("singular_values")
def singular_values(row: Primitive, a: Parts, **params: Any) -> Any:
    """Those of the matrix of twice the size, which has each of them twice."""
    return row(double_matrix(a), **params)[..., ::2]


@reads("qr")
def qr(row: Primitive, a: Parts, **params: Any) -> tuple[Parts, Parts]:
    """By Gram and Schmidt's process, with the signs that the factors have."""
    if np.ndim(a.real) != 2 or np.shape(a.real)[0] < np.shape(a.real)[1]:
        raise refuse("qr of a stack or of a wide matrix")
    values = np.asarray(plain(a.real)) + 1j * np.asarray(plain(a.imag))
    signs = np.sign(np.real(np.diagonal(row.evaluate(values, **params)[1])))
    columns: list[Parts] = []
    upper: list[list[Parts]] = []
    for k, turn in enumerate(signs.tolist()):
        left, above = take(a, (slice(None), k)), []
        for column in columns:
            above.append(matmul(conjugate(column), left))
            left = subtract(left, multiply(column, above[-1]))
        length = turn * np.linalg.norm(np.concatenate([left.real, left.imag]))
        columns.append(divide(left, Parts(length, None)))
        upper.append([*above, Parts(length, None), *[Parts(0.0, None)] * (len(signs) - k - 1)])
    return stack_parts(columns, 1), stack_parts([stack_parts(column) for column in upper], 1)
