"""Real eigenvalues of general matrices, what is made of them, and Hessenberg's form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.eigenvalues import EIG
from symtape.primitives.factorisations import QR
from symtape.primitives.linear_algebra import INV, SOLVE
from symtape.recording.tensor import value_of
from symtape.scipy.given import (
    as_in,
    found_by_scipy,
    orientation_factors,
    refuse,
    refuse_complex,
)


def _real_eig(a: Any) -> tuple[Any, Any]:
    values, vectors = EIG(a)
    if np.iscomplexobj(values):
        raise Unsupported(
            "eig of a matrix with complex eigenvalues; expected real ones. np.linalg.eig has the "
            "derivatives of complex ones, too"
        )
    return values, vectors


@as_in("scipy.linalg")
def eig(
    a: Any, b: Any = None, left: bool = False, right: bool = True, homogeneous_eigvals: bool = False
) -> Any:
    """Eigenvalues, if they are real, and eigenvectors of a matrix, or of a pencil.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import eig
    >>> eig(np.array([[2.0, 1.0], [0.0, 3.0]]))[0]
    array([2., 3.])
    """
    refuse("eig", homogeneous_eigvals=homogeneous_eigvals)
    a, b = to_array(a), None if b is None else to_array(b)
    values, vectors = _real_eig(a if b is None else SOLVE(b, a))
    if not (left or right):
        return values
    wanted = found_by_scipy("eig", a, b, left=left, right=True)
    order = _order(value_of(values), wanted[0])
    values, vectors = values[order], vectors[:, order]
    found = [values]
    if left:
        beside = INV(vectors).T if b is None else INV(b @ vectors).T
        beside = beside / np.linalg.norm(beside, axis=0)
        found.append(beside * orientation_factors(beside, np.real(wanted[1])))
    if right:
        found.append(vectors * orientation_factors(vectors, np.real(wanted[-1])))
    return tuple(found)


def _order(values: Any, wanted: Any) -> Any:
    """The places of `wanted` values among those found."""
    order = np.empty(len(values), dtype=int)
    order[np.argsort(np.real(wanted))] = np.argsort(values)
    return order


@as_in("scipy.linalg")
def eigvals(a: Any, b: Any = None, homogeneous_eigvals: bool = False) -> Any:
    """The eigenvalues that :func:`eig` finds."""
    return eig(a, b, homogeneous_eigvals=homogeneous_eigvals)[0]


def funm(A: Any, func: Callable[[Any], Any], disp: bool = True) -> Any:  # SciPy's name
    """A function of a matrix with different real eigenvalues, by these."""
    values, vectors = _real_eig(to_array(A))
    return SOLVE(vectors.T, (vectors * func(values)).T).T


@as_in("scipy.linalg")
def schur(a: Any, output: str = "real", sort: Any = None) -> tuple[Any, Any]:
    """Schur's triangle of a matrix with different real eigenvalues, and its basis.

    The basis is the orthogonal factor of the eigenvectors, in SciPy's order and with its signs.
    """
    refuse("schur", sort=sort)
    if output not in ("real", "r"):
        raise Unsupported(f"schur(output={output!r}) of a tensor; expected 'real'")
    a = to_array(a)
    wanted = found_by_scipy("schur", a, output="real")
    if np.any(np.diagonal(wanted[0], -1)):
        raise Unsupported("schur of a real matrix with complex eigenvalues; expected real ones")
    values, vectors = _real_eig(a)
    basis = QR(vectors[:, _order(value_of(values), np.diagonal(wanted[0]))])[0]
    basis = basis * orientation_factors(basis, wanted[1])
    return np.triu(basis.T @ a @ basis), basis


def rsf2csf(T: Any, Z: Any, check_finite: bool = True) -> tuple[Any, Any]:  # SciPy's names
    """The complex Schur form of a real one, which of real eigenvalues is that one."""
    t, z = to_array(T), to_array(Z)
    if np.any(value_of(np.diagonal(t, -1))):
        raise Unsupported(
            "rsf2csf(T, Z) where T has blocks of two: its eigenvalues are complex; expected a "
            "triangle"
        )
    return t, z


@as_in("scipy.linalg")
def hessenberg(a: Any, calc_q: bool = False) -> Any:
    """Hessenberg's form, by Householder's reflections, and the basis if `calc_q`."""
    a = to_array(a)
    refuse_complex("hessenberg", a)
    n = a.shape[0]
    q = np.eye(n, dtype=a.dtype)
    for k in range(n - 2):
        below = a[k + 2 :, k]
        if not np.any(value_of(below)):
            continue
        column = a[k + 1 :, k]
        length = np.sqrt(np.sum(column * column))
        length = -length if value_of(column[0]) >= 0 else length
        normal = np.concatenate([np.zeros(k + 1), column[:1] - length, below])
        scaled = normal * (2 / np.sum(normal * normal))
        a = a - scaled[:, None] * (normal @ a)
        a = a - (a @ normal)[:, None] * scaled
        q = q - (q @ normal)[:, None] * scaled
    form = np.triu(a, -1)
    return (form, q) if calc_q else form
