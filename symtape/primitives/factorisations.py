"""Rows and meanings: matrices written as products: Cholesky, eigenvalues, QR, singular values.

Of a symmetric matrix NumPy reads one triangle, and so do these: by the elements of the other the
derivative is 0, and those off the diagonal that are read count twice.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives import elimination, hermitian, orthogonal
from symtape.primitives.arithmetic import to_array
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.contraction import conjugate_complex
from symtape.primitives.linear_algebra import SOLVE, backward_stable, transpose_matrices
from symtape.primitives.primitive import Array, Primitive, declare, implements
from symtape.primitives.triangular import SOLVE_TRIANGULAR


class EighResult(NamedTuple):
    """What ``np.linalg.eigh`` returns."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """What ``np.linalg.qr`` returns."""

    Q: Any
    R: Any


class SVDResult(NamedTuple):
    """What ``np.linalg.svd`` returns."""

    U: Any
    S: Any
    Vh: Any


def _is_positive_definite(a: Array, upper: bool) -> Any:
    values = np.linalg.eigvalsh(a, UPLO="U" if upper else "L")
    return values.min(axis=-1, initial=np.inf) > 0


@functools.lru_cache(maxsize=32)  # sizes of matrices in a program
def _halves(n: int, dtype: Any) -> Array:
    """Ones below the diagonal of a matrix, and halves on it: each pair of elements counts once."""
    weights = np.tri(n, dtype=dtype) - np.eye(n, dtype=dtype) / 2
    weights.flags.writeable = False
    return weights


@functools.lru_cache(maxsize=32)  # sizes of matrices in a program
def _wholes(n: int, dtype: Any) -> Array:
    """Twos below the diagonal of a matrix, and ones on it: pairs of elements are read once."""
    weights = 2 * _halves(n, dtype)
    weights.flags.writeable = False
    return weights


def _fold_slope_to_triangle(symmetric: Array, lower: bool) -> Array:
    """What a slope by a symmetric matrix is by the triangle that is read."""
    weights = _wholes(symmetric.shape[-1], symmetric.dtype)
    return symmetric * (weights if lower else transpose_matrices(weights))


def _symmetrise_matrix(a: Array) -> Array:
    return (a + transpose_matrices(a)) / 2


def _cholesky_pull_back(g: Array, y: Array, upper: bool) -> Array:
    factor, g = (transpose_matrices(y), transpose_matrices(g)) if upper else (y, g)
    lower = _halves(factor.shape[-1], factor.dtype)
    inner = _solve_back(factor, lower * (transpose_matrices(factor) @ g))
    return _fold_slope_to_triangle(
        _symmetrise_matrix(_solve_back(factor, transpose_matrices(inner))), not upper
    )


_LARGE = 16
"""Rows from which a triangular solver is quicker than NumPy's for any matrix."""


def _solve_back(factor: Array, b: Array) -> Array:
    """The inverse of the transpose of a lower triangular matrix, or of each of a stack, by `b`."""
    if len(factor.shape) > 2 or factor.shape[-1] < _LARGE:
        return SOLVE(transpose_matrices(factor), b)
    return SOLVE_TRIANGULAR(factor, b, trans=1, lower=True, unit_diagonal=False)


def _cholesky_push_forward(t: Array, y: Array, upper: bool) -> Array:
    factor = transpose_matrices(y) if upper else y
    lower = _halves(factor.shape[-1], factor.dtype)
    whole = elimination.mirror_triangle(t, not upper)
    inner = SOLVE(factor, transpose_matrices(SOLVE(factor, whole)))
    pushed = factor @ (lower * inner)
    return transpose_matrices(pushed) if upper else pushed


def one_over_differences(w: Array) -> Array:
    """``1 / (w[j] - w[i])``, and 0 where the two are equal."""
    # The diagonal is not left to a comparison, which enclosures could not decide.
    same = np.eye(w.shape[-1], dtype=bool)
    difference = np.where(same, 1, np.expand_dims(w, -2) - np.expand_dims(w, -1))
    equal = np.equal(difference, 0)
    return np.where(same, 0, np.where(equal, 0, 1 / np.where(equal, 1, difference)))


def make_diagonal_matrix(x: Array, dtype: Any) -> Array:
    """The diagonal matrices of vectors."""
    return np.expand_dims(x, -1) * np.eye(x.shape[-1], dtype=dtype)


def _eigh_pull_back(g: Any, y: Any, a_dtype: Any, UPLO: str) -> Array:
    (g_values, g_vectors), (values, vectors) = g, y
    back = transpose_matrices(vectors)
    inner = one_over_differences(values) * (back @ g_vectors)
    whole = vectors @ (inner + make_diagonal_matrix(g_values, a_dtype)) @ back
    return _fold_slope_to_triangle(_symmetrise_matrix(whole), UPLO == "L")


def _eigh_push_forward(t: Array, y: Any, UPLO: str) -> tuple[Array, Array]:
    values, vectors = y
    inner = transpose_matrices(vectors) @ elimination.mirror_triangle(t, UPLO == "L") @ vectors
    turned = vectors @ (one_over_differences(values) * inner)
    return np.diagonal(inner, axis1=-2, axis2=-1), turned


def _eigvalsh_pull_back(g: Array, a: Array, UPLO: str) -> Array:
    vectors = EIGH(a, UPLO=UPLO)[1]
    whole = (vectors * np.expand_dims(g, -2)) @ transpose_matrices(vectors)
    return _fold_slope_to_triangle(whole, UPLO == "L")


def _eigvalsh_push_forward(t: Array, a: Array, UPLO: str) -> Array:
    vectors = EIGH(a, UPLO=UPLO)[1]
    return np.sum(vectors * (elimination.mirror_triangle(t, UPLO == "L") @ vectors), axis=-2)


def has_equal(values: Array) -> Any:
    """Whether two of some sorted values are equal."""
    return (np.diff(values, axis=-1) == 0).any(axis=-1)


def _has_zero_or_equal(values: Array) -> Any:
    return has_equal(values) | (values == 0).any(axis=-1)


def _check_not_wide(shape: tuple[int, ...]) -> None:
    if shape[-2] < shape[-1]:
        raise Unsupported(
            f"the gradient of qr of a wide matrix, of shape {shape}, is not known here; "
            "expected at least as many rows as columns"
        )


def _complex_qr_pull_back(g: Any, y: Any, a_shape: tuple[int, ...]) -> Array:
    _check_not_wide(a_shape)
    return hermitian.qr(g, y)


def _qr_pull_back(g: Any, y: Any, a_shape: tuple[int, ...]) -> Array:
    (g_q, g_r), (q, r) = g, y
    _check_not_wide(a_shape)
    n = a_shape[-1]
    lower, strict = np.tri(n, dtype=q.dtype), np.tri(n, k=-1, dtype=q.dtype)
    inner = r @ transpose_matrices(g_r) - transpose_matrices(g_q) @ q
    both = lower * inner + transpose_matrices(strict * inner)
    return transpose_matrices(SOLVE(r, transpose_matrices(g_q + q @ both)))


def _svd_pull_back(g: Any, y: Any, a_dtype: Any) -> Array:
    (g_u, g_s, g_vh), (u, s, vh) = g, y
    g_v, v = transpose_matrices(g_vh), transpose_matrices(vh)
    factors = one_over_differences(s * s)
    left, right = factors * (transpose_matrices(u) @ g_u), factors * (vh @ g_v)
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    inner = (left + transpose_matrices(left)) * row + column * (right + transpose_matrices(right))
    inner = inner + make_diagonal_matrix(g_s, a_dtype)
    whole = u @ inner @ vh
    if u.shape[-2] > u.shape[-1]:
        part = g_u / row
        whole = whole + (part - u @ (transpose_matrices(u) @ part)) @ vh
    if v.shape[-2] > v.shape[-1]:
        part = g_v / row
        whole = whole + u @ transpose_matrices(part - v @ (vh @ part))
    return whole


def _singular_values_pull_back(g: Array, a: Array) -> Array:
    u, _, vh = SVD(a)
    return (u * np.expand_dims(g, -2)) @ vh


def _singular_values_push_forward(t: Array, a: Array) -> Array:
    u, _, vh = SVD(a)
    return np.sum(u * (t @ transpose_matrices(vh)), axis=-2)


def _check_full(full: bool) -> None:
    """Below full rank there is a derivative along matrices of that rank alone.

    Raises
    ------
    Unsupported
    """
    if not full:
        raise Unsupported(
            "the pseudo-inverse of a matrix below full rank is continuous along matrices of the "
            "same rank only, and has no expansion along others"
        )


def _pinv_balls(ball: Any, a: Any, full: bool) -> Any:
    _check_full(full)
    return elimination.pinv(a, ball.solve)


def _pinv_elements(a: Any, values: Any, rcond: Any, full: bool) -> Any:
    _check_full(full)
    point = np.asarray(values[0])
    tall = point if point.shape[-2] >= point.shape[-1] else transpose_matrices(point)
    squares = [transpose_matrices(tall) @ tall]
    return elimination.pinv(a, lambda x, y: elimination.solve(x, y, squares))


_NOT_GIVEN: Any = object()

_TWO = [[2.0, 0.5], [0.5, 1.25]]
_STACK = [_TWO, [[1.5, -0.75], [-0.75, 2.0]]]
_TALL = [[0.5, 1.25], [2.0, -0.75], [1.0, 0.25]]
_WIDE = [[0.5, 1.25, -0.5], [2.0, -0.75, 1.0]]


CHOLESKY: Primitive = declare(
    name="cholesky",
    evaluate=lambda a, upper: np.linalg.cholesky(a, upper=upper),
    vjp=[_cholesky_pull_back],
    elements=lambda a, upper: _factor(elimination.cholesky, a, upper),
    ball=lambda ball, a, upper: _factor(ball.cholesky, a, upper),
    jvp=[_cholesky_push_forward],
    domain=_is_positive_definite,
    rounding=backward_stable,
    backward=BackwardError(lambda errors, a: errors.cholesky_size(a), triangle=True),
    complex=[
        lambda g, y, upper: _fold_slope_to_triangle(hermitian.cholesky(g, y, upper), not upper),
    ],
    dependence="stacks",
    source="Murray 2016, Differentiation of the Cholesky decomposition, eq. 10",
    example=[
        ((_TWO,), {"upper": False}),
        ((_TWO,), {"upper": True}),
        (([[4.0, 1.0, -0.5], [1.0, 3.0, 0.75], [-0.5, 0.75, 5.0]],), {"upper": False}),
        ((_STACK,), {"upper": False}),
    ],
)
EIGH: Primitive = declare(
    name="eigh",
    evaluate=lambda a, UPLO: tuple(np.linalg.eigh(a, UPLO=UPLO)),
    vjp=[_eigh_pull_back],
    elements=lambda a, values, UPLO: elimination.eigh(a, values, UPLO),
    ball=lambda ball, a, UPLO: ball.eigh(elimination.mirror_triangle(a, UPLO == "L"), UPLO),
    jvp=[_eigh_push_forward],
    convention="none between vectors of equal eigenvalues",
    kinks=lambda a, UPLO: has_equal(np.linalg.eigvalsh(a, UPLO=UPLO)),
    rounding=backward_stable,
    outputs=2,
    backward=BackwardError(
        lambda errors, a: errors.eigh_size(a),
        triangle=True,
        orthogonal=(1,),
        vectors=lambda a: np.linalg.eigh(a)[1],
    ),
    complex=[
        lambda g, y, UPLO: _fold_slope_to_triangle(
            hermitian.eigh(g, y, one_over_differences(y[0])), UPLO == "L"
        ),
    ],
    dependence="stacks",
    source="Giles 2008, Collected matrix derivative results, 3.1",
    example=[((_TWO,), {"UPLO": "L"}), ((_TWO,), {"UPLO": "U"}), ((_STACK,), {"UPLO": "L"})],
)
EIGVALSH: Primitive = declare(
    name="eigvalsh",
    evaluate=lambda a, UPLO: np.linalg.eigvalsh(a, UPLO=UPLO),
    vjp=[_eigvalsh_pull_back],
    elements=lambda a, values, UPLO: elimination.eigh(a, values, UPLO)[0],
    ball=lambda ball, a, UPLO: ball.eigvalsh(elimination.mirror_triangle(a, UPLO == "L")),
    jvp=[_eigvalsh_push_forward],
    convention="that of the vectors found",
    kinks=lambda a, UPLO: has_equal(np.linalg.eigvalsh(a, UPLO=UPLO)),
    rounding=backward_stable,
    slopes=lambda perturbed, args, place, **params: perturbed.eigvalsh(args, place, **params),
    backward=BackwardError(lambda errors, a: errors.eigh_size(a), triangle=True),
    complex=[
        lambda g, a, UPLO: _fold_slope_to_triangle(
            hermitian.eigvalsh(g, EIGH(a, UPLO=UPLO)[1]), UPLO == "L"
        ),
    ],
    dependence="stacks",
    source="Giles 2008, Collected matrix derivative results, 3.1",
    example=[((_TWO,), {"UPLO": "L"}), ((_TWO,), {"UPLO": "U"}), ((_STACK,), {"UPLO": "L"})],
)


QR: Primitive = declare(
    name="qr",
    evaluate=lambda a: tuple(np.linalg.qr(a)),
    vjp=[_qr_pull_back],
    elements=lambda a, values: orthogonal.qr(a, values),
    ball="qr",
    rounding=backward_stable,
    outputs=2,
    backward=BackwardError(lambda errors, a: errors.orthogonal_size(a), orthogonal=(0,)),
    complex=[_complex_qr_pull_back],
    dependence="stacks",
    source="Seeger et al. 2017, Auto-differentiating linear algebra, 3.2",
    example=[
        (_TALL,),
        ([[2.0, 0.5, 1.0], [-0.75, 1.5, 0.25], [0.5, -1.0, 3.0]],),
        (_STACK,),
    ],
)
SVD: Primitive = declare(
    name="svd",
    evaluate=lambda a: tuple(np.linalg.svd(a, full_matrices=False)),
    vjp=[_svd_pull_back],
    elements=lambda a, values: orthogonal.svd(a, values),
    ball="svd",
    convention="none between vectors of equal values",
    kinks=lambda a: _has_zero_or_equal(np.linalg.svd(a, compute_uv=False)),
    rounding=backward_stable,
    outputs=3,
    backward=BackwardError(
        lambda errors, a: errors.orthogonal_size(a),
        orthogonal=(0, 2),
        vectors=lambda a: np.linalg.svd(a, full_matrices=False)[0],
    ),
    complex=[lambda g, y: hermitian.svd(g, y, one_over_differences(y[1] * y[1]))],
    dependence="stacks",
    source="Townsend 2016, Differentiating the singular value decomposition",
    example=[(_TWO,), (_TALL,), (_WIDE,), (_STACK,)],
)
SINGULAR_VALUES: Primitive = declare(
    name="singular_values",
    evaluate=lambda a: np.linalg.svd(a, compute_uv=False),
    vjp=[_singular_values_pull_back],
    elements=orthogonal.singular_values,
    ball="singular_values",
    jvp=[_singular_values_push_forward],
    convention="that of the vectors found",
    kinks=lambda a: _has_zero_or_equal(np.linalg.svd(a, compute_uv=False)),
    rounding=backward_stable,
    slopes=lambda perturbed, args, place: perturbed.singular_values(args, place),
    backward=BackwardError(lambda errors, a: errors.orthogonal_size(a)),
    complex=[lambda g, a: hermitian.singular_values(g, *SVD(a)[::2])],
    dependence="stacks",
    source="Townsend 2016, Differentiating the singular value decomposition",
    example=[(_TWO,), (_TALL,), (_WIDE,), (_STACK,), ([[0.5], [1.25]],)],
)
PINV: Primitive = declare(
    name="pinv",
    evaluate=lambda a, rcond, full: np.linalg.pinv(a, rcond),
    vjp=[
        lambda g, a, y, full: hermitian.pull_back_pinv(g, a, y, full, transpose_matrices),
    ],
    elements=_pinv_elements,
    ball=lambda ball, a, rcond, full: _pinv_balls(ball, a, full),
    rounding=backward_stable,
    backward=BackwardError(lambda errors, a: errors.orthogonal_size(a)),
    complex=[hermitian.pinv],
    dependence="stacks",
    source="Golub and Pereyra 1973, The differentiation of pseudo-inverses, eq. 4.12",
    example=[((x,), {"rcond": 1e-15, "full": True}) for x in (_TALL, _WIDE, _STACK)],
)


def _factor(cholesky: Any, a: Any, upper: bool) -> Any:
    factor = cholesky(elimination.mirror_triangle(a, not upper))
    return transpose_matrices(factor) if upper else factor


@implements(np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """As ``numpy.linalg.cholesky``."""
    return CHOLESKY(to_array(a), upper=upper)


@implements(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """As ``numpy.linalg.eigh``; the gradient by equal eigenvalues' vectors is taken as 0."""
    return EighResult(*EIGH(to_array(a), UPLO=UPLO))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """As ``numpy.linalg.eigvalsh``."""
    return EIGVALSH(to_array(a), UPLO=UPLO)


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """As ``numpy.linalg.qr``, for modes 'reduced', 'r', and 'complete' of square matrices."""
    a = to_array(a)
    square = a.shape[-1] == a.shape[-2]
    if mode not in ("reduced", "r") and not (mode == "complete" and square):
        raise Unsupported(f"qr with mode={mode!r} has no gradient; use 'reduced' or 'r'")
    factors = QRResult(*QR(a))
    return factors.R if mode == "r" else factors


@implements(np.linalg.svd)
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """As ``numpy.linalg.svd``; of matrices that are not square without the null spaces."""
    a = to_array(a)
    if hermitian:
        if compute_uv:
            raise Unsupported("svd with hermitian=True has no gradient by its vectors; use eigh")
        a = elimination.mirror_triangle(a, lower=True)
    if not compute_uv:
        return SINGULAR_VALUES(a)
    if full_matrices:
        refuse_null_space(a.shape)
    return SVDResult(*SVD(a))


def refuse_null_space(shape: tuple[int, ...]) -> None:
    """Refuse the singular vectors of the null space, which matrices that are not square have."""
    if shape[-1] != shape[-2]:
        raise Unsupported(
            f"svd with full_matrices=True of shape {shape}: a basis of the null space is "
            "arbitrary, so it has no gradient; pass full_matrices=False"
        )


@implements(np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    """As ``numpy.linalg.svdvals``."""
    return SINGULAR_VALUES(to_array(x))


@implements(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NOT_GIVEN) -> Any:
    """As ``numpy.linalg.pinv``; below full rank with the derivative along that rank."""
    a = to_array(a)
    if hermitian:
        a = elimination.mirror_triangle(a, lower=True)
    if rcond is None:
        widest = max(a.shape[-2:]) * np.finfo(a.dtype).eps
        rcond = 1e-15 if rtol is _NOT_GIVEN else widest if rtol is None else rtol
    return PINV(a, rcond=rcond, full=_is_of_full_rank(a, rcond))


def _is_of_full_rank(a: Any, limit: Any) -> bool:
    """Whether no singular value counts as zero; a decision of the path."""
    values = SINGULAR_VALUES(a)
    return bool(np.all(values > limit * np.max(values, axis=-1, keepdims=True, initial=0)))


@implements(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """As ``numpy.linalg.cond``."""
    x = to_array(x)
    if p in (None, 2, -2):
        values = SINGULAR_VALUES(x)
        largest, smallest = values[..., 0], values[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    inverse = np.linalg.inv(x)
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(inverse, p, axis=(-2, -1))


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, Any, Any, Any]:
    """As ``numpy.linalg.lstsq``; the solution by the pseudo-inverse."""
    a, b = to_array(a), to_array(b)
    rows, columns = a.shape
    epsilon = np.finfo(a.dtype).eps
    limit = epsilon * max(rows, columns) if rcond is None else rcond
    values = SINGULAR_VALUES(a)
    full = bool(np.all(values > limit * values[0]))
    solution = PINV(a, rcond=limit, full=full) @ b
    rank = np.sum(values > limit * values[0])
    residuals: Any = np.empty(0, values.dtype)
    if rows > columns and full:
        difference = b - a @ solution
        residuals = np.sum(np.real(difference * conjugate_complex(difference)), axis=0)
        residuals = residuals.reshape((1,)) if np.ndim(b) == 1 else residuals
    return solution, residuals, rank, values
