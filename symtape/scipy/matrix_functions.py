"""Functions of matrices as ``scipy.linalg`` has them, by those that there are rows for."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.linear_algebra import INV, SOLVE
from symtape.primitives.matrix_exponential import EXPM, join_blocks
from symtape.primitives.matrix_roots import LOGM, SQRTM
from symtape.primitives.sylvester import sylvester
from symtape.recording.tensor import Tensor
from symtape.scipy.given import adjoint, as_in, conjugate


def expm(A: Any) -> Any:  # SciPy's name
    """The matrix exponential of matrices, shape (..., n, n).

    Notes
    -----
    The gradient is a Frechet derivative, by the exponential of a block matrix: Higham 2008,
    "Functions of Matrices", eq. 3.16.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import expm
    >>> expm(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    a = to_array(A)
    return EXPM(a if np.ndim(a) else np.reshape(a, (1, 1)))


@as_in("scipy.linalg")
def expm_frechet(A: Any, E: Any, compute_expm: bool = True) -> Any:
    """The exponential, and its Frechet derivative along `E`, by that of a block matrix."""
    a, e = to_array(A), to_array(E)
    n = a.shape[-1]
    found = EXPM(join_blocks(a, e, np.zeros_like(a), a))
    derivative = found[..., :n, n:]
    return (found[..., :n, :n], derivative) if compute_expm else derivative


def expm_cond(A: Any, check_finite: bool = True) -> Any:  # SciPy's name
    """Refused: the condition number is a norm of the derivative, found by an iteration.

    Raises
    ------
    Unsupported
    """
    raise Unsupported("expm_cond(A) of a tensor; take symtape.stop_gradient(A) if it is a constant")


def sqrtm(A: Any, *_: Any, **__: Any) -> Any:  # SciPy's name
    """The principal square root of a matrix without eigenvalues that are negative or 0.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import sqrtm
    >>> sqrtm(np.array([[4.0, 0.0], [0.0, 9.0]]))
    array([[2., 0.],
           [0., 3.]])
    """
    return SQRTM(to_array(A))


def logm(A: Any, *_: Any, **__: Any) -> Any:  # SciPy's name
    """The principal logarithm of a matrix without eigenvalues that are negative or 0."""
    return LOGM(to_array(A))


def _cosine_and_sine(a: Any) -> tuple[Any, Any]:
    """Cosine and sine, the corners of the exponential of a real matrix that turns."""
    n = a.shape[-1]
    found = EXPM(join_blocks(np.zeros_like(a), a, -a, np.zeros_like(a)))
    return found[..., :n, :n], found[..., :n, n:]


def cosm(A: Any) -> Any:  # SciPy's name
    """The matrix cosine."""
    return _cosine_and_sine(to_array(A))[0]


def sinm(A: Any) -> Any:  # SciPy's name
    """The matrix sine."""
    return _cosine_and_sine(to_array(A))[1]


def tanm(A: Any) -> Any:  # SciPy's name
    """The matrix tangent."""
    return SOLVE(*_cosine_and_sine(to_array(A)))


def _hyperbolic(a: Any) -> tuple[Any, Any]:
    above, below = EXPM(a), EXPM(-a)
    return (above + below) / 2, (above - below) / 2


def coshm(A: Any) -> Any:  # SciPy's name
    """The hyperbolic matrix cosine."""
    return _hyperbolic(to_array(A))[0]


def sinhm(A: Any) -> Any:  # SciPy's name
    """The hyperbolic matrix sine."""
    return _hyperbolic(to_array(A))[1]


def tanhm(A: Any) -> Any:  # SciPy's name
    """The hyperbolic matrix tangent."""
    return SOLVE(*_hyperbolic(to_array(A)))


def signm(A: Any, *_: Any, **__: Any) -> Any:  # SciPy's name
    """The matrix sign, ``A (A @ A)**(-1/2)``, of a matrix without imaginary eigenvalues."""
    a = to_array(A)
    return SOLVE(SQRTM(a @ a), a)


def fractional_matrix_power(A: Any, t: Any) -> Any:  # SciPy's names
    """``A**t``, as ``exp(t log(A))`` where `t` is no integer."""
    if not isinstance(t, Tensor) and t == int(t):
        return np.linalg.matrix_power(to_array(A), int(t))
    return EXPM(to_array(t) * LOGM(to_array(A)))


def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """The solution of ``a @ x + x @ b = q``, by one system for all of x.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import solve_sylvester
    >>> solve_sylvester(np.eye(2), np.eye(1), np.array([[2.0], [4.0]]))
    array([[1.],
           [2.]])
    """
    return sylvester(to_array(a), to_array(b), to_array(q))


def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """The solution of ``a @ x + x @ a.conj().T = q``."""
    a = to_array(a)
    return sylvester(a, adjoint(a), to_array(q))


solve_lyapunov = solve_continuous_lyapunov


def solve_discrete_lyapunov(a: Any, q: Any, method: str | None = None) -> Any:
    """The solution of ``a @ x @ a.conj().T - x + q = 0``, by one system for all of x."""
    a, q = to_array(a), to_array(q)
    n = a.shape[-1]
    whole = np.eye(n * n, dtype=a.dtype) - np.kron(a, conjugate(a))
    return np.reshape(SOLVE(whole, np.ravel(q)), (n, n))


def polar(a: Any, side: str = "right") -> tuple[Any, Any]:
    """The polar decomposition of a matrix of full rank, by the root of ``a.conj().T @ a``.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.linalg import polar
    >>> polar(np.array([[0.0, 2.0], [3.0, 0.0]]))[0]
    array([[0., 1.],
           [1., 0.]])
    """
    if side not in ("right", "left"):
        raise ValueError(f"side={side!r}; expected 'right' or 'left'")
    a = to_array(a)
    rows, columns = a.shape[-2:]
    if rows < columns:
        u, p = polar(adjoint(a), "left" if side == "right" else "right")
        return adjoint(u), p
    p = SQRTM(adjoint(a) @ a)
    u = a @ INV(p)
    return u, p if side == "right" else u @ p @ adjoint(u)


@as_in("scipy.linalg")
def orthogonal_procrustes(A: Any, B: Any) -> tuple[Any, Any]:
    """The orthogonal matrix that takes `A` nearest to `B`, and the sum of singular values."""
    a, b = to_array(A), to_array(B)
    if a.shape != b.shape or a.ndim != 2:
        raise ValueError(f"A and B have shapes {a.shape} and {b.shape}; expected matrices alike")
    u, p = polar(adjoint(a) @ b)
    return u, np.trace(p)
