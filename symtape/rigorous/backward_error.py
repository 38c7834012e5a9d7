"""Backward errors of LAPACK's factorisations, entry by entry.

What a float factorisation computes is exact for a matrix nearby. How near, in each entry, is
known from the factors (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition:
theorems 9.3, 9.4 and 10.3). A bound by the entries themselves would not do: elimination fills
zeros in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

__all__ = ["FACTORISATIONS", "perturbation"]


def _of_lu(a: Any) -> Any:
    """``|P| |L| |U|`` of the factors that partial pivoting finds."""
    import scipy.linalg

    permuted, upper = scipy.linalg.lu(a, permute_l=True, check_finite=False)
    return np.maximum(np.abs(permuted) @ np.abs(upper), np.abs(a))


def _of_cholesky(a: Any) -> Any:
    root = np.sqrt(np.abs(np.diagonal(a)))
    return np.maximum(np.outer(root, root), np.abs(a))


def _of_eigh(a: Any) -> Any:
    return np.full(a.shape, np.linalg.norm(np.tril(a) + np.tril(a, -1).T))


FACTORISATIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "solve": _of_lu,
    "inv": _of_lu,
    "det": _of_lu,
    "cofactor": _of_lu,
    "slogdet": _of_lu,
    "cholesky": _of_cholesky,
    "eigh": _of_eigh,
    "eigvalsh": _of_eigh,
}
"""The size of the perturbation of the first argument, of rows by these names."""

_FACTOR: Final = 4


def perturbation(name: str, a: Any, unit: float) -> Any:
    """Entrywise bound on how far from `a` the matrix is that was really factorised.

    Parameters
    ----------
    name : str
        A row in :data:`FACTORISATIONS`.
    a : ndarray, shape (..., n, n)
        Values at the point.
    unit : float
        Unit roundoff.

    Returns
    -------
    ndarray, shape of `a`
        ``4 n u`` times what the factors say; inf where there are none.
    """
    a = np.asarray(a, dtype=np.float64)
    size = np.full(a.shape, np.inf)
    for index in np.ndindex(a.shape[:-2]):
        if np.all(np.isfinite(a[index])) and a[index].size:
            size[index] = FACTORISATIONS[name](a[index])
    return _FACTOR * a.shape[-1] * unit * size
