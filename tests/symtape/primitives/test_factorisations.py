"""Cholesky, eigenvalues, QR and singular values against formulas in plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape
from symtape.primitives import elimination
from symtape.primitives.factorisations import EIGH

Check = Callable[..., None]

SPECTRA = [[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.75], [-0.75, 2.0]], [[-1.0, 2.0], [2.0, -3.0]]
TALL = np.random.default_rng(3).uniform(-1, 1, (3, 2)) + np.eye(3, 2)


def definite(*shape: int) -> Any:
    x = np.random.default_rng(sum(shape)).uniform(-1, 1, shape)
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])


def cholesky(a: Any) -> Any:
    """Row by row, of one matrix."""
    factor = a * 0
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j] - sum(factor[i, k] * factor[j, k] for k in range(j))
            factor[i, j] = rest.sqrt() if i == j else rest / factor[j, j]
    return factor


def each(function: Callable[[Any], Any], *, lower: bool = True) -> Callable[[Any], Any]:
    """`function` of a symmetric matrix, on one triangle of one or of a stack."""

    def on_stack(a: Any) -> Any:
        a = elimination.mirror_triangle(a, lower)
        return function(a) if a.ndim == 2 else np.stack([function(one) for one in a])

    return on_stack


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (2, 2, 2)], ids=str)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(shape: Any, upper: bool, check_derivatives: Check) -> None:
    check_derivatives(
        lambda a: np.linalg.cholesky(a, upper=upper),
        definite(*shape),
        reference=each(lambda a: cholesky(a).T if upper else cholesky(a), lower=not upper),
    )


def eigenvalues_of_two(a: Any) -> Any:
    middle, half = (a[0, 0] + a[1, 1]) / 2, (a[0, 0] - a[1, 1]) / 2
    radius = np.sqrt(np.array(half * half + a[0, 1] * a[1, 0], dtype=object))
    return np.array([middle - radius, middle + radius])


@pytest.mark.parametrize("rows", SPECTRA)
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigenvalues_of_two(rows: Any, triangle: Any, check_derivatives: Check) -> None:
    reference = each(eigenvalues_of_two, lower=triangle == "L")
    check_derivatives(lambda a: np.linalg.eigvalsh(a, triangle), rows, reference=reference)
    check_derivatives(lambda a: np.linalg.eigh(a, triangle)[0], rows, reference=reference)
    stack = np.stack([rows, np.add(rows, np.eye(2))])
    check_derivatives(lambda a: np.linalg.eigvalsh(a, triangle), stack, reference=reference)


@pytest.mark.parametrize("rows", SPECTRA)
def test_eigenvectors_of_two(rows: Any, check_derivatives: Check) -> None:
    def reference(a: Any) -> Any:
        values = np.array(rows)
        return elimination.eigh(a, [values], "L")[1]

    check_derivatives(lambda a: np.linalg.eigh(a).eigenvectors, rows, reference=reference)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)], ids=str)
def test_functions_of_a_spectrum_are_functions_of_the_matrix(
    shape: Any, check_derivatives: Check
) -> None:
    def cube(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        return (v * np.expand_dims(w**3, -2)) @ np.swapaxes(v, -1, -2)

    check_derivatives(cube, definite(*shape), reference=each(lambda a: a @ a @ a), rtol=1e-11)
    check_derivatives(
        lambda a: np.sum(np.linalg.eigvalsh(a) ** 3, axis=-1),
        definite(*shape),
        reference=each(lambda a: np.trace(a @ a @ a)),
        rtol=1e-11,
    )


def test_equal_eigenvalues_give_finite_gradients() -> None:
    a = symtape.constant(np.diag([1.0, 1.0, 2.0]))
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(a)
        w, v = np.linalg.eigh(a)
        trace, vectors = np.sum(w**2), np.sum((v * w**2) @ v.T)
    np.testing.assert_allclose(tape.gradient(trace, a).numpy(), np.diag([2, 2, 4]), rtol=1e-14)
    assert np.isfinite(tape.gradient(vectors, a).numpy()).all()
    assert EIGH.kinks is not None
    assert EIGH.kinks(np.eye(2), UPLO="L")
    assert not EIGH.kinks(np.diag([1.0, 2.0]), UPLO="L")


def inverse_of_two(a: Any) -> Any:
    adjugate = np.array([[a[1, 1], -a[0, 1]], [-a[1, 0], a[0, 0]]])
    return adjugate / (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])


@pytest.mark.parametrize("wide", [False, True])
def test_pinv(wide: bool, check_derivatives: Check) -> None:
    x = TALL.T if wide else TALL
    check_derivatives(
        np.linalg.pinv,
        x,
        reference=lambda a: (
            a.T @ inverse_of_two(a @ a.T) if wide else inverse_of_two(a.T @ a) @ a.T
        ),
    )


@pytest.mark.parametrize("x", [TALL, TALL.T, TALL[:2], np.stack([TALL, -TALL[::-1]])])
def test_singular_values_and_vectors(x: Any, check_derivatives: Check) -> None:
    def cube(a: Any) -> Any:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        return (u * np.expand_dims(s**3, -2)) @ vh

    check_derivatives(
        cube,
        x,
        reference=lambda a: np.matmul(np.matmul(a, np.swapaxes(a, -1, -2)), a),
        rtol=1e-11,
    )
    for values in (np.linalg.svdvals, lambda a: np.linalg.svd(a, compute_uv=False)):
        check_derivatives(
            lambda a, f=values: np.sum(f(a) ** 2, axis=-1),
            x,
            reference=lambda a: np.sum(a * a, axis=(-1, -2)),
        )


def test_svd_of_a_square_matrix_takes_full_matrices(check_derivatives: Check) -> None:
    def left(a: Any) -> Any:
        u, s, _ = np.linalg.svd(a)
        return (u * s**2) @ u.T

    check_derivatives(left, TALL[:2], reference=lambda a: a @ a.T, rtol=1e-11)


def test_qr(check_derivatives: Check) -> None:
    signs = np.sign(np.diagonal(np.linalg.qr(TALL).R))

    def gram_schmidt(a: Any) -> Any:
        columns: list[Any] = []
        for j in range(2):
            rest = a[:, j]
            for q in columns:
                rest = rest - q * (q @ rest)
            columns.append(rest / (rest @ rest).sqrt() * signs[j])
        return np.stack(columns, axis=1)

    check_derivatives(lambda a: np.linalg.qr(a).Q, TALL, reference=gram_schmidt)
    check_derivatives(
        lambda a: np.linalg.qr(a, mode="r"),
        TALL,
        reference=lambda a: np.array([[1, 1], [0, 1]]) * (gram_schmidt(a).T @ a),
    )


def test_lstsq(check_derivatives: Check) -> None:
    b = np.array([0.5, -1.0, 2.0])
    x, y = symtape.constant(TALL), symtape.constant(b)
    for found, expected in zip(np.linalg.lstsq(x, y), np.linalg.lstsq(TALL, b), strict=True):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13)
    check_derivatives(
        lambda a, c: np.linalg.lstsq(a, c)[0],
        TALL,
        b,
        reference=lambda a, c: inverse_of_two(a.T @ a) @ (a.T @ c),
    )


@pytest.mark.parametrize("p", [None, 2, -2, 1, np.inf, "fro"])
def test_cond_has_the_value_of_numpy(p: Any) -> None:
    a = definite(3, 3)
    np.testing.assert_allclose(
        np.linalg.cond(symtape.constant(a), p).numpy(), np.linalg.cond(a, p), rtol=1e-13
    )


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda a: np.linalg.qr(a, mode="complete"), "use 'reduced' or 'r'"),
        (np.linalg.svd, "full_matrices=False"),
    ],
)
def test_bases_of_null_spaces_are_refused(function: Any, words: str) -> None:
    with pytest.raises(symtape.errors.Unsupported, match=words):
        function(symtape.constant(TALL))


def test_float32_stays_float32() -> None:
    a = symtape.constant(definite(3, 3), np.float32)
    for function in (
        np.linalg.cholesky,
        np.linalg.eigvalsh,
        lambda x: np.linalg.eigh(x)[1],
        lambda x: np.linalg.qr(x)[0],
        lambda x: np.linalg.svd(x)[0],
        np.linalg.svdvals,
        np.linalg.pinv,
    ):
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(a)
            y = function(a)
        answers = (y, tape.gradient(y, a), tape.jacobian(y, a))
        assert [answer.dtype for answer in answers] == [np.float32] * 3


def _quotients(function: Any, x: Any) -> Any:
    found = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[index] = 1e-6
        found[index] = (function(x + step) - function(x - step)) / 2e-6
    return found


SKEWED = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.0], [7.0, 1.0, 4.0]])


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: np.linalg.pinv(np.outer(x, x))[0, 0], np.array([1.0, 2.0])),
        (lambda x: np.linalg.pinv(np.stack([x, 2 * x]))[1, 0], np.array([1.0, 2.0, -0.5])),
        (lambda x: np.linalg.pinv(np.stack([x, 2 * x]), rtol=None)[1, 0], np.array([1.0, 2.0])),
        (lambda x: np.linalg.lstsq(np.outer(x, x), [1.0, 2.5])[0][0], np.array([1.0, 2.0])),
        (lambda a: np.linalg.pinv(a)[0, 1], SKEWED),
        (lambda a: np.linalg.pinv(a, hermitian=True)[0, 1], SKEWED),
        (lambda a: np.linalg.svd(a, compute_uv=False, hermitian=True)[1], SKEWED),
    ],
)
def test_pseudo_inverses_of_any_rank_and_of_one_triangle(function: Any, x: Any) -> None:
    np.testing.assert_allclose(symtape.grad(function)(x), _quotients(function, x), 1e-6, 1e-9)


def test_vectors_of_a_hermitian_svd_are_refused() -> None:
    with pytest.raises(symtape.errors.Unsupported, match="use eigh"):
        symtape.grad(lambda a: np.linalg.svd(a, hermitian=True)[0][0, 0])(SKEWED)
