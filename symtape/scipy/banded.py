"""Banded matrices as SciPy stores them, written out, and the systems and factors of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.elimination import mirror_triangle
from symtape.primitives.factorisations import CHOLESKY
from symtape.primitives.linear_algebra import SOLVE
from symtape.primitives.sparse_solve import SPARSE_SOLVE
from symtape.scipy.given import as_in
from symtape.scipy.systems import cho_solve


def expand_bands(ab: Any, below: int, above: int) -> Any:
    """The square matrix of bands: ``ab[above + i - j, j] == a[i, j]``."""
    columns = ab.shape[-1]
    i, j = np.indices((columns, columns))
    inside = (i - j <= below) & (j - i <= above)
    return np.where(inside, ab[np.where(inside, above + i - j, 0), j], 0)


def symmetric(ab: Any, lower: bool) -> Any:
    """The symmetric or Hermitian matrix of the bands of one of its triangles."""
    bands = ab.shape[0] - 1
    return mirror_triangle(
        expand_bands(ab, bands, 0) if lower else expand_bands(ab, 0, bands), lower
    )


def _bands(a: Any, ab: Any, lower: bool) -> Any:
    """The bands of one triangle of a matrix, in those of `ab`."""
    row, column = np.indices(ab.shape)
    i = column + row if lower else column + row - (ab.shape[0] - 1)
    inside = (i >= 0) & (i < len(a))
    return np.where(inside, a[np.where(inside, i, 0), column], ab)


@as_in("scipy.linalg")
def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any) -> Any:
    """The solution of a system with a banded matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import solve_banded
    >>> solve_banded((0, 1), np.array([[0.0, 1.0], [2.0, 4.0]]), np.array([1.0, 2.0]))
    array([0.25, 0.5 ])
    """
    ab = to_array(ab)
    below, above = l_and_u
    if ab.shape[0] != below + above + 1:
        raise ValueError(
            f"ab has {ab.shape[0]} rows; expected {below + above + 1}, by l_and_u={l_and_u}"
        )
    if np.iscomplexobj(ab) or np.iscomplexobj(b):
        return SOLVE(expand_bands(ab, below, above), to_array(b))
    band, row, column = _places(ab.shape, above)
    return SPARSE_SOLVE(ab[band, column], to_array(b), rows=row, columns=column)


def _places(shape: tuple[int, ...], above: int) -> tuple[Any, Any, Any]:
    """Of what is in the matrix its band, its row and its column."""
    band, column = np.indices(shape)
    row = column + band - above
    inside = (row >= 0) & (row < shape[1])
    return band[inside], row[inside], column[inside]


@as_in("scipy.linalg")
def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Any:
    """The solution of a system with a symmetric positive definite banded matrix."""
    ab = to_array(ab)
    if np.iscomplexobj(ab) or np.iscomplexobj(b):
        return SOLVE(symmetric(ab, lower), to_array(b))
    band, row, column = _places(ab.shape, 0 if lower else ab.shape[0] - 1)
    off = row != column
    entries = ab[band, column]
    return SPARSE_SOLVE(
        np.concatenate([entries, entries[off]]),
        to_array(b),
        rows=np.concatenate([row, column[off]]),
        columns=np.concatenate([column, row[off]]),
    )


@as_in("scipy.linalg")
def cholesky_banded(ab: Any, lower: bool = False) -> Any:
    """The bands of the Cholesky factor; what is in `ab` outside of the matrix stays there."""
    ab = to_array(ab)
    factor = CHOLESKY(symmetric(ab, lower), upper=not lower)
    return _bands(factor, ab, lower)


@as_in("scipy.linalg")
def cho_solve_banded(cb_and_lower: tuple[Any, bool], b: Any) -> Any:
    """The solution of a system by the bands of its Cholesky factor."""
    bands, lower = cb_and_lower
    bands = to_array(bands)
    beside = bands.shape[0] - 1
    factor = expand_bands(bands, beside, 0) if lower else expand_bands(bands, 0, beside)
    return cho_solve((factor, lower), b)
