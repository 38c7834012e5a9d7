"""Readings: LU decompositions, and the determinants and solutions that leave them behind.

The order of the rows is taken from what torch has computed. It is a constant of the program: any
order without a zero pivot gives factors of the same matrix, so what is computed with them is the
same in exact arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.linear_algebra import adjoint as transposed
from symtape.frontends.aten.linear_algebra import solve_system, success_codes, triangular
from symtape.frontends.aten.table import Seen, WithheldResult, reads
from symtape.frontends.elimination import eliminate, reorder_rows


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
    return _factors(transposed(a) if seen.contiguous else a, pivots), pivots


@reads("linalg_lu_solve", takes_withheld=True)
def lu_solve(factors: Any, pivots: Any, b: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """The solution for the matrix that was factored, or its transpose."""
    if isinstance(factors, WithheldResult):
        return solve_system(transposed(factors.of) if adjoint else factors.of, b, left)
    if not left:
        return transposed(lu_solve(factors, pivots, transposed(b), adjoint=not adjoint))
    order = _order(pivots, np.shape(factors)[-1])
    if adjoint:
        first = triangular(transposed(factors), b, lower=True)
        last = triangular(transposed(factors), first, lower=False, unit=True)
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
