"""LU and LDL' factors by elimination in NumPy's operations, which all that reads a graph can read.

Which row is brought up is a decision of the recording, by its values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.elimination import mirror_triangle
from symtape.recording.tensor import value_of
from symtape.scipy.given import apply_to_stack, as_in, found_by_scipy


def _eliminate(a: Any, exchanging: bool = True) -> tuple[Any, Any, Any]:
    """Both factors in one matrix as LAPACK has them, the order of the rows, and the exchanges."""
    rows, columns = a.shape
    order, exchanges = np.arange(rows), []
    for k in range(min(rows, columns)):
        other = k
        if exchanging:
            other = k + int(np.argmax(_size(a[k:, k])))
            exchanges.append(other)
        if other != k:
            exchange = np.arange(rows)
            exchange[[k, other]] = other, k
            a, order = a[exchange], order[exchange]
        if k + 1 < rows and value_of(a[k, k]) != 0:
            factors = a[k + 1 :, k] / a[k, k]
            rest = a[k + 1 :, k + 1 :] - factors[:, None] * a[k, k + 1 :]
            below = np.concatenate([a[k + 1 :, :k], factors[:, None], rest], axis=1)
            a = np.concatenate([a[: k + 1], below])
    return a, order, np.array(exchanges, dtype=np.int32)


def _size(column: Any) -> Any:
    """What LAPACK goes by: of complex numbers the sum of their parts."""
    if np.iscomplexobj(column):
        return np.abs(np.real(column)) + np.abs(np.imag(column))
    return np.abs(column)


def _factors(both: Any) -> tuple[Any, Any]:
    rows, columns = both.shape
    rank = min(rows, columns)
    lower = np.tril(both[:, :rank], -1) + np.eye(rows, rank, dtype=both.dtype)
    return lower, np.triu(both[:rank])


@as_in("scipy.linalg")
def lu(a: Any, permute_l: bool = False, p_indices: bool = False) -> Any:
    """The factors ``P @ L @ U`` of elimination with partial pivoting.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import lu
    >>> lu(np.array([[1.0, 2.0], [2.0, 8.0]]), permute_l=True)
    (array([[0.5, 1. ],
           [1. , 0. ]]), array([[ 2.,  8.],
           [ 0., -2.]]))
    """

    def factors(one: Any) -> tuple[Any, ...]:
        both, order, _ = _eliminate(one)
        lower, upper = _factors(both)
        back = np.argsort(order)
        if permute_l:
            return lower[back], upper
        return (
            back if p_indices else np.eye(len(back), dtype=value_of(one).real.dtype)[back],
            lower,
            upper,
        )

    return apply_to_stack(factors, to_array(a))


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Any, Any]:
    """Both factors in one matrix, and LAPACK's exchanges of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import lu_factor, lu_solve
    >>> lu_solve(lu_factor(np.array([[1.0, 2.0], [2.0, 8.0]])), np.array([3.0, 8.0]))
    array([2. , 0.5])
    """

    def factors(one: Any) -> tuple[Any, ...]:
        both, _, exchanges = _eliminate(one)
        return both, exchanges

    both, exchanges = apply_to_stack(factors, to_array(a))
    return both, exchanges


@as_in("scipy.linalg")
def ldl(A: Any, lower: bool = True, hermitian: bool = True) -> tuple[Any, Any, Any]:
    """The factors ``L @ D @ L.T`` of a symmetric matrix, where D is diagonal.

    Of a Hermitian one ``L @ D @ L.conj().T``, unless `hermitian` is False.

    Raises
    ------
    Unsupported
        LAPACK finds blocks of two in D.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import ldl
    >>> ldl(np.array([[4.0, 2.0], [2.0, 3.0]]))[1]
    array([[4., 0.],
           [0., 2.]])
    """
    a = to_array(A)
    found = found_by_scipy("ldl", a, lower=lower, hermitian=hermitian)
    if np.any(np.diagonal(found[1], 1)):
        raise Unsupported(
            "ldl with blocks of two rows on the diagonal of D, which LAPACK chooses for A; "
            "expected a definite matrix"
        )
    order = found[2] if lower else found[2][::-1]
    both, _, _ = _eliminate(mirror_triangle(a, lower, hermitian)[order][:, order], exchanging=False)
    unit = _factors(both)[0]
    diagonal = np.diagonal(both)
    if not lower:
        unit, diagonal = unit[:, ::-1], diagonal[::-1]
        # D is in the order of the columns.
    return unit[np.argsort(order)], np.diag(diagonal), found[2]
