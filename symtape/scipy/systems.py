"""Linear systems as ``scipy.linalg`` has them: by factors, by structure, in the least squares."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.elimination import mirror_triangle
from symtape.primitives.factorisations import CHOLESKY, PINV, SINGULAR_VALUES
from symtape.primitives.linear_algebra import INV, SOLVE
from symtape.primitives.triangular import SOLVE_TRIANGULAR
from symtape.scipy.given import as_in, conjugate

_TRANSPOSED: Final = {0: "N", "N": "N", 1: "T", "T": "T", 2: "C", "C": "C"}

_SYMMETRIC: Final = frozenset(("sym", "symmetric"))
_HERMITIAN: Final = frozenset(("her", "hermitian", "pos", "positive definite"))
_READ: Final[dict[str, Any]] = {
    "diagonal": lambda gap: gap == 0,
    "tridiagonal": lambda gap: np.abs(gap) <= 1,
    "lower triangular": lambda gap: gap >= 0,
    "upper triangular": lambda gap: gap <= 0,
}
"""Which elements are read, by row less column."""


def _apply_structure(a: Any, assume_a: str | None, lower: bool) -> Any:
    """The matrix that is meant, of those elements of `a` that are read."""
    if assume_a in (None, "gen", "general", "banded"):
        return a
    if assume_a in _SYMMETRIC | _HERMITIAN:
        return mirror_triangle(a, lower, hermitian=assume_a in _HERMITIAN)
    if assume_a not in _READ:
        expected = ["general", "banded", *sorted(_SYMMETRIC | _HERMITIAN), *_READ]
        raise ValueError(f"assume_a={assume_a!r}; expected one of {', '.join(expected)}")
    n = a.shape[-1]
    return np.where(_READ[assume_a](np.arange(n)[:, None] - np.arange(n)), a, 0)


@as_in("scipy.linalg")
def solve(
    a: Any, b: Any, lower: bool = False, assume_a: str | None = None, transposed: bool = False
) -> Any:
    """The solution of ``a @ x = b``.

    Parameters
    ----------
    a : array_like, shape (..., n, n)
    b : array_like, shape (n,) or (..., n, k)
    lower : bool
        Of a symmetric matrix, read the lower triangle.
    assume_a : str, optional
        The structure; elements that it leaves unread have derivative 0, and those of a
        symmetric matrix that stand for two count twice.
    transposed : bool
        Solve ``a.T @ x = b``.

    Returns
    -------
    Tensor or array
        Shape of `b`, broadcast against the stack of matrices.

    Raises
    ------
    ValueError
        `assume_a` names no structure.
    numpy.linalg.LinAlgError
        `a` is singular.

    Notes
    -----
    Giles 2008, "Collected matrix derivative results for forward and reverse mode algorithmic
    differentiation".

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import solve
    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    a, b = _apply_structure(to_array(a), assume_a, lower), to_array(b)
    return SOLVE(np.swapaxes(a, -1, -2) if transposed else a, b)


@as_in("scipy.linalg")
def inv(a: Any, *, assume_a: str | None = None, lower: bool = False) -> Any:
    """The inverse of matrices, shape (..., n, n); arguments as in :func:`solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import inv
    >>> inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return INV(_apply_structure(to_array(a), assume_a, lower))


@as_in("scipy.linalg")
def solve_triangular(
    a: Any, b: Any, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """The solution of a triangular system.

    Parameters
    ----------
    a : array_like, shape (n, n)
        Of which one triangle is read.
    b : array_like, shape (n,) or (n, k)
    trans : {0, 1, 2, "N", "T", "C"}
        1, "T": solve ``a.T @ x = b``; 2, "C": of its conjugate.
    lower : bool
        Read the lower triangle.
    unit_diagonal : bool
        Take the diagonal as ones, without reading it.

    Returns
    -------
    Tensor or array
        Shape of `b`.

    Raises
    ------
    ValueError
        `trans` is none of those.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import solve_triangular
    >>> solve_triangular(np.array([[2.0, 0.0], [2.0, 4.0]]), np.array([1.0, 1.0]), lower=True)
    array([0.5, 0. ])
    """
    a, way = to_array(a), _way(trans)
    return SOLVE_TRIANGULAR(
        conjugate(a) if way == "C" else a,
        to_array(b),
        trans=int(way != "N"),
        lower=bool(lower),
        unit_diagonal=bool(unit_diagonal),
    )


def _way(trans: int | str) -> str:
    if trans not in _TRANSPOSED:
        raise ValueError(f"trans={trans!r}; expected one of {list(_TRANSPOSED)}")
    return _TRANSPOSED[trans]


@as_in("scipy.linalg")
def cho_factor(a: Any, lower: bool = False) -> tuple[Any, bool]:
    """The Cholesky factor, for :func:`cho_solve`; zeros where SciPy leaves what was there."""
    return CHOLESKY(to_array(a), upper=not lower), lower


@as_in("scipy.linalg")
def cho_solve(c_and_lower: tuple[Any, bool], b: Any) -> Any:
    """The solution of a system by the Cholesky factor of its matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import cho_factor, cho_solve
    >>> cho_solve(cho_factor(np.array([[4.0, 0.0], [0.0, 2.0]])), np.array([1.0, 1.0]))
    array([0.25, 0.5 ])
    """
    c, lower = c_and_lower
    first, second = ("N", "C") if lower else ("C", "N")
    between = solve_triangular(c, b, trans=first, lower=lower)
    return solve_triangular(c, between, trans=second, lower=lower)


@as_in("scipy.linalg")
def lu_solve(lu_and_piv: tuple[Any, Any], b: Any, trans: int | str = 0) -> Any:
    """The solution of a system by what :func:`~symtape.scipy.linalg.lu_factor` finds."""
    lu, pivots = map(to_array, lu_and_piv)
    b = to_array(b)
    rows = _row_order(np.asarray(pivots))
    way = _way(trans)
    if way == "N":
        between = solve_triangular(lu, b[rows], lower=True, unit_diagonal=True)
        return solve_triangular(lu, between)
    between = solve_triangular(lu, b, trans=way)
    between = solve_triangular(lu, between, trans=way, lower=True, unit_diagonal=True)
    return between[np.argsort(rows)]


def _row_order(pivots: Any) -> Any:
    """The order of the rows after LAPACK's exchanges."""
    order = np.arange(len(pivots))
    for k, other in enumerate(pivots):
        order[[k, other]] = order[[other, k]]
    return order


@as_in("scipy.linalg")
def pinv(
    a: Any, *, atol: float | None = None, rtol: float | None = None, return_rank: bool = False
) -> Any:
    """The pseudo-inverse; below full rank with the derivative along that rank."""
    a = to_array(a)
    if a.ndim != 2:
        raise Unsupported(f"pinv of a of shape {a.shape}; expected one matrix")
    values = SINGULAR_VALUES(a)
    relative = max(a.shape) * np.finfo(a.dtype).eps if rtol is None else rtol
    limit = (atol or 0.0) + relative * values[0]
    full = bool(np.all(values > limit))
    if atol and not full:
        raise Unsupported(f"pinv below full rank with atol={atol!r}; give rtol instead")
    found = PINV(a, rcond=float(relative), full=full)
    return (found, int(np.sum(values > limit))) if return_rank else found


@as_in("scipy.linalg")
def pinvh(
    a: Any,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
) -> Any:
    """The pseudo-inverse of a symmetric or Hermitian matrix, by one of its triangles."""
    return pinv(mirror_triangle(to_array(a), lower), atol=atol, rtol=rtol, return_rank=return_rank)


@as_in("scipy.linalg")
def lstsq(
    a: Any, b: Any, cond: float | None = None, lapack_driver: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """The least-squares solution, its residues, the rank and the singular values."""
    a, b = to_array(a), to_array(b)
    limit = float(np.finfo(a.dtype).eps) if cond is None else cond
    x, residues, rank, values = np.linalg.lstsq(a, b, limit)
    if lapack_driver == "gelsy":
        return x, np.empty(0, a.dtype), rank, None
    if np.ndim(b) == 1 and np.size(residues):
        residues = residues[0]
    return x, residues, rank, values
