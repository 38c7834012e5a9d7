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
from symtape.scipy.banded import cho_solve_banded as cho_solve_banded
from symtape.scipy.banded import cholesky_banded as cholesky_banded
from symtape.scipy.banded import solve_banded as solve_banded
from symtape.scipy.banded import solveh_banded as solveh_banded
from symtape.scipy.decompositions import qr as qr
from symtape.scipy.decompositions import qr_multiply as qr_multiply
from symtape.scipy.decompositions import rq as rq
from symtape.scipy.decompositions import subspace_angles as subspace_angles
from symtape.scipy.decompositions import svd as svd
from symtape.scipy.decompositions import svdvals as svdvals
from symtape.scipy.elimination import ldl as ldl
from symtape.scipy.elimination import lu as lu
from symtape.scipy.elimination import lu_factor as lu_factor
from symtape.scipy.given import as_in, conjugate
from symtape.scipy.matrix_functions import coshm as coshm
from symtape.scipy.matrix_functions import cosm as cosm
from symtape.scipy.matrix_functions import expm as expm
from symtape.scipy.matrix_functions import expm_cond as expm_cond
from symtape.scipy.matrix_functions import expm_frechet as expm_frechet
from symtape.scipy.matrix_functions import fractional_matrix_power as fractional_matrix_power
from symtape.scipy.matrix_functions import logm as logm
from symtape.scipy.matrix_functions import orthogonal_procrustes as orthogonal_procrustes
from symtape.scipy.matrix_functions import polar as polar
from symtape.scipy.matrix_functions import signm as signm
from symtape.scipy.matrix_functions import sinhm as sinhm
from symtape.scipy.matrix_functions import sinm as sinm
from symtape.scipy.matrix_functions import solve_continuous_lyapunov as solve_continuous_lyapunov
from symtape.scipy.matrix_functions import solve_discrete_lyapunov as solve_discrete_lyapunov
from symtape.scipy.matrix_functions import solve_lyapunov as solve_lyapunov
from symtape.scipy.matrix_functions import solve_sylvester as solve_sylvester
from symtape.scipy.matrix_functions import sqrtm as sqrtm
from symtape.scipy.matrix_functions import tanhm as tanhm
from symtape.scipy.matrix_functions import tanm as tanm
from symtape.scipy.spectral import eig as eig
from symtape.scipy.spectral import eigvals as eigvals
from symtape.scipy.spectral import funm as funm
from symtape.scipy.spectral import hessenberg as hessenberg
from symtape.scipy.spectral import rsf2csf as rsf2csf
from symtape.scipy.spectral import schur as schur
from symtape.scipy.symmetric_eigenvalues import eig_banded as eig_banded
from symtape.scipy.symmetric_eigenvalues import eigh as eigh
from symtape.scipy.symmetric_eigenvalues import eigh_tridiagonal as eigh_tridiagonal
from symtape.scipy.symmetric_eigenvalues import eigvals_banded as eigvals_banded
from symtape.scipy.symmetric_eigenvalues import eigvalsh as eigvalsh
from symtape.scipy.symmetric_eigenvalues import eigvalsh_tridiagonal as eigvalsh_tridiagonal
from symtape.scipy.systems import cho_factor as cho_factor
from symtape.scipy.systems import cho_solve as cho_solve
from symtape.scipy.systems import inv as inv
from symtape.scipy.systems import lstsq as lstsq
from symtape.scipy.systems import lu_solve as lu_solve
from symtape.scipy.systems import pinv as pinv
from symtape.scipy.systems import pinvh as pinvh
from symtape.scipy.systems import solve as solve
from symtape.scipy.systems import solve_triangular as solve_triangular


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
