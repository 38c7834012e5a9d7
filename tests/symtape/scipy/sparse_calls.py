"""Calls of ``scipy.sparse`` by its own names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from tests.symtape.scipy.checks import Call

WHOLE: Final = np.array(
    [[4.0, 0.0, -1.0, 0.5], [0.0, 3.0, 0.25, 0.0], [1.0, 0.0, 5.0, 0.0], [0.0, -0.5, 0.0, 2.0]]
)
ROWS, COLUMNS = np.nonzero(WHOLE)
ENTRIES: Final = WHOLE[ROWS, COLUMNS]
S: Final = sp.csr_array(WHOLE)
OLD: Final = sp.csc_matrix(WHOLE)
V: Final = np.array([0.25, -1.5, 0.75, 2.0])
W: Final = np.array([[0.5, 1.0, -0.25], [2.0, 0.75, 0.5], [-1.0, 0.25, 1.5], [0.125, -0.5, 1.0]])
DEFINITE: Final = WHOLE @ WHOLE.T


def of_rows(data: Any) -> Any:
    """By its entries, row by row."""
    return sp.csr_array((data, S.indices, S.indptr))


def of_columns(data: Any) -> Any:
    """By its entries, column by column."""
    return sp.csc_array((data, OLD.indices, OLD.indptr), shape=(4, 4))


def chain(x: Any) -> Any:
    """A tridiagonal matrix."""
    return sp.diags([x[:-1], x + 5, x[1:]], [-1, 0, 1], format="csc")


CALLS: Final = {
    "S @ x": Call(lambda x: S @ x, V),
    "S @ X": Call(lambda x: S @ x, W),
    "x @ S": Call(lambda x: x @ S, V),
    "X @ S": Call(lambda x: x @ S, W.T.copy()),
    "S.dot(x)": Call(lambda x: S.dot(x), V),
    "S.T @ x": Call(lambda x: S.T @ x, V),
    "matrix * x": Call(lambda x: OLD * x, V),
    "matrix * X": Call(lambda x: OLD * x, W),
    "array * x": Call(lambda x: (S * x).toarray(), V),
    "multiply": Call(lambda x: S.multiply(x).sum(), WHOLE + 1),
    "S * number": Call(lambda x: (S * x[0]) @ V, V),
    "number * matrix": Call(lambda x: (x[0] * OLD) @ V, V),
    "S / number": Call(lambda x: (S / x[0]) @ V, V),
    "S + X": Call(lambda x: (S + x) @ V, WHOLE + 1),
    "S - X": Call(lambda x: (S - x) @ x, WHOLE + 1),
    "coo @ x": Call(lambda x: sp.coo_array(WHOLE) @ x, V),
    "dia @ x": Call(lambda x: sp.dia_array(WHOLE) @ x, V),
    "lil @ x": Call(lambda x: sp.lil_array(WHOLE) @ x, V),
    "rectangular": Call(lambda x: S[:, :3] @ x, V[:3]),
    "csr by data": Call(lambda x: of_rows(x) @ V, ENTRIES),
    "csr_matrix by data": Call(
        lambda x: V @ sp.csr_matrix((x, S.indices, S.indptr), shape=(4, 4)), ENTRIES
    ),
    "csc by data": Call(lambda x: of_columns(x) @ V, OLD.data),
    "coo by data": Call(
        lambda x: sp.coo_matrix((x, (ROWS, COLUMNS)), shape=(4, 4)).tocsr().T * V, ENTRIES
    ),
    "entries at one place": Call(
        lambda x: sp.coo_array((x, ([0, 0, 1], [1, 1, 0])), shape=(2, 2)) @ V[:2], V[:3]
    ),
    "diags": Call(lambda x: chain(x) @ V, V),
    "diags of one": Call(lambda x: sp.diags(x) @ V, V),
    "diags_array": Call(lambda x: (sp.diags_array([x, x[:3]], offsets=[0, 1]) + S) @ V, V),
    "dia by data": Call(lambda x: sp.dia_array((np.stack([x, x**2]), [0, 1]), shape=(4, 4)) @ V, V),
    "product of two": Call(lambda x: (of_rows(x) @ of_rows(x)) @ V, ENTRIES),
    "by element": Call(lambda x: of_rows(x).power(2) @ V - of_rows(x).diagonal(), ENTRIES),
    "sum": Call(lambda x: of_rows(x).sum(axis=0) * of_rows(x).trace(), ENTRIES),
    "toarray": Call(lambda x: of_rows(x).toarray(), ENTRIES),
    "an entry": Call(lambda x: of_rows(x)[0, 2] * of_rows(x)[1:, :2].toarray(), ENTRIES),
    "spsolve": Call(lambda b: spl.spsolve(OLD, b), V),
    "spsolve of several": Call(lambda b: spl.spsolve(OLD, b), W),
    "spsolve by data": Call(lambda x: spl.spsolve(of_columns(x), V), OLD.data),
    "spsolve by both": Call(lambda x: spl.spsolve(chain(x), x), V),
    "splu": Call(lambda b: spl.splu(OLD).solve(b), V),
    "splu of the transpose": Call(lambda b: spl.splu(OLD).solve(b, "T"), V),
    "splu by data": Call(lambda x: spl.splu(of_columns(x)).solve(V), OLD.data),
    "factorized": Call(lambda b: spl.factorized(OLD)(b), V),
    "cg": Call(lambda b: spl.cg(DEFINITE, b, rtol=1e-12)[0], V),
    "bicgstab by data": Call(lambda x: spl.bicgstab(of_rows(x), V, rtol=1e-13)[0], ENTRIES),
    "gmres": Call(lambda b: spl.gmres(S, b, rtol=1e-12)[0], V),
    "gmres by dense entries": Call(lambda a: spl.gmres(a, V, rtol=1e-12)[0], WHOLE),
    "gmres of an operator": Call(
        lambda b: spl.gmres(spl.LinearOperator((4, 4), matvec=lambda x: WHOLE @ x), b, rtol=1e-12)[
            0
        ],
        V,
    ),
    "LinearOperator": Call(
        lambda x: spl.LinearOperator((4, 4), matvec=lambda z: S @ (z * z)).matvec(x), V
    ),
    "aslinearoperator": Call(lambda x: spl.aslinearoperator(S) @ x, V),
    "norm": Call(lambda x: spl.norm(of_rows(x)), ENTRIES),
    "plain, made inside": Call(lambda x: sp.diags([1.0, 2, 3, 4]).tocsr() @ (OLD + OLD.T) @ x, V),
    "plain blocks, made inside": Call(
        lambda x: spl.spsolve(sp.kron(sp.eye(2), DEFINITE[:2, :2]).tocsc(), x), V
    ),
    "of an array": Call(lambda x: sp.csr_matrix(np.diag(x)) @ sp.csr_matrix(WHOLE) @ V, V),
    "expm_multiply": Call(lambda x: spl.expm_multiply(S / 4, x), V),
}
