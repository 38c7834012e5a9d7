"""``scipy.sparse.linalg``: systems with sparse matrices of tensors or plain ones.

The solution of an iteration is differentiated as what it converges to, by the implicit function
theorem, if it has come near enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.linear_algebra import SOLVE
from symtape.primitives.matrix_exponential import EXPM
from symtape.primitives.sparse_solve import SPARSE_SOLVE
from symtape.recording.tensor import Tensor, value_of
from symtape.scipy.sparse import SparseTensor

__all__ = ["ITERATIONS", "Factors", "expm_multiply", "factorized", "norm", "splu", "spsolve"]

ITERATIONS: Final = (
    *("cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "qmr", "gcrotmk", "tfqmr"),
)
_CONVERGED: Final = 1e-7


def _solve_sparse(matrix: SparseTensor, b: Any) -> Any:
    return SPARSE_SOLVE(matrix.data, b, rows=matrix.rows, columns=matrix.columns)


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """The solution of a system with a sparse matrix, by the entries of it and by `b`.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.sparse import diags_array
    >>> from symtape.scipy.sparse_linalg import spsolve
    >>> spsolve(diags_array([np.array([2.0, 4.0])], offsets=[0]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    if isinstance(b, SparseTensor) or hasattr(b, "tocoo"):
        raise Unsupported("spsolve(A, b) of a tensor with a sparse b; give b.toarray()")
    b = to_array(b)
    found = _solve_sparse(SparseTensor.from_matrix(A), b)
    return found[:, 0] if b.ndim == 2 and b.shape[1] == 1 else found


class Factors:
    """What ``splu`` gives, with a ``solve`` that takes tensors."""

    def __init__(self, matrix: SparseTensor, original: Any = None) -> None:
        self._matrix, self._original = matrix, original

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solution of ``A @ x = rhs``, or with the transpose for "T" and "H"."""
        if self._original is not None and not isinstance(rhs, Tensor):
            return self._original.solve(rhs, trans)
        return _solve_sparse(self._matrix if trans == "N" else self._matrix.T, to_array(rhs))

    def __getattr__(self, name: str) -> Any:
        if self._original is None:
            raise Unsupported(f"splu(A).{name} of a tensor; expected solve")
        return getattr(self._original, name)


def splu(A: Any, *how: Any, factorise: Callable[..., Any] | None = None, **more: Any) -> Factors:
    """The factors of a sparse matrix, to solve with.

    Those of a plain one are found by `factorise`, which is SciPy's function.
    """
    if isinstance(A, SparseTensor):
        return Factors(A)
    return Factors(SparseTensor.from_matrix(A), factorise and factorise(A, *how, **more))


def factorized(A: Any, factorise: Callable[..., Any] | None = None) -> Callable[[Any], Any]:
    """A function that solves with `A`."""
    return splu(A, factorise=factorise).solve


def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:  # noqa: A002 -- SciPy's name
    """The norm of a sparse matrix, by all of it."""
    return np.linalg.norm(SparseTensor.from_matrix(x).toarray(), ord, axis)


def expm_multiply(A: Any, B: Any) -> Any:
    """The product of the exponential of a matrix, as an array, and a vector or a matrix."""
    return EXPM(SparseTensor.from_matrix(A).toarray()) @ to_array(B)


def _to_solver(A: Any) -> tuple[Any, Callable[[Any], Any]]:
    """A matrix of values, and how a system with the matrix is solved."""
    if isinstance(A, SparseTensor) or hasattr(A, "tocoo"):
        matrix = SparseTensor.from_matrix(A)
        return value_of(matrix.toarray()), lambda b: _solve_sparse(matrix, b)
    if hasattr(A, "matvec"):
        columns = [np.ravel(A.matvec(unit)) for unit in np.eye(A.shape[1])]
        A = np.stack(columns, axis=-1)
    whole = to_array(A)
    return value_of(whole), lambda b: SOLVE(whole, b)


def solve_iteratively(solver: Callable[..., Any], A: Any, b: Any, *how: Any, **more: Any) -> Any:
    """What an iteration of SciPy's finds, as the solution of the system.

    Raises
    ------
    Unsupported
        It stops farther from the solution than where derivatives of that can be told from
        derivatives of what it gives.
    """
    values, solved = _to_solver(A)
    b = to_array(b)
    more = {key: value_of(x) if isinstance(x, Tensor) else x for key, x in more.items()}
    near, info = solver(values, value_of(b), *map(_plain, how), **more)
    found = np.reshape(solved(b), near.shape)
    apart = np.max(np.abs(value_of(found) - near), initial=0.0)
    if info or apart > _CONVERGED * np.max(np.abs(near), initial=0.0):
        raise Unsupported(
            f"{solver.__name__} stopped at a distance of {apart:.1e} from the solution, so that "
            "its derivative is not that of the solution; give rtol=1e-10 or less"
        )
    return found, info


def _plain(x: Any) -> Any:
    return value_of(x) if isinstance(x, Tensor) else x
