"""Rows and meanings: eigenvalues and vectors of general matrices, and roots of polynomials.

Of real matrices both may be complex; the rows give real ones wherever all are real, as NumPy does
up to version 2.4. LAPACK gives each vector the length 1 and a largest component that is real, and
so the derivatives are those of such vectors.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.elimination import map_over_stack
from symtape.primitives.factorisations import has_equal
from symtape.primitives.linear_algebra import SOLVE, backward_stable, transpose_matrices
from symtape.primitives.primitive import Array, Primitive, declare, implements

_RESULT: Final[Any] = type(np.linalg.eig(np.eye(1)))
"""NumPy's pair of eigenvalues and vectors."""


def _check_simple(name: str, values: Any, vectors: Any) -> None:
    """Refuse where eigenvalues meet.

    Raises
    ------
    Unsupported
        The vectors are nearly dependent, or two of the eigenvalues are equal.
    """
    if not values.size or not np.all(np.isfinite(vectors)):
        return
    epsilon = np.finfo(vectors.dtype).eps
    gaps = np.abs(values[..., :, None] - values[..., None, :])
    gaps = np.where(np.eye(values.shape[-1], dtype=bool), np.inf, gaps)
    smallest = np.linalg.svd(vectors, compute_uv=False)[..., -1]
    scale = np.max(np.abs(values))
    if np.min(gaps) <= 8 * epsilon * scale or np.min(smallest) < 4 * np.sqrt(epsilon):
        raise Unsupported(
            f"the matrix has eigenvalues that are equal, or vectors that are nearly dependent, and "
            f"there {name} has no derivative: single eigenvalues split up. Of a symmetric or "
            "Hermitian matrix take np.linalg.eigh"
        )


def _eig(a: Array) -> tuple[Array, Array]:
    values, vectors = np.linalg.eig(a)
    return (np.real(values), np.real(vectors)) if _are_real(a, values) else (values, vectors)


def _eigvals(a: Array) -> Array:
    values = np.linalg.eigvals(a)
    return np.real(values) if _are_real(a, values) else values


def _are_real(a: Array, values: Array) -> bool:
    return a.dtype.kind != "c" and not np.any(np.imag(values))


@functools.cache
def _is_always_complex() -> bool:
    """Whether NumPy gives complex numbers of every matrix, as it does from version 2.5 on."""
    return np.linalg.eigvals(np.eye(1)).dtype.kind == "c"


def _to_numpy_dtype(x: Any) -> Any:
    """What the rows give, as complex numbers where NumPy's own functions give them."""
    return x.astype(np.result_type(x.dtype, np.complex64)) if _is_always_complex() else x


def _values_of(x: Any) -> Any:
    return x._value if hasattr(x, "_value") else x


def _match_realness(cotangent: Array, a_dtype: Any) -> Array:
    """By a real matrix the real part."""
    return np.real(cotangent) if a_dtype.kind != "c" else cotangent


def _eig_pull_back(g: Any, y: Any, a_dtype: Any) -> Array:
    (g_values, g_vectors), (values, vectors) = g, y
    _check_simple("eig", _values_of(values), _values_of(vectors))
    back = transpose_matrices(vectors)
    # Of each vector: no component along itself that would change its length, or turn it.
    along = np.sum(g_vectors * vectors, axis=-2, keepdims=True)
    largest = _largest(_values_of(vectors))
    real_one = np.real(np.sum(vectors * largest, axis=-2, keepdims=True))
    free = g_vectors - np.real(along) * np.conj(vectors)
    if np.iscomplexobj(vectors) or vectors.dtype.kind == "c":
        free = free - largest * (np.imag(along) / real_one) * 1j
    same = np.eye(values.shape[-1], dtype=bool)
    gaps = np.where(same, 1, np.expand_dims(values, -2) - np.expand_dims(values, -1))
    inner = np.where(same, np.expand_dims(g_values, -1), (back @ free) / gaps)
    return _match_realness(SOLVE(back, inner @ back), a_dtype)


def _largest(vectors: Any) -> Any:
    """1 for the largest component of each vector, 0 for the others."""
    sizes = np.abs(vectors)
    # Of two that are alike LAPACK's is the one that is real.
    sizes = np.where(np.imag(vectors) == 0, sizes * (1 + 1e-6), sizes)
    at = np.argmax(sizes, axis=-2)
    return np.moveaxis(np.eye(vectors.shape[-2], dtype=sizes.dtype)[at], -1, -2)


def _eigvals_pull_back(g: Array, a: Array, a_dtype: Any) -> Array:
    values, vectors = EIG(a)
    _check_simple("eigvals", _values_of(values), _values_of(vectors))
    back = transpose_matrices(vectors)
    return _match_realness(SOLVE(back, np.expand_dims(g, -1) * back), a_dtype)


def _elements(a: Any, values: Any) -> tuple[Any, Any]:
    """The real eigenvalues and vectors of 1 x 1 and 2 x 2 matrices, in LAPACK's order."""
    points = np.asarray(values[0])
    found, vectors = _eig(points)
    if a.shape[-1] > 2 or np.iscomplexobj(found):
        raise Unsupported(
            f"eigenvalues of a general {a.shape[-1]}x{a.shape[-1]} matrix have a closed form here "
            "if it is at most 2x2 and they are real"
        )
    both = map_over_stack(_solve_two_by_two, a, points, np.expand_dims(found, -2), vectors)
    return both[..., 0, :], both[..., 1:, :]


def _solve_two_by_two(a: Any, points: Any, values: Any, vectors: Any) -> Any:
    """The eigenvalues in the first row and the vectors below, in the order and with the signs."""
    if len(a) == 1:
        return np.concatenate([a, np.array([[int(np.sign(vectors[0, 0]))]], dtype=object)])
    half, middle = (a[0, 0] - a[1, 1]) / 2, (a[0, 0] + a[1, 1]) / 2
    radius = (half * half + a[0, 1] * a[1, 0]).sqrt()
    result = np.empty((3, 2), dtype=object)
    for k, float_value in enumerate(values[0]):
        value = middle + radius if float_value == np.max(values) else middle - radius
        # Of two parallel vectors the longer one: the other may vanish.
        near, at = max(
            zip(_parallel(points, float_value), _parallel(a, value), strict=True),
            key=lambda pair: float(np.hypot(*pair[0])),
        )
        length = (at[0] * at[0] + at[1] * at[1]).sqrt()
        length = length if np.dot(near, vectors[:, k]) > 0 else -length
        result[:, k] = [value, at[0] / length, at[1] / length]
    return result


def _parallel(a: Any, value: Any) -> Any:
    return (value - a[1, 1], a[1, 0]), (a[0, 1], value - a[0, 0])


_REAL_ROOTS = [[2.0, 0.5], [0.75, -1.5]]
_STACK = [_REAL_ROOTS, [[1.5, -0.75], [-0.5, 2.0]]]

EIG: Primitive = declare(
    inputs="a",
    evaluate=_eig,
    vjp=[_eig_pull_back],
    elements=_elements,
    ball="eig",
    convention="refused where eigenvalues meet",
    kinks=lambda a: has_equal(np.sort(np.linalg.eigvals(a), axis=-1)),
    rounding=backward_stable,
    outputs=2,
    backward=BackwardError(
        lambda errors, a: errors.orthogonal_size(a),
        orthogonal=(1,),
        vectors=lambda a: np.real(np.linalg.eig(a)[1]),
    ),
    complex=[_eig_pull_back],
    dependence="stacks",
    source="Boeddeker et al. 2017, On the computation of complex-valued gradients, 4.20",
    example=[(_REAL_ROOTS,), (_STACK,)],
)
EIGVALS: Primitive = declare(
    inputs="a",
    evaluate=_eigvals,
    vjp=[_eigvals_pull_back],
    elements=lambda a, values: _elements(a, values)[0],
    ball=lambda ball, a: ball.eig(a)[0],
    convention="refused where eigenvalues meet",
    kinks=lambda a: has_equal(np.sort(np.linalg.eigvals(a), axis=-1)),
    rounding=backward_stable,
    complex=[_eigvals_pull_back],
    dependence="stacks",
    source="Giles 2008, Collected matrix derivative results, 3.1",
    example=[(_REAL_ROOTS,)],
)


@implements(np.linalg.eig)
def eig(a: Any) -> Any:
    """As ``numpy.linalg.eig``."""
    return _RESULT(*map(_to_numpy_dtype, EIG(to_array(a))))


@implements(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """As ``numpy.linalg.eigvals``."""
    return _to_numpy_dtype(EIGVALS(to_array(a)))


@implements(np.roots)
def roots(p: Any) -> Any:
    """As ``numpy.roots``, of a polynomial whose first and last coefficients are not 0."""
    p = np.atleast_1d(to_array(p))
    if p.ndim != 1:
        raise ValueError(f"roots of shape {p.shape}; expected a vector of coefficients")
    if p.size and not (bool(p[0] != 0) and bool(p[-1] != 0)):
        raise Unsupported(
            "np.roots leaves out coefficients that are 0 at the ends, by which it would have a "
            "derivative, or roots far out; expected a first and a last one that are not 0"
        )
    n = p.size - 1
    if n < 1:
        return np.array([])
    first = np.reshape(-p[1:] / p[0], (1, n))
    shifted = np.eye(n - 1, n, dtype=p.dtype)
    return EIGVALS(np.concatenate([first, shifted]))
