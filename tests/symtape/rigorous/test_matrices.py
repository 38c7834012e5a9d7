"""Linear algebra in balls, against exact rational arithmetic and against NumPy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.process.precision import precision
from symtape.rigorous import ball


def _objects(array: Any) -> Any:
    return np.frompyfunc(ball.to_ball, 1, 1)(np.asarray(array, dtype=object))


@st.composite
def matrices(draw: Any) -> Any:
    n = draw(st.integers(1, 4))
    entries = draw(st.lists(st.integers(-8, 8), min_size=n * n, max_size=n * n))
    return np.array(entries).reshape(n, n)


def _holds(found: Any, exact: Any) -> bool:
    with precision(400):
        return bool(abs(found.mid() - exact) <= found.rad() + arb(2) ** -300)


def _fmpq(matrix: Any) -> Any:
    return fmpq_mat(*matrix.shape, [int(x) for x in matrix.ravel()])


@given(a=matrices())
@settings(deadline=None, derandomize=True)
def test_determinant_inverse_and_solution_are_the_exact_ones(a: Any) -> None:
    exact = _fmpq(a)
    n = len(a)
    determinant = exact.det()
    assert _holds(ball.det(a)[()], determinant)
    sign, log = ball.slogdet(a)
    if determinant == 0:
        assert not ball.inv(a)[0, 0].is_finite()
        assert not log[()].is_finite()
        return
    assert sign[()].contains(arb(1 if determinant > 0 else -1))
    assert log[()].overlaps(abs(arb(determinant)).log())
    inverse, b = exact.inv(), np.arange(1, n + 1)
    solution = exact.solve(fmpq_mat(n, 1, b.tolist()))
    for i, j in np.ndindex(n, n):
        assert _holds(ball.inv(a)[i, j], inverse[i, j])
    for i in range(n):
        assert _holds(ball.solve(a, b)[i], solution[i, 0])
        assert _holds(ball.solve(a, np.stack([b, b], -1))[i, 1], solution[i, 0])


@given(a=matrices())
@settings(deadline=None, derandomize=True)
def test_cofactors_expand_the_determinant(a: Any) -> None:
    cofactors = ball.cofactor(a)
    for row, minors in zip(_objects(a), cofactors, strict=True):
        assert np.sum(row * minors).overlaps(ball.det(a)[()])


@given(a=matrices())
@settings(deadline=None, derandomize=True)
def test_cholesky_multiplies_back(a: Any) -> None:
    definite = a @ a.T + np.eye(len(a), dtype=int)
    factor = ball.cholesky(definite)
    product = factor @ factor.T
    for i, j in np.ndindex(definite.shape):
        assert product[i, j].contains(arb(int(definite[i, j])))
        assert factor[i, j].rel_accuracy_bits() > 30 or factor[i, j].contains(0)
    indefinite = definite - 2 * definite[0, 0] * np.eye(len(a), dtype=int)
    assert not ball.cholesky(indefinite)[0, 0].is_finite()


@given(a=matrices())
@settings(deadline=None, derandomize=True, max_examples=50)
def test_eigenvalues_and_vectors(a: Any) -> None:
    symmetric = a + a.T
    with precision(113):
        values, vectors = ball.eigh(symmetric)
    near = np.linalg.eigh(symmetric)
    simple = len(a) == 1 or np.min(np.diff(near.eigenvalues)) > 1e-6
    if simple:
        found = np.vectorize(float)(vectors)
        found = np.vectorize(float)(vectors)
        np.testing.assert_allclose(found, near.eigenvectors, atol=1e-7)
        residual = _objects(symmetric) @ vectors - vectors * values
        assert all(entry.contains(0) for entry in residual.flat)
    for value, estimate in zip(values, near.eigenvalues, strict=True):
        assert not value.is_finite() or abs(value - estimate) < 1e-6
        assert value.is_finite() or not simple


@given(a=matrices())
@settings(deadline=None, derandomize=True, max_examples=30)
def test_exponentials_of_opposites_are_inverse(a: Any) -> None:
    product = ball.expm(a / 4) @ ball.expm(-a / 4)
    for i, j in np.ndindex(a.shape):
        assert product[i, j].contains(int(i == j))


def test_equal_eigenvalues_leave_no_certain_vectors() -> None:
    values, vectors = ball.eigh(np.eye(3))
    assert all(value.contains(1) for value in values)
    assert not any(entry.is_finite() for entry in vectors.flat)


def test_perturbed_matrices_enclose_the_perturbed_answers() -> None:
    middle = np.array([[2.0, 0.5, 0.0], [0.5, 1.5, -0.25], [0.0, -0.25, 3.0]])
    wide = np.frompyfunc(lambda x: arb(x, 1e-3), 1, 1)(middle)
    near = middle + 1e-3 * np.array([[1, -1, 1], [-1, 1, 0.5], [1, 0.5, -1]])
    for function in (ball.inv, ball.det, ball.cholesky, ball.eigvalsh):
        outer = np.asarray(function(wide), dtype=object)
        inner = np.asarray(function(near), dtype=object)
        assert all(a.overlaps(b) for a, b in zip(outer.flat, inner.flat, strict=True))
        assert all(a.is_finite() for a in outer.flat)


def test_stacks_are_taken_matrix_by_matrix() -> None:
    stack = np.array([[[2.0, 1.0], [1.0, 3.0]], [[4.0, 0.0], [0.0, 1.0]]])
    assert ball.det(stack).shape == (2,)
    assert ball.inv(stack).shape == ball.cholesky(stack).shape == (2, 2, 2)
    assert ball.solve(stack, np.ones((2, 1))).shape == (2, 2, 1)
    assert [part.shape for part in ball.eigh(stack)] == [(2, 2), (2, 2, 2)]
    assert ball.det(stack)[1] == 4


@pytest.mark.parametrize(
    "shapes", [((9, 8), (8, 9)), ((9, 8), (8,)), ((70,), (70,)), ((2, 2), (2, 2))]
)
def test_products_are_the_exact_ones(shapes: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape) for shape in shapes)
    exact = np.vectorize(Fraction)(a) @ np.vectorize(Fraction)(b)
    product = np.asarray(ball.matmul(a, b), dtype=object)
    assert product.shape == np.shape(exact)
    for found, value in zip(product.flat, np.asarray(exact, dtype=object).flat, strict=True):
        assert found.overlaps(ball.to_ball(value))
        assert found.rel_accuracy_bits() > 30


NUMPYS = {
    "qr": np.linalg.qr,
    "singular_values": lambda a: np.linalg.svd(a, compute_uv=False),
    "svd": lambda a: np.linalg.svd(a, full_matrices=False),
}


@given(seed=st.integers(0, 10**6), shape=st.tuples(st.integers(1, 4), st.integers(1, 4)))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_decompositions_are_numpys(seed: int, shape: tuple[int, int]) -> None:
    a = np.random.default_rng(seed).standard_normal(shape)
    for name in NUMPYS:
        expected = NUMPYS[name](a)
        with precision(300):
            found = getattr(ball, name)(a)
        single = not isinstance(found, tuple)
        pairs = [(found, expected)] if single else zip(found, expected, strict=True)
        for balls, floats in pairs:
            assert balls.shape == floats.shape
            np.testing.assert_allclose(np.vectorize(float)(balls), floats, rtol=1e-8, atol=1e-9)
            assert all(entry.is_finite() for entry in balls.flat)
        if not single:
            product = found[0]
            for factor in found[1:]:
                product = product @ factor if factor.ndim == 2 else product * factor
            assert all(
                entry.contains(value) for entry, value in zip(product.flat, a.flat, strict=True)
            )


def test_signs_jump_at_a_pivot_of_zero() -> None:
    a = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert float(ball.qr(a)[1][0, 0]) == np.linalg.qr(a)[1][0, 0]
    assert np.linalg.qr(np.where(a == 0, -0.0, a))[1][0, 0] == 1
    near = np.frompyfunc(lambda x: arb(x, 1e-9), 1, 1)(a)
    assert not ball.qr(near)[1][0, 0].is_finite()


def test_deficient_rank_leaves_nothing_known() -> None:
    a = np.ones((3, 2))
    assert not ball.svd(a)[0][0, 1].is_finite()
    stack = np.stack([np.eye(2), 2 * np.eye(2)])
    assert ball.singular_values(stack)[1, 0].contains(2)
    assert [part.shape for part in ball.qr(stack)] == [(2, 2, 2), (2, 2, 2)]
