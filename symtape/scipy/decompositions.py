"""QR and singular values as ``scipy.linalg`` has them.

What a decomposition leaves open (the sign of a vector) is as SciPy finds it at the point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.factorisations import (
    QR,
    SINGULAR_VALUES,
    SVD,
    refuse_null_space,
)
from symtape.recording.tensor import value_of
from symtape.scipy.given import (
    adjoint,
    apply_to_stack,
    as_in,
    found_by_scipy,
    orientation_factors,
)


@as_in("scipy.linalg")
def qr(a: Any, mode: str = "full", pivoting: bool = False) -> Any:
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
    a = to_array(a)
    rows, columns = a.shape[-2:]
    if mode == "full" and rows > columns:
        raise Unsupported(
            f"qr with mode='full' of shape {a.shape}: the last columns of Q are arbitrary, so "
            "they have no gradient; pass mode='economic'"
        )

    def factors(one: Any) -> tuple[Any, ...]:
        order = found_by_scipy("qr", one, mode="r", pivoting=True)[1] if pivoting else None
        q, r = _reduced_qr(one if order is None else one[:, order])
        if mode == "r" and rows > columns:
            r = np.concatenate([r, np.zeros((rows - columns, columns), r.dtype)])
        kept = (r,) if mode == "r" else (q, r)
        return kept if order is None else (*kept, order)

    return apply_to_stack(factors, a)


def _reduced_qr(a: Any) -> tuple[Any, Any]:
    """The reduced decomposition, of a wide matrix by that of its first columns."""
    rows, columns = a.shape
    q, r = QR(a[:, :rows] if columns > rows else a)
    return q, np.concatenate([r, adjoint(q) @ a[:, rows:]], axis=1) if columns > rows else r


@as_in("scipy.linalg")
def rq(a: Any, mode: str = "full") -> Any:
    """The decomposition ``R @ Q`` with an upper triangular R."""
    a = to_array(a)
    if mode not in ("full", "r", "economic"):
        raise ValueError(f"mode={mode!r}; expected 'full', 'r' or 'economic'")
    rows, columns = a.shape
    if rows > columns or (mode == "full" and rows < columns):
        raise Unsupported(
            f"rq with mode={mode!r} of shape {a.shape} of a tensor; expected a square matrix, "
            "or a wide one with mode='economic'"
        )
    back, triangle = _reduced_qr(adjoint(a[::-1]))
    r, q = adjoint(triangle)[::-1, ::-1], adjoint(back)[::-1]
    wanted = found_by_scipy("rq", a, mode="economic")
    signs = orientation_factors(q.T, wanted[1].T)
    r, q = r * np.conj(signs), q * signs[:, None]
    if mode == "r":
        return np.concatenate([np.zeros((rows, columns - rows), r.dtype), r], axis=1)
    return r, q


@as_in("scipy.linalg")
def qr_multiply(
    a: Any, c: Any, mode: str = "right", pivoting: bool = False, conjugate: bool = False
) -> Any:
    """``Q @ c`` or ``c @ Q`` for the reduced decomposition of `a`, and R."""
    if mode not in ("left", "right"):
        raise ValueError(f"mode={mode!r}; expected 'left' or 'right'")
    q, *rest = qr(a, mode="economic", pivoting=pivoting)
    q, c = np.conj(q) if conjugate and np.iscomplexobj(q) else q, to_array(c)
    return (q @ c if mode == "left" else c @ q, *rest)


def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The singular values, descending."""
    return SINGULAR_VALUES(to_array(a))


@as_in("scipy.linalg")
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, lapack_driver: str = "gesdd"
) -> Any:
    """The singular value decomposition, without bases of null spaces, which are arbitrary.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import svd
    >>> svd(np.array([[3.0, 0.0], [0.0, 2.0]]))[1]
    array([3., 2.])
    """
    a = to_array(a)
    if not compute_uv:
        return SINGULAR_VALUES(a)
    if full_matrices:
        refuse_null_space(a.shape)
    wanted = found_by_scipy("svd", a, full_matrices=False, lapack_driver=lapack_driver)
    u, s, vh = SVD(a)
    signs = orientation_factors(u, wanted[0])
    if np.all(signs == 1):
        return u, s, vh
    return u * np.expand_dims(signs, -2), s, vh * np.expand_dims(np.conj(signs), -1)


def subspace_angles(A: Any, B: Any) -> Any:  # SciPy's names
    """The angles between the column spaces of matrices of full rank, descending.

    Notes
    -----
    Knyazev and Argentati 2002, "Principal angles between subspaces in an A-based scalar
    product".
    """
    first, second = (QR(to_array(x))[0] for x in (A, B))
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
