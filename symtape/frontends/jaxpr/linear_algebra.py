"""Factorisations and linear systems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symtape.frontends.elimination import eliminate, reorder_rows
from symtape.frontends.jaxpr.library import jax
from symtape.frontends.jaxpr.table import READINGS, Call, reads
from symtape.primitives.linear_algebra import transpose_matrices
from symtape.recording.tensor import Tensor, value_of

_MOST_UNKNOWNS = 64


READINGS["cholesky"] = lambda call, a: np.linalg.cholesky(a)


@reads("cholesky_update")
def _cholesky_of_more(call: Call, r: Any, w: Any) -> Any:
    """The upper factor of ``r.T @ r + w w.T``."""
    column = np.expand_dims(w, -1)
    grown = np.matmul(transpose_matrices(r), r) + np.matmul(column, transpose_matrices(column))
    return transpose_matrices(np.linalg.cholesky(grown))


@reads("symmetric_product")
def _symmetric_product(call: Call, a: Any, c: Any) -> Any:
    alpha, beta = (np.asarray(call.params[k], call.dtype)[()] for k in ("alpha", "beta"))
    return alpha * np.matmul(a, transpose_matrices(a)) + beta * c


@reads("triangular_solve")
def _triangular(call: Call, a: Any, b: Any) -> Any:
    from symtape.scipy.linalg import solve_triangular

    params = call.params
    turned = bool(params["transpose_a"])
    options = {"lower": bool(params["lower"]), "unit_diagonal": bool(params["unit_diagonal"])}
    if params["left_side"]:
        return solve_triangular(a, b, trans=int(turned), **options)
    return transpose_matrices(
        solve_triangular(a, transpose_matrices(b), trans=int(not turned), **options)
    )


@reads("tridiagonal_solve")
def _tridiagonal(call: Call, lower: Any, middle: Any, upper: Any, b: Any) -> Any:
    if middle.ndim != 1:
        raise call.refuse("it is read for one system at a time")
    matrix = np.diag(middle) + np.diag(upper[:-1], 1) + np.diag(lower[1:], -1)
    return np.linalg.solve(matrix, b)


@reads("qr")
def _qr(call: Call, a: Any) -> Any:
    if call.params.get("pivoting"):
        raise call.refuse("QR with pivoting has no row in symtape")
    complete = bool(call.params["full_matrices"]) and a.shape[-2] > a.shape[-1]
    if complete:
        raise call.refuse("QR with a square Q of a tall matrix has no row; use mode='reduced'")
    return list(np.linalg.qr(a))


@reads("eigh")
def _eigh(call: Call, a: Any) -> Any:
    if call.params.get("subset_by_index") is not None:
        raise call.refuse("some of the eigenvalues only: take all, and slice")
    values, vectors = np.linalg.eigh(a, "L" if call.params["lower"] else "U")
    return [vectors, values]


@reads("svd")
def _svd(call: Call, a: Any) -> Any:
    if call.params.get("subset_by_index") is not None:
        raise call.refuse("some of the singular values only: take all, and slice")
    if not call.params["compute_uv"]:
        return [np.linalg.svd(a, compute_uv=False)]
    if call.params["full_matrices"] and a.shape[-1] != a.shape[-2]:
        raise call.refuse("square U and V of a matrix that is not; use full_matrices=False")
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return [s, u, vh]


@reads("lu")
def _lu(call: Call, a: Any) -> Any:
    """By elimination, with the rows in the order that they have at the point."""
    if a.shape[-1] != a.shape[-2]:
        raise call.refuse("an LU factorisation of a matrix that is not square is not read")
    value = value_of(a)
    _, pivots, order = (np.asarray(part) for part in jax().lax.linalg.lu(value))
    return [eliminate(reorder_rows(a, order)), pivots, order]


@reads("custom_linear_solve")
def _solve_linear(call: Call, *operands: Any) -> Any:
    """The solution of ``matvec(x) = b``, whichever way the program finds it."""
    counts, programs = call.params["const_lengths"], call.params["jaxprs"]
    given = operands[: counts.matvec]
    rights = operands[counts.matvec + counts.vecmat + counts.solve + counts.transpose_solve :]
    if len(rights) != 1:
        raise call.refuse("a linear system of several unknown arrays is not read")
    matrix = _row_wise(programs.matvec, given)
    if matrix is not None:
        solved = np.linalg.solve(matrix, transpose_matrices(_two(rights[0])))
        return [transpose_matrices(solved).reshape(rights[0].shape)]
    return [_solve_by_columns(call, programs.matvec, given, rights[0])]


def _two(b: Any) -> Any:
    return np.reshape(b, (math.prod(b.shape[:-1]), b.shape[-1]))


def _row_wise(matvec: Any, given: Any) -> Any:
    """The matrix that a matvec multiplies each row of its argument by; None if it is no such."""
    jaxpr = matvec.jaxpr
    first, rest = jaxpr.eqns[0], jaxpr.eqns[1:]
    if first.primitive.name != "dot_general" or len(given) != 1 or given[0].ndim != 2:
        return None
    (left, right), batch = first.params["dimension_numbers"]
    if tuple(map(len, batch)) != (0, 0) or len(left) != 1 or len(jaxpr.invars) != 2:
        return None
    matrix, x = jaxpr.invars
    swapped = first.invars == [x, matrix]
    if not swapped and first.invars != [matrix, x]:
        return None
    by_matrix, by_x = (right[0], left[0]) if swapped else (left[0], right[0])
    order: tuple[int, ...] = tuple(range(x.aval.ndim))
    # The axis that comes from the matrix has to end up last.
    order = order if swapped else (*order[1:], 0) if _is_turned(rest, x.aval.ndim) else ()
    plain = swapped and all(_keeps(eqn) for eqn in rest)
    if by_x != x.aval.ndim - 1 or not order or (swapped and not plain):
        return None
    return given[0] if by_matrix == 1 else np.transpose(given[0])


def _keeps(eqn: Any) -> bool:
    return eqn.primitive.name == "reduce_sum" and not tuple(eqn.params["axes"])


def _is_turned(rest: Any, rank: int) -> bool:
    """Whether what follows only moves the first axis to the end."""
    moves = [eqn for eqn in rest if not _keeps(eqn)]
    if rank == 1:
        return not moves
    wanted = (*range(1, rank), 0)
    return (
        len(moves) == 1
        and moves[0].primitive.name == "transpose"
        and tuple(int(i) for i in moves[0].params["permutation"]) == wanted
    )


def _solve_by_columns(call: Call, matvec: Any, given: Any, b: Any) -> Any:
    size = math.prod(b.shape)
    if size > _MOST_UNKNOWNS:
        raise call.refuse(f"a linear system of {size} unknowns; up to {_MOST_UNKNOWNS} are read")
    columns = []
    for unit in np.eye(size, dtype=b.dtype):
        (column,) = call.run(matvec, *given, unit.reshape(b.shape))
        columns.append(np.reshape(column, (size,)))
    matrix = np.stack(columns, axis=1)
    return np.reshape(np.linalg.solve(matrix, np.reshape(b, (size,))), b.shape)


@reads("zeta")
def _hurwitz(call: Call, s: Any, q: Any) -> Any:
    """At integers, by the polygamma function: DLMF 25.11.12."""
    from symtape.scipy.special import polygamma

    orders = np.unique(np.asarray(s)) if not isinstance(s, Tensor) else np.empty(0)
    if orders.size != 1 or orders[0] != int(orders[0]) or orders[0] < 2:
        raise call.refuse("zeta is read for one integer above 1 that no input changes")
    n = int(orders[0]) - 1
    scale = (-1.0) ** (n + 1) / math.factorial(n)
    return polygamma(n, q) * np.asarray(scale, call.dtype)[()]
