"""``scipy.linalg``'s functions on tensors.

The ``overwrite_*`` arguments of SciPy have no effect, and ``check_finite`` neither: nothing is
overwritten, and numbers that are not finite pass through to the verdict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.factorisations import CHOLESKY
from symtape.primitives.linear_algebra import DET, SOLVE
from symtape.scipy.banded import cho_solve_banded, cholesky_banded, solve_banded, solveh_banded
from symtape.scipy.decompositions import qr, qr_multiply, rq, subspace_angles, svd, svdvals
from symtape.scipy.elimination import ldl, lu, lu_factor
from symtape.scipy.given import as_in, conjugate
from symtape.scipy.matrix_functions import (
    coshm,
    cosm,
    expm,
    expm_cond,
    expm_frechet,
    fractional_matrix_power,
    logm,
    orthogonal_procrustes,
    polar,
    signm,
    sinhm,
    sinm,
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
    solve_lyapunov,
    solve_sylvester,
    sqrtm,
    tanhm,
    tanm,
)
from symtape.scipy.spectral import eig, eigvals, funm, hessenberg, rsf2csf, schur
from symtape.scipy.symmetric_eigenvalues import (
    eig_banded,
    eigh,
    eigh_tridiagonal,
    eigvals_banded,
    eigvalsh,
    eigvalsh_tridiagonal,
)
from symtape.scipy.systems import (
    cho_factor,
    cho_solve,
    inv,
    lstsq,
    lu_solve,
    pinv,
    pinvh,
    solve,
    solve_triangular,
)

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cho_solve_banded",
    "cholesky",
    "cholesky_banded",
    "coshm",
    "cosm",
    "det",
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "expm_cond",
    "expm_frechet",
    "fractional_matrix_power",
    "funm",
    "hessenberg",
    "inv",
    "ldl",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul_toeplitz",
    "orthogonal_procrustes",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "qr_multiply",
    "rq",
    "rsf2csf",
    "schur",
    "signm",
    "sinhm",
    "sinm",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_lyapunov",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "subspace_angles",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
    "toeplitz",
]


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The determinant of matrices, shape (..., n, n); differentiable at singular ones too.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import det
    >>> bool(np.isclose(det(np.array([[1.0, 2.0], [3.0, 4.0]])), -2.0))
    True
    """
    return DET(to_array(a))


@as_in("scipy.linalg")
def cholesky(a: Any, lower: bool = False) -> Any:
    """The Cholesky factor of symmetric positive definite matrices, shape (..., n, n).

    The upper triangular one by default, as in SciPy. The gradient is symmetric: the function
    is taken as one of the symmetric part of `a`.

    Raises
    ------
    numpy.linalg.LinAlgError
        `a` is not positive definite.

    Notes
    -----
    Murray 2016, "Differentiation of the Cholesky decomposition".

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import cholesky
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 10.0]]))
    array([[2., 1.],
           [0., 3.]])
    """
    return CHOLESKY(to_array(a), upper=not lower)


def block_diag(*arrs: Any) -> Any:
    """A matrix with the given ones along its diagonal, and zeros elsewhere.

    Parameters
    ----------
    *arrs : array_like, up to 2-D
        A vector is taken as one row.

    Returns
    -------
    Tensor or array
        As many rows and columns as all blocks together.

    Raises
    ------
    ValueError
        A block has more than two axes.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import block_diag
    >>> block_diag(np.array([[1.0]]), np.array([2.0, 3.0]))
    array([[1., 0., 0.],
           [0., 2., 3.]])
    """
    blocks = [np.atleast_2d(to_array(block)) for block in arrs] or [np.zeros((1, 0))]
    for number, block in enumerate(blocks):
        if block.ndim > 2:
            raise ValueError(f"block {number} has shape {block.shape}; expected at most two axes")
    widths = [block.shape[1] for block in blocks]
    rows = [
        np.pad(block, ((0, 0), (sum(widths[:k]), sum(widths[k + 1 :]))))
        for k, block in enumerate(blocks)
    ]
    return np.concatenate(rows, axis=0)


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
