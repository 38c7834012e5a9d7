"""Readings: transposes, systems of equations, factorisations, and functions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import WithheldResult, reads, refuse
from symtape.scipy import linalg


def adjoint(a: Any) -> Any:
    """Each matrix transposed."""
    return np.swapaxes(a, -1, -2)


def success_codes(a: Any) -> Any:
    """What LAPACK says of each matrix when nothing went wrong."""
    return np.zeros(np.shape(a)[:-2], np.int32)


def solve_system(a: Any, b: Any, left: bool = True) -> Any:
    """``a^-1 b`` or ``b a^-1``; `b` may be vectors."""
    if not left:
        return adjoint(solve_system(adjoint(a), adjoint(b)))
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
    return adjoint(factor) if upper else factor, success_codes(a)


@reads("_cholesky_solve_helper", "cholesky_solve")
def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    """The solution for the matrix with this factor."""
    lower = adjoint(factor) if upper else factor
    first = triangular(lower, b, lower=True)
    return triangular(adjoint(lower), first, lower=False)


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
    return adjoint(triangular(adjoint(a), adjoint(b), lower=upper, unit=unitriangular))


@reads("triangular_solve")
def old_triangular_solve(
    b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The same as an older function."""
    side = adjoint(a) if transpose else a
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
