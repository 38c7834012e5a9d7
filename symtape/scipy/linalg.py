"""``scipy.linalg``'s functions on tensors.

The ``overwrite_*`` arguments of SciPy have no effect, and ``check_finite`` neither: nothing is
overwritten, and numbers that are not finite pass through to the verdict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import as_array
from symtape.primitives.factorisations import CHOLESKY
from symtape.primitives.linear_algebra import DET
from symtape.scipy.banded import *  # noqa: F403
from symtape.scipy.decompositions import *  # noqa: F403
from symtape.scipy.elimination import *  # noqa: F403
from symtape.scipy.matrix_functions import *  # noqa: F403
from symtape.scipy.spectral import *  # noqa: F403
from symtape.scipy.symmetric_eigenvalues import *  # noqa: F403
from symtape.scipy.systems import *  # noqa: F403
from symtape.scipy.toeplitz import *  # noqa: F403


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The determinant of matrices, shape (..., n, n); differentiable at singular ones too.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import det
    >>> bool(np.isclose(det(np.array([[1.0, 2.0], [3.0, 4.0]])), -2.0))
    True
    """
    return DET(as_array(a))


def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
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
    return CHOLESKY(as_array(a), upper=not lower)


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
    blocks = [np.atleast_2d(as_array(block)) for block in arrs] or [np.zeros((1, 0))]
    for number, block in enumerate(blocks):
        if block.ndim > 2:
            raise ValueError(f"block {number} has shape {block.shape}; expected at most two axes")
    widths = [block.shape[1] for block in blocks]
    rows = [
        np.pad(block, ((0, 0), (sum(widths[:k]), sum(widths[k + 1 :]))))
        for k, block in enumerate(blocks)
    ]
    return np.concatenate(rows, axis=0)
