"""Readings: transposes, systems of equations, factorisations, and functions of matrices.

The order of the rows of an LU decomposition is taken from what torch has computed. It is a constant
of the program: any order without a zero pivot gives factors of the same matrix, so what is computed
with them is the same in exact arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import Seen, WithheldResult, reads, refuse
from symtape.frontends.elimination import eliminate, reorder_rows
from symtape.primitives.linear_algebra import transpose_matrices
from symtape.scipy import linalg


def success_codes(a: Any) -> Any:
    """What LAPACK says of each matrix when nothing went wrong."""
    return np.zeros(np.shape(a)[:-2], np.int32)


def solve_system(a: Any, b: Any, left: bool = True) -> Any:
    """``a^-1 b`` or ``b a^-1``; `b` may be vectors."""
    if not left:
        return transpose_matrices(solve_system(transpose_matrices(a), transpose_matrices(b)))
    if np.ndim(b) == np.ndim(a) - 1 and np.shape(b) == np.shape(a)[:-1]:
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b)


def triangular(a: Any, b: Any, lower: bool, unit: bool = False) -> Any:
    """``a^-1 b`` of one triangle of `a`."""
    shape = np.broadcast_shapes(np.shape(a)[:-2], np.shape(b)[:-2])
    a = a if np.shape(a)[:-2] == shape else np.broadcast_to(a, (*shape, *np.shape(a)[-2:]))
    b = b if np.shape(b)[:-2] == shape else np.broadcast_to(b, (*shape, *np.shape(b)[-2:]))
    return linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit)


refuse("its factors are products of reflections", "linalg_householder_product", "ormqr", "geqrf")


@reads("linalg_cholesky_ex")
def cholesky(a: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The lower factor, or its transpose."""
    factor = np.linalg.cholesky(a)
    return transpose_matrices(factor) if upper else factor, success_codes(a)


@reads("_cholesky_solve_helper", "cholesky_solve")
def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    """The solution for the matrix with this factor."""
    lower = transpose_matrices(factor) if upper else factor
    first = triangular(lower, b, lower=True)
    return triangular(transpose_matrices(lower), first, lower=False)


@reads("cholesky_inverse")
def cholesky_inverse(factor: Any, upper: bool = False) -> Any:
    """The inverse of the matrix with this factor."""
    return cholesky_solve(np.eye(np.shape(factor)[-1], dtype=factor.dtype), factor, upper)


@reads("linalg_solve_triangular")
def solve_triangular(
    a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    """The solution for a triangular matrix, from the left or from the right."""
    if left:
        return triangular(a, b, lower=not upper, unit=unitriangular)
    return transpose_matrices(
        triangular(transpose_matrices(a), transpose_matrices(b), lower=upper, unit=unitriangular)
    )


@reads("triangular_solve")
def old_triangular_solve(
    b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The same as an older function."""
    side = transpose_matrices(a) if transpose else a
    return triangular(side, b, lower=upper == transpose, unit=unitriangular), a


@reads("linalg_pinv")
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """As ``np.linalg.pinv``."""
    return np.linalg.pinv(a)


@reads("linalg_inv_ex")
def inverse(a: Any, *, check_errors: bool = False) -> Any:
    """The inverse."""
    return np.linalg.inv(a), success_codes(a)


@reads("linalg_qr")
def qr(a: Any, mode: Any = "reduced") -> Any:
    """As ``np.linalg.qr``."""
    if mode == "r":
        return WithheldResult("the factor that was not asked for"), np.linalg.qr(a)[1]
    return tuple(np.linalg.qr(a, mode=mode))


@reads("_linalg_svd")
def svd(a: Any, full_matrices: bool = False, compute_uv: bool = True, *, driver: Any = None) -> Any:
    """As ``np.linalg.svd``."""
    if not compute_uv:
        nothing = WithheldResult("the vectors that were not asked for")
        return nothing, np.linalg.svd(a, compute_uv=False), nothing
    return tuple(np.linalg.svd(a, full_matrices=full_matrices))


@reads("_linalg_eigh")
def eigh(a: Any, UPLO: Any = "L", compute_v: bool = True) -> Any:
    """As ``np.linalg.eigh``."""
    if not compute_v:
        return np.linalg.eigvalsh(a, UPLO), WithheldResult("the vectors that were not asked for")
    return tuple(np.linalg.eigh(a, UPLO))


@reads("linalg_matrix_exp")
def matrix_exp(a: Any) -> Any:
    """The exponential of a matrix."""
    return linalg.expm(a)


@reads("_linalg_check_errors")
def check_errors(info: Any, api_name: str, *, is_matrix: bool) -> None:
    """Nothing: torch itself has raised."""


def _order(pivots: Any, size: int) -> Any:
    """LAPACK's list of exchanged rows as a permutation, for each matrix."""
    flat = np.asarray(pivots).reshape(-1, np.shape(pivots)[-1])
    orders = np.tile(np.arange(size), (len(flat), 1))
    for order, exchanged in zip(orders, flat, strict=True):
        for row, other in enumerate(exchanged):
            order[[row, other - 1]] = order[[other - 1, row]]
    return orders.reshape((*np.shape(pivots)[:-1], size))


def _factors(a: Any, pivots: Any) -> WithheldResult:
    """The factors of a matrix, to be made if anything but a solution wants them."""
    return WithheldResult(
        "the factors of an LU decomposition",
        of=a,
        make=lambda: eliminate(reorder_rows(a, _order(pivots, np.shape(a)[-2]))),
    )


@reads("linalg_lu_factor_ex", sees=True)
def lu_factor(a: Any, *, seen: Seen, pivot: bool = True, check_errors: bool = False) -> Any:
    """The factors, and the exchanges of rows."""
    return _factors(a, seen.results[1]), seen.results[1], success_codes(a)


@reads("_linalg_solve_ex", sees=True)
def solve(a: Any, b: Any, *, seen: Seen, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and the factors."""
    pivots = seen.results[2]
    return solve_system(a, b, left), _factors(a, pivots), pivots, success_codes(a)


@reads("_linalg_det", sees=True)
def det(a: Any, *, seen: Seen) -> Any:
    """The determinant, and the factors."""
    return np.linalg.det(a), *_det_leftovers(a, seen)


@reads("_linalg_slogdet", sees=True)
def slogdet(a: Any, *, seen: Seen) -> Any:
    """Sign and logarithm of the determinant, and the factors."""
    return *np.linalg.slogdet(a), *_det_leftovers(a, seen)


def _det_leftovers(a: Any, seen: Seen) -> tuple[Any, Any]:
    """What determinants leave: LAPACK, which goes by columns, takes rows for the transpose."""
    pivots = seen.results[-1]
    return _factors(transpose_matrices(a) if seen.contiguous else a, pivots), pivots


@reads("linalg_lu_solve", takes_withheld=True)
def lu_solve(factors: Any, pivots: Any, b: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """The solution for the matrix that was factored, or its transpose."""
    if isinstance(factors, WithheldResult):
        return solve_system(transpose_matrices(factors.of) if adjoint else factors.of, b, left)
    if not left:
        return transpose_matrices(
            lu_solve(factors, pivots, transpose_matrices(b), adjoint=not adjoint)
        )
    order = _order(pivots, np.shape(factors)[-1])
    if adjoint:
        first = triangular(transpose_matrices(factors), b, lower=True)
        last = triangular(transpose_matrices(factors), first, lower=False, unit=True)
        return reorder_rows(last, np.argsort(order, axis=-1))
    first = triangular(factors, reorder_rows(b, order), lower=True, unit=True)
    return triangular(factors, first, lower=False)


@reads("lu_unpack")
def lu_unpack(
    factors: Any, pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """The permutation and the two factors."""
    size, rank = np.shape(factors)[-2], min(np.shape(factors)[-2:])
    order = _order(pivots, size)
    permutation = np.swapaxes(np.eye(size, dtype=factors.dtype)[order], -1, -2)
    lower = np.tril(factors, -1)[..., :rank] + np.eye(size, rank, dtype=factors.dtype)
    nothing = np.zeros(0, factors.dtype)
    return permutation if unpack_pivots else nothing, lower, np.triu(factors)[..., :rank, :]
