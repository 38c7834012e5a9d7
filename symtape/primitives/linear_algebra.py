"""Rows and meanings: linear systems, inverses, determinants.

Each row works on stacks of matrices. ``rounding`` is 4 n here: what LAPACK returns is the exact
answer for matrices whose elements are perturbed by so many units in the last place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from symtape.primitives import elimination
from symtape.primitives.arithmetic import to_array
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.broadcasting import align_batch, sum_to
from symtape.primitives.contraction import CROSS
from symtape.primitives.primitive import Array, Params, Primitive, declare, implements


class SlogdetResult(NamedTuple):
    """What ``np.linalg.slogdet`` returns."""

    sign: Any
    logabsdet: Any


def backward_stable(shapes: Sequence[tuple[int, ...]], params: Any) -> int:
    """The rounding constant of a method by factorisation: Higham 2002, chapters 9 and 14."""
    return 4 * shapes[0][-1]


def _nonsingular(a: Array, b: Array | None = None) -> Any:
    return np.linalg.slogdet(a)[0] != 0


def transpose_matrices(a: Array) -> Array:
    """Each matrix of a stack transposed."""
    return a.swapaxes(-1, -2)


def _solve_left(g: Array, a: Array, y: Array, b_shape: tuple[int, ...]) -> Array:
    if len(b_shape) == 1:
        right = _solve_vectors(transpose_matrices(a), g)
        rows, columns = (*right.shape, 1), (*y.shape[:-1], 1, y.shape[-1])
        return -right.reshape(rows) * y.reshape(columns)
    right = SOLVE(transpose_matrices(a), g)
    return sum_to(-(right @ transpose_matrices(y)), a.shape)


def _solve_right(g: Array, a: Array, b_shape: tuple[int, ...]) -> Array:
    if len(b_shape) == 1:
        return sum_to(_solve_vectors(transpose_matrices(a), g), b_shape)
    return sum_to(SOLVE(transpose_matrices(a), g), b_shape)


def _solve_vectors(a: Array, g: Array) -> Array:
    """Solve for a stack of vectors, one for each matrix."""
    if a.ndim == 2:
        return SOLVE(a, g)
    return SOLVE(a, np.expand_dims(g, -1)).reshape(g.shape)


def _solve_push_left(t: Array, a: Array, y: Array, b_shape: tuple[int, ...]) -> Array:
    if len(b_shape) > 1:
        return -SOLVE(a, t @ y)
    turned = (t @ np.expand_dims(y, -1)).reshape(y.shape)
    return -_solve_vectors(a, turned)


def _solve_batch(flags: Sequence[bool], args: Sequence[Array], params: Any) -> Array:
    (a, b), (left, right) = args, flags
    b_rank = np.ndim(b) - right
    if not left:
        # All right-hand sides beside each other: one factorisation.
        size, *stack = b.shape
        beside = np.moveaxis(b, 0, -1)
        if b_rank == 1:
            return np.moveaxis(SOLVE(a, beside), -1, 0)
        solved = SOLVE(a, beside.reshape((*stack[:-1], stack[-1] * size)))
        return np.moveaxis(solved.reshape((*solved.shape[:-1], stack[-1], size)), -1, 0)
    if b_rank == 1:
        b = np.expand_dims(b, -1)
    rank = max(a.ndim - 1, b.ndim - right)
    solved = SOLVE(align_batch(a, left, rank), align_batch(b, right, rank))
    return solved.reshape(solved.shape[:-1]) if b_rank == 1 else solved


def batch_systems(
    solve: Primitive, flags: Sequence[bool], args: Sequence[Array], params: Params
) -> Array:
    """Systems of one matrix with all right sides beside each other; those of several one by one."""
    (a, b), (first, second) = args, flags
    if first:
        rights = b if second else [b] * len(a)
        return np.stack([solve(one, right, **params) for one, right in zip(a, rights, strict=True)])
    size, *shape = b.shape
    beside = np.reshape(np.moveaxis(b, 0, -1), (shape[0], -1))
    return np.moveaxis(np.reshape(solve(a, beside, **params), (*shape, size)), -1, 0)


def cofactor(a: Array) -> Array:
    """The gradient of the determinant, right for singular matrices too."""
    n = a.shape[-1]
    if n == 1:
        return np.ones_like(a)
    if n == 2:
        return np.flip(a, (-1, -2)) * np.array([[1, -1], [-1, 1]], a.dtype)
    if n == 3:
        shifts = [[1, 2, 0], [2, 0, 1]]
        return CROSS(*(np.take(a, rows, axis=-2) for rows in shifts))
    return COFACTOR(a)


def _cofactor(a: Array) -> Array:
    """``det(a) inv(a).T``: the errors of both, from one factorisation, cancel.

    Where there is no inverse, by singular values: with U S V' the matrix, its cofactors are
    ``det(U) det(V') U* diag(products of all other singular values) V'*``, with conjugates.
    """
    determinant = np.linalg.det(a)
    usable = np.isfinite(determinant) & (np.abs(determinant) > np.finfo(a.dtype).tiny)
    if np.all(usable):
        inverse = np.linalg.inv(a)
        return determinant[..., None, None] * inverse.swapaxes(-1, -2)
    u, s, vh = np.linalg.svd(a)
    others = np.where(np.eye(a.shape[-1], dtype=bool), 1, s[..., None, :]).prod(axis=-1)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    sign = sign / np.abs(sign)
    singular = (np.conj(u) * (sign[..., None] * others)[..., None, :]) @ np.conj(vh)
    regular = np.linalg.inv(np.where(usable[..., None, None], a, np.eye(a.shape[-1])))
    scaled = np.where(usable, determinant, 0)[..., None, None] * regular.swapaxes(-1, -2)
    result: Array = np.where(usable[..., None, None], scaled, singular).astype(a.dtype)
    return result


def _cofactor_pull_back(g: Array, a: Array, y: Array) -> Array:
    weights = transpose_matrices(INV(a))
    inner = np.sum(g * y, axis=(-1, -2), keepdims=True)
    return inner * weights - weights @ transpose_matrices(g) @ y


def _inverse_pull_back(g: Array, y: Array) -> Array:
    back = transpose_matrices(y)
    return -(back @ g @ back)


def _append_matrix_axes(x: Array) -> Array:
    return np.expand_dims(x, (-1, -2))


_TWO = [[2.0, 0.5], [-0.75, 1.5]]
_THREE = [[2.0, 0.5, 1.0], [-0.75, 1.5, 0.25], [0.5, -1.0, 3.0]]
_STACK = [_TWO, [[0.5, -1.0], [1.25, 0.25]]]


SOLVE: Primitive = declare(
    inputs="a b",
    evaluate=np.linalg.solve,
    vjp=[_solve_left, _solve_right],
    elements=lambda a, b, values: elimination.solve(a, b, values),
    ball="solve",
    jvp=[_solve_push_left, lambda t, a: SOLVE(a, t)],
    batch=_solve_batch,
    domain=_nonsingular,
    rounding=backward_stable,
    slopes=lambda perturbed, args, place: perturbed.solve(args, place),
    backward=BackwardError(lambda errors, a: errors.lu_size(a), columns=True),
    complex="holomorphic",
    dependence="solves",
    source="Giles 2008, Collected matrix derivative results, 2.3.1",
    example=[
        (_TWO, [0.25, -1.0]),
        (_TWO, [[0.25, 1.0, 0.5], [-1.0, 2.0, 0.75]]),
        (_THREE, [0.25, -1.0, 0.5]),
        (_STACK, [[[0.25], [-1.0]], [[1.5], [0.5]]]),
    ],
    smooth="pivots",
)
INV: Primitive = declare(
    inputs="a",
    evaluate=np.linalg.inv,
    vjp=[_inverse_pull_back],
    elements=lambda a, values: elimination.inv(a, values),
    ball="inv",
    jvp=[lambda t, y: -(y @ t @ y)],
    batch=lambda flags, args, params: INV(*args, **params),
    domain=_nonsingular,
    rounding=backward_stable,
    slopes=lambda perturbed, args, place: perturbed.inv(args, place),
    backward=BackwardError(lambda errors, a: errors.lu_size(a), columns=True),
    complex="holomorphic",
    dependence="products",
    source="Giles 2008, Collected matrix derivative results, 2.2.3",
    example=[(_TWO,), (_THREE,), (_STACK,)],
    smooth="pivots",
)
DET: Primitive = declare(
    inputs="a",
    evaluate=np.linalg.det,
    vjp=[lambda g, a: _append_matrix_axes(g) * cofactor(a)],
    elements=lambda a, values: elimination.det(a, values),
    ball="det",
    jvp=[lambda t, a: np.sum(cofactor(a) * t, axis=(-2, -1))],
    rounding=backward_stable,
    slopes=lambda perturbed, args, place: perturbed.det(args, place),
    backward=BackwardError(lambda errors, a: errors.lu_size(a), determinant=True),
    complex="holomorphic",
    dependence="stacks",
    source="Jacobi's formula",
    example=[
        (_TWO,),
        (_THREE,),
        (_STACK,),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],),
    ],
    smooth="pivots",
)
COFACTOR: Primitive = declare(
    evaluate=_cofactor,
    vjp=[_cofactor_pull_back],
    elements=elimination.cofactor,
    ball="cofactor",
    rounding=backward_stable,
    slopes=lambda perturbed, args, place: perturbed.cofactor(args, place),
    backward=BackwardError(lambda errors, a: errors.lu_size(a), determinant=True),
    complex="holomorphic",
    dependence="stacks",
    source="cofactors are det(a) inv(a).T; Stewart 1998, On the adjugate matrix",
    example=[(_TWO,), (_THREE,)],
)
SLOGDET: Primitive = declare(
    name="slogdet",
    evaluate=lambda a: tuple(np.linalg.slogdet(a)),
    vjp=[lambda g, a: _append_matrix_axes(g[1]) * transpose_matrices(INV(a))],
    complex=[
        lambda g, a, y: (
            _append_matrix_axes(g[1] + np.imag(g[0] * y[0]) * 1j) * transpose_matrices(INV(a))
        ),
    ],
    elements=lambda a, values: elimination.slogdet(a, values),
    ball="slogdet",
    jvp=[
        lambda t, a, y: (y[0] * 0, np.sum(transpose_matrices(INV(a)) * t, axis=(-2, -1))),
    ],
    domain=_nonsingular,
    rounding=backward_stable,
    outputs=2,
    slopes=lambda perturbed, args, place: perturbed.slogdet(args, place),
    backward=BackwardError(lambda errors, a: errors.lu_size(a), logs=(1,)),
    dependence="stacks",
    source="Jacobi's formula",
    example=[(_TWO,), (_THREE,), (_STACK,)],
)


@implements(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    """As ``numpy.linalg.solve``: a vector only if `b` has one axis."""
    return SOLVE(to_array(a), to_array(b))


@implements(np.linalg.inv)
def inv(a: Any) -> Any:
    """As ``numpy.linalg.inv``."""
    return INV(to_array(a))


@implements(np.linalg.det)
def det(a: Any) -> Any:
    """As ``numpy.linalg.det``."""
    return DET(to_array(a))


@implements(np.linalg.slogdet)
def slogdet(a: Any) -> SlogdetResult:
    """As ``numpy.linalg.slogdet``; the sign is not differentiable."""
    return SlogdetResult(*SLOGDET(to_array(a)))


@implements(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """As ``numpy.linalg.matrix_power``: by repeated squaring."""
    a = to_array(a)
    if n == 0:
        return np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype)
    square = INV(a) if n < 0 else a
    result: Any = None
    remaining = abs(n)
    while remaining:
        if remaining % 2:
            result = square if result is None else result @ square
        remaining //= 2
        if remaining:
            square = square @ square
    return result if abs(n) > 1 or n < 0 else +result


@implements(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """As ``numpy.linalg.tensorsolve``."""
    a, b = to_array(a), to_array(b)
    if axes is not None:
        last = list(axes)
        a = np.transpose(a, [k for k in range(a.ndim) if k not in last] + last)
    shape = a.shape[np.ndim(b) :]
    matrix = np.reshape(a, (np.size(b), -1))
    return np.reshape(SOLVE(matrix, np.ravel(b)), shape)


@implements(np.linalg.tensorinv)
def tensorinv(a: Any, ind: int = 2) -> Any:
    """As ``numpy.linalg.tensorinv``."""
    if ind <= 0:
        raise ValueError(f"ind={ind}; expected a positive number of axes")
    a = to_array(a)
    first, second = a.shape[:ind], a.shape[ind:]
    matrix = np.reshape(a, (int(np.prod(second)), -1))
    return np.reshape(INV(matrix), (*second, *first))
