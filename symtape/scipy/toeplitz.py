"""Toeplitz and circulant matrices: products and systems, by all of the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.linear_algebra import SOLVE
from symtape.scipy.given import as_in, conjugate


def _to_toeplitz(c_or_cr: Any) -> Any:
    return toeplitz(*c_or_cr) if isinstance(c_or_cr, tuple) else toeplitz(c_or_cr)


def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """The solution of a system with a Toeplitz matrix, by its column, or column and row.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import solve_toeplitz
    >>> solve_toeplitz(np.array([2.0, 0.0]), np.array([1.0, 3.0]))
    array([0.5, 1.5])
    """
    b = to_array(b)
    flat = np.reshape(b, (b.shape[0], -1))
    return np.reshape(SOLVE(_to_toeplitz(c_or_cr), flat), b.shape)


def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: bool = False, workers: Any = None) -> Any:
    """The product of a Toeplitz matrix and `x`."""
    x = to_array(x)
    product = _to_toeplitz(c_or_cr) @ np.reshape(x, (x.shape[0], -1))
    return np.reshape(product, (-1, *x.shape[1:]))


@as_in("scipy.linalg")
def solve_circulant(
    c: Any, b: Any, singular: str = "raise", caxis: int = -1, baxis: int = 0, outaxis: int = 0
) -> Any:
    """The solution of a system with a circulant matrix, by its first column."""
    if singular != "raise":
        raise Unsupported(f"solve_circulant(singular={singular!r}) of a tensor; expected 'raise'")
    columns = np.moveaxis(np.atleast_1d(to_array(c)), caxis, -1)
    right = np.moveaxis(np.atleast_1d(to_array(b)), baxis, -1)
    n = columns.shape[-1]
    matrices = columns[..., (np.arange(n)[:, None] - np.arange(n)) % n]
    solved = SOLVE(matrices, np.expand_dims(right, -1))[..., 0]
    return np.moveaxis(solved, -1, outaxis)


def toeplitz(c: Any, r: Any = None) -> Any:
    """The matrix with constant diagonals.

    Parameters
    ----------
    c : array_like, shape (n,)
        First column.
    r : array_like, shape (m,), optional
        First row, but for its first element, which is ``c[0]``; by default that of a Hermitian
        matrix, the conjugate of `c`.

    Returns
    -------
    Tensor or array, shape (n, m)

    Raises
    ------
    ValueError
        An argument is no vector.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import toeplitz
    >>> toeplitz(np.array([1, 2, 3]), np.array([0, 4]))
    array([[1, 4],
           [2, 1],
           [3, 2]])
    """
    column = np.atleast_1d(to_array(c))
    row = conjugate(column) if r is None else np.atleast_1d(to_array(r))
    for name, vector in (("c", column), ("r", row)):
        if vector.ndim != 1:
            raise ValueError(f"{name} has shape {vector.shape}; expected a vector")
    n, m = column.shape[0], row.shape[0]
    diagonals = np.concatenate([np.flip(column), row[1:]])
    return np.take(diagonals, np.arange(m) - np.arange(n)[:, None] + n - 1)
