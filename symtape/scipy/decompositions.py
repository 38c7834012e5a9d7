"""QR, singular values, eigenvalues and polar factors as ``scipy.linalg`` has them.

What a decomposition leaves open (the sign of a vector) is as SciPy finds it at the point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import as_array
from symtape.primitives.elimination import mirrored
from symtape.primitives.factorisations import (
    CHOLESKY,
    EIGH,
    EIGVALSH,
    QR,
    SINGULAR_VALUES,
    SVD,
)
from symtape.scipy.banded import symmetric
from symtape.scipy.given import adjoint, oriented, over_stacks, value_of
from symtape.scipy.systems import solve_triangular

__all__ = [
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "qr",
    "qr_multiply",
    "rq",
    "subspace_angles",
    "svd",
    "svdvals",
]


def qr(
    a: Any,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> Any:
    """The QR decomposition, of a tall matrix without the columns that are not determined.

    Raises
    ------
    Unsupported
        For ``mode="raw"``, and ``mode="full"`` of a matrix of more rows than columns, where
        the last columns of Q are arbitrary.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import qr
    >>> qr(np.array([[3.0, 1.0], [4.0, 0.0]]), mode="economic")[1]
    array([[-5. , -0.6],
           [ 0. , -0.8]])
    """
    if mode not in ("full", "r", "economic"):
        raise Unsupported(f"qr(mode={mode!r}) of a tensor; expected 'full', 'r' or 'economic'")
    a = as_array(a)
    rows, columns = a.shape[-2:]
    if mode == "full" and rows > columns:
        raise Unsupported(
            f"qr with mode='full' of shape {a.shape}: the last columns of Q are arbitrary, so "
            "they have no gradient; pass mode='economic'"
        )

    def factors(one: Any) -> tuple[Any, ...]:
        order = _order_of_columns(one) if pivoting else None
        q, r = _reduced(one if order is None else one[:, order])
        if mode == "r" and rows > columns:
            r = np.concatenate([r, np.zeros((rows - columns, columns), r.dtype)])
        kept = (r,) if mode == "r" else (q, r)
        return kept if order is None else (*kept, order)

    return over_stacks(factors, a)


def _order_of_columns(a: Any) -> Any:
    import scipy.linalg

    found: Any = scipy.linalg.qr(value_of(a), mode="r", pivoting=True)
    return found[1]


def _reduced(a: Any) -> tuple[Any, Any]:
    """The reduced decomposition, of a wide matrix by that of its first columns."""
    rows, columns = a.shape
    q, r = QR(a[:, :rows] if columns > rows else a)
    return q, np.concatenate([r, adjoint(q) @ a[:, rows:]], axis=1) if columns > rows else r


def rq(
    a: Any,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    check_finite: bool = True,
) -> Any:
    """The decomposition ``R @ Q`` with an upper triangular R."""
    import scipy.linalg

    a = as_array(a)
    if mode not in ("full", "r", "economic"):
        raise ValueError(f"mode={mode!r}; expected 'full', 'r' or 'economic'")
    rows, columns = a.shape
    if rows > columns or (mode == "full" and rows < columns):
        raise Unsupported(
            f"rq with mode={mode!r} of shape {a.shape} of a tensor; expected a square matrix, "
            "or a wide one with mode='economic'"
        )
    back, triangle = _reduced(adjoint(a[::-1]))
    r, q = adjoint(triangle)[::-1, ::-1], adjoint(back)[::-1]
    wanted: Any = scipy.linalg.rq(value_of(a), mode="economic")
    signs = oriented(q.T, wanted[1].T)
    r, q = r * np.conj(signs), q * signs[:, None]
    if mode == "r":
        return np.concatenate([np.zeros((rows, columns - rows), r.dtype), r], axis=1)
    return r, q


def qr_multiply(
    a: Any,
    c: Any,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> Any:
    """``Q @ c`` or ``c @ Q`` for the reduced decomposition of `a`, and R."""
    if mode not in ("left", "right"):
        raise ValueError(f"mode={mode!r}; expected 'left' or 'right'")
    q, *rest = qr(a, mode="economic", pivoting=pivoting)
    q, c = np.conj(q) if conjugate and np.iscomplexobj(q) else q, as_array(c)
    return (q @ c if mode == "left" else c @ q, *rest)


def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The singular values, descending."""
    return SINGULAR_VALUES(as_array(a))


def svd(
    a: Any,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """The singular value decomposition, without bases of null spaces, which are arbitrary.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import svd
    >>> svd(np.array([[3.0, 0.0], [0.0, 2.0]]))[1]
    array([3., 2.])
    """
    a = as_array(a)
    if not compute_uv:
        return SINGULAR_VALUES(a)
    if full_matrices and a.shape[-1] != a.shape[-2]:
        raise Unsupported(
            f"svd with full_matrices=True of shape {a.shape}: a basis of the null space is "
            "arbitrary, so it has no gradient; pass full_matrices=False"
        )
    import scipy.linalg

    decompose: Any = scipy.linalg.svd
    wanted = decompose(value_of(a), full_matrices=False, lapack_driver=lapack_driver)
    u, s, vh = SVD(a)
    signs = oriented(u, wanted[0])
    if np.all(signs == 1):
        return u, s, vh
    return u * np.expand_dims(signs, -2), s, vh * np.expand_dims(np.conj(signs), -1)


def eigh(
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,  # noqa: A002 -- SciPy's name
    check_finite: bool = True,
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
    overwrite_a, overwrite_b, check_finite
        Accepted, without effect.
    driver : str, optional
        Whose signs the vectors have.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import eigh
    >>> eigh(np.array([[3.0, 0.0], [0.0, 2.0]]), np.eye(2), eigvals_only=True)
    array([2., 3.])
    """
    given, lead = (as_array(a), None if b is None else as_array(b)), {"lower": lower, "type": type}
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
    import scipy.linalg

    decompose: Any = scipy.linalg.eigh
    guide = decompose(
        *(None if x is None else value_of(x) for x in given), **lead, **subset, driver=driver
    )
    signs = oriented(vectors, guide[1])
    return values, vectors if np.all(signs == 1) else vectors * np.expand_dims(signs, -2)


def _standard(a: Any, b: Any, lower: bool, kind: int) -> tuple[Any, Any]:
    """The symmetric matrix of a pencil's eigenvalues, and the factor of `b`."""
    if b is None:
        # Of the upper triangle alone NumPy chooses other signs.
        return a if lower else mirrored(a, lower), None
    if kind not in (1, 2, 3):
        raise ValueError(f"type={kind!r}; expected 1, 2 or 3")
    factor = CHOLESKY(b, upper=not lower)
    factor, a = factor if lower else adjoint(factor), mirrored(a, lower)
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


def eigvalsh(
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,  # noqa: A002 -- SciPy's name
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: str | None = None,
) -> Any:
    """The eigenvalues that :func:`eigh` finds."""
    return eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
    )


def _selected(select: Any, select_range: Any) -> dict[str, Any]:
    if select in ("a", "all", 0):
        return {}
    if select in ("i", "index", 2):
        return {"subset_by_index": select_range}
    return {"subset_by_value": select_range}


def eig_banded(
    a_band: Any,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix by its bands, by all of it."""
    import scipy.linalg

    bands = as_array(a_band)
    subset = _selected(select, select_range)
    found = eigh(symmetric(bands, lower), eigvals_only=eigvals_only, **subset)
    if eigvals_only:
        return found
    wanted: Any = scipy.linalg.eig_banded(
        value_of(bands), lower=lower, select=select, select_range=select_range, max_ev=max_ev
    )
    return found[0], found[1] * oriented(found[1], wanted[1])


def eigvals_banded(
    a_band: Any,
    lower: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
) -> Any:
    """The eigenvalues that :func:`eig_banded` finds."""
    return eig_banded(a_band, lower, True, select=select, select_range=select_range)


def eigh_tridiagonal(
    d: Any,
    e: Any,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
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
    import scipy.linalg

    d, e = as_array(d), as_array(e)
    matrix = np.diag(d) + np.diag(e, -1)
    found = eigh(matrix, eigvals_only=eigvals_only, **_selected(select, select_range))
    if eigvals_only:
        return found
    decompose: Any = scipy.linalg.eigh_tridiagonal
    wanted = decompose(
        value_of(d),
        value_of(e),
        select=select,
        select_range=select_range,
        lapack_driver=lapack_driver,
    )
    return found[0], found[1] * oriented(found[1], wanted[1])


def eigvalsh_tridiagonal(
    d: Any,
    e: Any,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> Any:
    """The eigenvalues that :func:`eigh_tridiagonal` finds."""
    return eigh_tridiagonal(d, e, True, select, select_range)


def subspace_angles(A: Any, B: Any) -> Any:  # SciPy's names
    """The angles between the column spaces of matrices of full rank, descending.

    Notes
    -----
    Knyazev and Argentati 2002, "Principal angles between subspaces in an A-based scalar
    product".
    """
    first, second = (QR(as_array(x))[0] for x in (A, B))
    cosines = adjoint(first) @ second
    sigma = SINGULAR_VALUES(cosines)
    wide = first.shape[1] >= second.shape[1]
    rest = second - first @ cosines if wide else first - second @ adjoint(cosines)
    descending = sigma[::-1]
    small = value_of(descending**2) >= 0.5
    angles = []
    sines = SINGULAR_VALUES(rest) if np.any(small) else sigma
    for k, by_sine in enumerate(small):
        angles.append(np.arcsin(sines[k]) if by_sine else np.arccos(descending[k]))
    return np.stack(angles)
