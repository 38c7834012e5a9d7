"""Banded matrices as SciPy stores them, written out, and the systems and factors of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.banded import SOLVE_BANDED, expand_bands
from symtape.primitives.elimination import mirror_triangle
from symtape.primitives.factorisations import CHOLESKY
from symtape.primitives.linear_algebra import SOLVE
from symtape.scipy.given import as_in
from symtape.scipy.systems import cho_solve


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
    below, above = l_and_u
    ab, b = _check_bands(ab, b, below + above + 1)
    return SOLVE_BANDED(ab, b, below=int(below), above=int(above), definite=False)


def _check_bands(ab: Any, b: Any, bands: int | None = None) -> tuple[Any, Any]:
    """The bands and the right side as arrays; refuse what is not of one system."""
    ab, b = to_array(ab), to_array(b)
    if ab.ndim != 2 or bands not in (None, len(ab)):
        expected = f"{bands or 'some'} rows, by the numbers of diagonals"
        raise ValueError(f"ab has shape {ab.shape}; expected {expected}")
    if b.ndim not in (1, 2) or len(b) != ab.shape[1]:
        raise ValueError(f"b has shape {b.shape}; expected {ab.shape[1]} rows, as columns of ab")
    return ab, b


@as_in("scipy.linalg")
def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Any:
    """The solution of a system with a symmetric positive definite banded matrix."""
    ab, b = _check_bands(ab, b)
    if np.iscomplexobj(ab) or np.iscomplexobj(b):
        return SOLVE(symmetric(ab, lower), b)
    beside = len(ab) - 1
    below, above = (beside, 0) if lower else (0, beside)
    return SOLVE_BANDED(ab, b, below=below, above=above, definite=True)


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
