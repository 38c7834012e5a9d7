"""Row: triangular systems, by ``scipy.linalg``, which is imported when first used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.primitives import elimination
from symtape.primitives.broadcasting import sum_to
from symtape.primitives.linear_algebra import (
    SOLVE,
    backward_stable,
    batch_systems,
    transpose_matrices,
)
from symtape.primitives.primitive import Array, Params, Primitive, declare


def _evaluate(a: Array, b: Array, trans: int, lower: bool, unit_diagonal: bool) -> Array:
    from scipy.linalg import solve_triangular

    if _is_for_blas(a, b) and (unit_diagonal or a.diagonal().all()):
        return _solve_by_rows(a, b, trans, lower, unit_diagonal)
    solve: Any = solve_triangular
    # As everywhere in NumPy, what is not finite goes on as NaN.
    return solve(a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal, check_finite=False)


def _is_for_blas(a: Array, b: Array) -> bool:
    """Whether it is one system of double precision, whose matrix BLAS takes as it is in memory."""
    is_double = a.dtype.char == b.dtype.char == "d"
    return bool(is_double and b.ndim <= 2 and a.shape == (len(b),) * 2 and b.size and a.flags.forc)


def _solve_by_rows(a: Array, b: Array, trans: int, lower: bool, unit_diagonal: bool) -> Array:
    """The transposed system, unknowns first: C's rows are BLAS's columns, so nothing is copied."""
    from scipy.linalg.blas import dtrsm, dtrsv

    if a.flags.c_contiguous:
        a, lower, trans = a.T, not lower, 1 - trans
    found: Array
    if b.ndim == 1:
        found = dtrsv(a, b, lower=lower, trans=trans, diag=unit_diagonal)
        return found
    how = {"side": 1, "lower": lower, "trans_a": 1 - trans, "diag": unit_diagonal}
    found = dtrsm(1.0, a, b.T, **how).T
    return found


def _read(n: int, lower: bool, unit_diagonal: bool) -> Any:
    """Which elements of the matrix are read."""
    triangle = np.tri(n, dtype=bool)
    triangle = triangle if lower else triangle.T
    return triangle & ~np.eye(n, dtype=bool) if unit_diagonal else triangle


def _complete_triangular_matrix(a: Array, trans: int, lower: bool, unit_diagonal: bool) -> Array:
    """The matrix of the system, with its zeros and ones."""
    n = a.shape[-1]
    matrix = np.where(_read(n, lower, unit_diagonal), a, 0)
    if unit_diagonal:
        matrix = matrix + np.eye(n, dtype=int).astype(a.dtype)
    return transpose_matrices(matrix) if trans else matrix


def _pull_back_left(
    g: Array, a: Array, y: Array, trans: int, lower: bool, unit_diagonal: bool
) -> Array:
    params = {"trans": 1 - trans, "lower": lower, "unit_diagonal": unit_diagonal}
    right = SOLVE_TRIANGULAR(a, g, **params)
    left = y
    if y.ndim == 1:
        right, left = np.expand_dims(right, -1), np.expand_dims(left, -1)
    product = left @ transpose_matrices(right) if trans else right @ transpose_matrices(left)
    return sum_to(np.where(_read(a.shape[-1], lower, unit_diagonal), -product, 0), a.shape)


def _pull_back_right(
    g: Array, a: Array, b_shape: tuple[int, ...], trans: int, lower: bool, unit_diagonal: bool
) -> Array:
    params = {"trans": 1 - trans, "lower": lower, "unit_diagonal": unit_diagonal}
    return sum_to(SOLVE_TRIANGULAR(a, g, **params), b_shape)


def _push_left(t: Array, a: Array, y: Array, trans: int, lower: bool, unit_diagonal: bool) -> Array:
    read = np.where(_read(a.shape[-1], lower, unit_diagonal), t, 0)
    turned = (transpose_matrices(read) if trans else read) @ y
    params = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
    return -SOLVE_TRIANGULAR(a, turned, **params)


def _batch(flags: Sequence[bool], args: Sequence[Array], params: Params) -> Array:
    (a, b), (left, _) = args, flags
    if left or a.ndim > 2:
        batch = SOLVE.batch
        assert batch is not None
        return batch(flags, (_complete_triangular_matrix(a, **params), b), {})
    return batch_systems(SOLVE_TRIANGULAR, flags, args, params)


SOLVE_TRIANGULAR: Primitive = declare(
    name="solve_triangular",
    evaluate=_evaluate,
    vjp=[_pull_back_left, _pull_back_right],
    elements=lambda a, b, values, **params: elimination.solve(
        _complete_triangular_matrix(a, **params),
        b,
        [_complete_triangular_matrix(values[0], **params)],
    ),
    ball=lambda ball, a, b, **params: ball.solve(_complete_triangular_matrix(a, **params), b),
    jvp=[
        _push_left,
        lambda t, a, trans, lower, unit_diagonal: SOLVE_TRIANGULAR(
            a, t, trans=trans, lower=lower, unit_diagonal=unit_diagonal
        ),
    ],
    batch=_batch,
    domain=lambda a, b, trans, lower, unit_diagonal: (
        unit_diagonal | (np.diagonal(a, axis1=-2, axis2=-1) != 0)
    ),
    rounding=backward_stable,
    complex="holomorphic",
    dependence="solves",
    source="Giles 2008, Collected matrix derivative results, 2.3.1",
    example=[
        (
            ([[2.0, 0.5], [-0.75, 1.5]], [0.25, -1.0]),
            {"trans": 0, "lower": True, "unit_diagonal": False},
        ),
        (
            ([[2.0, 0.5], [-0.75, 1.5]], [[0.25, 0.5], [-1.0, 1.5]]),
            {"trans": 1, "lower": False, "unit_diagonal": False},
        ),
        (
            ([[2.0, 0.5], [-0.75, 1.5]], [0.25, -1.0]),
            {"trans": 0, "lower": True, "unit_diagonal": True},
        ),
    ],
    smooth="pivots",
)
