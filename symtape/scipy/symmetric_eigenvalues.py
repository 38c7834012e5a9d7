"""Eigenvalues and eigenvectors of symmetric matrices as ``scipy.linalg`` has them.

The signs of the vectors are as SciPy finds them at the point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.elimination import mirror_triangle
from symtape.primitives.factorisations import CHOLESKY, EIGH, EIGVALSH
from symtape.scipy.banded import symmetric
from symtape.scipy.given import adjoint, as_in, found_by_scipy, orientation_factors
from symtape.scipy.systems import solve_triangular


@as_in("scipy.linalg")
def eigh(
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    type: int = 1,  # noqa: A002 -- SciPy's name
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: str | None = None,
) -> Any:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix, or of a pencil.

    Parameters
    ----------
    a, b : array_like, shape (..., n, n)
        Symmetric, of which one triangle is read; `b` positive definite.
    lower : bool
        Which triangle.
    eigvals_only : bool
    type : {1, 2, 3}
        Of ``a v = w b v``, ``a b v = w v``, ``b a v = w v``.
    subset_by_index : pair of int, optional
        The first and the last one that is wanted.
    subset_by_value : pair of float, optional
        Those in ``(low, high]`` are wanted.
    driver : str, optional
        Whose signs the vectors have.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import eigh
    >>> eigh(np.array([[3.0, 0.0], [0.0, 2.0]]), np.eye(2), eigvals_only=True)
    array([2., 3.])
    """
    given = to_array(a), None if b is None else to_array(b)
    subset = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    a, factor = _standard(*given, lower, type)
    if eigvals_only:
        values = EIGVALSH(a, UPLO="L")
        return values[..., _subset(values, **subset)]
    values, vectors = EIGH(a, UPLO="L")
    kept = _subset(values, **subset)
    values, vectors = values[..., kept], vectors[..., kept]
    if factor is not None and type == 3:
        vectors = factor @ vectors
    elif factor is not None:
        vectors = solve_triangular(factor, vectors, trans="C", lower=True)
    guide = found_by_scipy("eigh", *given, lower=lower, type=type, driver=driver, **subset)
    signs = orientation_factors(vectors, guide[1])
    return values, vectors if np.all(signs == 1) else vectors * np.expand_dims(signs, -2)


def _standard(a: Any, b: Any, lower: bool, kind: int) -> tuple[Any, Any]:
    """The symmetric matrix of a pencil's eigenvalues, and the factor of `b`."""
    if b is None:
        # Of the upper triangle alone NumPy chooses other signs.
        return a if lower else mirror_triangle(a, lower), None
    if kind not in (1, 2, 3):
        raise ValueError(f"type={kind!r}; expected 1, 2 or 3")
    factor = CHOLESKY(b, upper=not lower)
    factor, a = factor if lower else adjoint(factor), mirror_triangle(a, lower)
    if kind != 1:
        return adjoint(factor) @ a @ factor, factor
    half = solve_triangular(factor, a, lower=True)
    return solve_triangular(factor, adjoint(half), lower=True), factor


def _subset(values: Any, subset_by_index: Any, subset_by_value: Any) -> slice:
    if subset_by_index is not None:
        first, last = subset_by_index
        return slice(first, last + 1)
    if subset_by_value is not None:
        low, high = subset_by_value
        inside = (values > low) & (values <= high)
        first = int(np.sum(values <= low))
        return slice(first, first + int(np.sum(inside)))
    return slice(None)


def eigvalsh(a: Any, b: Any = None, **how: Any) -> Any:
    """The eigenvalues that :func:`eigh` finds."""
    return eigh(a, b, eigvals_only=True, **how)


def _selection_arguments(select: Any, select_range: Any) -> dict[str, Any]:
    if select in ("a", "all", 0):
        return {}
    if select in ("i", "index", 2):
        return {"subset_by_index": select_range}
    return {"subset_by_value": select_range}


@as_in("scipy.linalg")
def eig_banded(
    a_band: Any,
    lower: bool = False,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix by its bands, by all of it."""
    bands = to_array(a_band)
    subset = _selection_arguments(select, select_range)
    found = eigh(symmetric(bands, lower), eigvals_only=eigvals_only, **subset)
    if eigvals_only:
        return found
    wanted = found_by_scipy(
        "eig_banded", bands, lower=lower, select=select, select_range=select_range, max_ev=max_ev
    )
    return found[0], found[1] * orientation_factors(found[1], wanted[1])


@as_in("scipy.linalg")
def eigvals_banded(a_band: Any, lower: bool = False, **which: Any) -> Any:
    """The eigenvalues that :func:`eig_banded` finds."""
    return eig_banded(a_band, lower, True, **which)


@as_in("scipy.linalg")
def eigh_tridiagonal(
    d: Any,
    e: Any,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    lapack_driver: str = "auto",
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric tridiagonal matrix, by all of it.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import eigh_tridiagonal
    >>> eigh_tridiagonal(np.array([3.0, 2.0]), np.array([0.0]), eigvals_only=True)
    array([2., 3.])
    """
    d, e = to_array(d), to_array(e)
    matrix = np.diag(d) + np.diag(e, -1)
    found = eigh(matrix, eigvals_only=eigvals_only, **_selection_arguments(select, select_range))
    if eigvals_only:
        return found
    how = {"select": select, "select_range": select_range, "lapack_driver": lapack_driver}
    wanted = found_by_scipy("eigh_tridiagonal", d, e, **how)
    return found[0], found[1] * orientation_factors(found[1], wanted[1])


@as_in("scipy.linalg")
def eigvalsh_tridiagonal(d: Any, e: Any, **which: Any) -> Any:
    """The eigenvalues that :func:`eigh_tridiagonal` finds."""
    return eigh_tridiagonal(d, e, True, **which)
