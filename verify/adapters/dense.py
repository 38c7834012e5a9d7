"""Arrays in other clothes: sparse matrices, linear operators and ``np.matrix``, as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.process.extras import find_loaded


def dense(x: Any) -> Any:
    """`x` as a plain array, if it is a sparse matrix or array, a linear operator or a matrix.

    Anything else comes back as it is.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> dense(csr_array([[0.0, 2.0]]))
    array([[0., 2.]])
    >>> dense("text")
    'text'
    """
    if isinstance(x, np.matrix):
        return np.asarray(x)
    if _is_sparse(x):
        return x.toarray()
    if is_operator(x):
        return np.asarray(x.matmat(np.eye(x.shape[1], dtype=np.result_type(x.dtype, np.float32))))
    return x


def transposed_dense(operator: Any) -> Any:
    """A linear operator as an array once more, from its products with the transpose.

    Raises
    ------
    NotImplementedError
        It has none.
    """
    identity = np.eye(operator.shape[0], dtype=np.result_type(operator.dtype, np.float32))
    return np.asarray(operator.rmatmat(identity)).T


def is_operator(x: Any) -> bool:
    """Whether `x` is a linear operator of SciPy, which need not be imported for the question."""
    linalg = find_loaded("scipy.sparse.linalg")
    return linalg is not None and isinstance(x, linalg.LinearOperator)


def _is_sparse(x: Any) -> bool:
    sparse = find_loaded("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(x))
