"""Row: systems with a sparse matrix, by ``scipy.sparse``, which is imported when first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives import elimination
from symtape.primitives.indexing import SCATTER
from symtape.primitives.linear_algebra import batch_systems
from symtape.primitives.primitive import Array, Primitive, declare

_NARROW: Final = 16
"""Diagonals of a band that LAPACK factors in less time than it takes to make a sparse matrix."""


def _evaluate(data: Array, b: Array, rows: Array, columns: Array) -> Array:
    """By LU with partial pivoting and one step of refinement.

    After that step the solution is exact for a matrix whose entries, each by itself, are
    perturbed by roundings: Skeel 1980; Higham 2002, section 12.2.
    """
    right = np.asarray(b, dtype=data.dtype)
    below, above = (int(np.max(x, initial=-1)) for x in (rows - columns, columns - rows))
    if data.dtype == np.float64 and 2 * below + above < _NARROW and min(below, above) >= 0:
        solve = _factor_band(data, rows, columns, len(b), (below, above))
    else:
        solve = _factor_sparse(data, rows, columns, len(b))
    solved = solve(right)
    terms = data.reshape((-1, *(1,) * (right.ndim - 1))) * solved[columns]
    product = SCATTER.evaluate(terms, shape=right.shape, index=(rows,))
    result: Array = solved + solve(right - product)
    return result


_Solve = Callable[[Array], Array]


def _factor_sparse(data: Array, rows: Array, columns: Array, size: int) -> _Solve:
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import splu

    matrix: Any = coo_array((data, (rows, columns)), shape=(size, size)).tocsc()
    try:
        solve: _Solve = splu(matrix).solve
    except RuntimeError as error:
        raise np.linalg.LinAlgError("Singular matrix") from error
    return solve


def _factor_band(
    data: Array, rows: Array, columns: Array, size: int, bands: tuple[int, int]
) -> _Solve:
    from scipy.linalg.lapack import dgbtrf, dgbtrs

    below, above = bands
    stored = np.zeros((2 * below + above + 1, size))
    np.add.at(stored, (below + above + rows - columns, columns), data)
    factors, pivots, singular = dgbtrf(stored, below, above)
    if singular:
        raise np.linalg.LinAlgError("Singular matrix")
    return lambda right: dgbtrs(factors, below, above, right, pivots)[0].reshape(right.shape)


def _build_dense_matrix(data: Any, rows: Array, columns: Array, size: int) -> Any:
    return SCATTER(data, shape=(size, size), index=(rows, columns))


def _objects(data: Any, rows: Array, columns: Array, size: int) -> Any:
    whole = np.zeros((size, size), dtype=object)
    np.add.at(whole, (rows, columns), data)
    return whole


def _pull_back_data(g: Array, data: Array, y: Array, rows: Array, columns: Array) -> Array:
    right = SPARSE_SOLVE(data, g, rows=columns, columns=rows)
    product = -(right[rows] * y[columns])
    return product if y.ndim == 1 else np.sum(product, axis=-1)


def _push_data(t: Array, data: Array, y: Array, rows: Array, columns: Array) -> Array:
    factor = t if y.ndim == 1 else np.expand_dims(t, -1)
    turned = SCATTER(factor * y[columns], shape=y.shape, index=(rows,))
    return -SPARSE_SOLVE(data, turned, rows=rows, columns=columns)


def _has_pivots(data: Array, b: Array, rows: Array, columns: Array) -> Any:
    whole = _build_dense_matrix(np.asarray(data), rows, columns, len(b))
    return np.linalg.slogdet(whole)[0] != 0


_ROWS, _COLUMNS = np.array([0, 0, 1, 2, 2]), np.array([0, 2, 1, 0, 2])

SPARSE_SOLVE: Primitive = declare(
    name="sparse_solve",
    evaluate=_evaluate,
    vjp=[
        _pull_back_data,
        lambda g, data, rows, columns: SPARSE_SOLVE(data, g, rows=columns, columns=rows),
    ],
    elements=lambda data, b, values, rows, columns: elimination.solve(
        _objects(data, rows, columns, len(b)),
        b,
        [_build_dense_matrix(np.asarray(values[0], dtype=np.float64), rows, columns, len(b))],
    ),
    ball=lambda ball, data, b, rows, columns: ball.solve(_objects(data, rows, columns, len(b)), b),
    jvp=[
        _push_data,
        lambda t, data, rows, columns: SPARSE_SOLVE(data, t, rows=rows, columns=columns),
    ],
    batch=lambda flags, args, params: batch_systems(SPARSE_SOLVE, flags, args, params),
    domain=_has_pivots,
    rounding=lambda shapes, params: 4 * shapes[1][0],
    source="Giles 2008, Collected matrix derivative results, 2.3.1, by the entries that there are",
    example=[
        (([2.0, 0.5, 1.5, -0.75, 3.0], [0.25, -1.0, 0.5]), {"rows": _ROWS, "columns": _COLUMNS}),
        (
            ([2.0, 0.5, 1.5, -0.75, 3.0], [[0.25, 1.0], [-1.0, 0.5], [0.5, -0.25]]),
            {"rows": _ROWS, "columns": _COLUMNS},
        ),
    ],
)
