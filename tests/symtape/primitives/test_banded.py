"""Systems with a banded matrix are SciPy's to the bit, and differentiated as dense ones are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import symtape
import verify
from symtape.primitives.banded import expand_bands
from symtape.scipy import linalg

BANDS = st.tuples(st.integers(0, 3), st.integers(0, 3))
SIZES = st.integers(1, 9)
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.sampled_from([(), (1,), (4,)])


def draw_system(seed, size, columns, bands, is_complex=False):
    """Bands with anything outside of the matrix, which nobody reads, and a right side."""
    random = np.random.default_rng(seed)
    ab, b = random.normal(size=(bands, size)), random.normal(size=(size, *columns))
    if is_complex:
        ab, b = ab + 1j * random.normal(size=ab.shape), b + 1j * random.normal(size=b.shape)
    return ab, b


def dense(bands):
    return lambda ab, b: np.linalg.solve(expand_bands(ab, *bands), b)


def target(solve):
    return lambda ab, b: np.sum(np.sin(np.real(solve(ab, b) * (1 + 0.5j))))


@given(SEEDS, SIZES, SHAPES, BANDS, st.booleans())
def test_values_are_those_of_scipy(seed, size, columns, bands, is_complex):
    ab, b = draw_system(seed, size, columns, sum(bands) + 1, is_complex)
    found, wanted = linalg.solve_banded(bands, ab, b), scipy.linalg.solve_banded(bands, ab, b)
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted)


@given(SEEDS, st.integers(2, 9), SHAPES, st.integers(0, 3), st.booleans())
def test_definite_values_are_those_of_scipy(seed, size, columns, beside, lower):
    ab, b = draw_system(seed, size, columns, beside + 1)
    ab[0 if lower else beside] = 20.0
    found = linalg.solveh_banded(ab, b, lower=lower)
    assert np.array_equal(found, scipy.linalg.solveh_banded(ab, b, lower=lower))


@given(SEEDS, SIZES, SHAPES, BANDS, st.booleans())
def test_derivatives_are_those_of_dense_systems(seed, size, columns, bands, is_complex):
    ab, b = draw_system(seed, size, columns, sum(bands) + 1, is_complex)
    ab[bands[1]] += 8.0

    def solve(ab, b):
        return linalg.solve_banded(bands, ab, b)

    check_alike(target(solve), target(dense(bands)), ab, b)


@given(SEEDS, SIZES, SHAPES, st.integers(0, 3), st.booleans())
def test_derivatives_are_those_of_dense_definite_systems(seed, size, columns, beside, lower):
    ab, b = draw_system(seed, size, columns, beside + 1)
    ab[0 if lower else beside] = 20.0
    bands = (beside, 0) if lower else (0, beside)

    def solve(ab, b):
        whole = expand_bands(ab, *bands)
        return np.linalg.solve(whole + whole.T - np.diag(np.diagonal(whole)), b)

    check_alike(target(lambda *x: linalg.solveh_banded(*x, lower=lower)), target(solve), ab, b)


def check_alike(ours, theirs, ab, b):
    both = [symtape.grad(f, argnums=(0, 1)) for f in (ours, theirs)]
    compiled = symtape.jit(both[0])
    for found in (both[0](ab, b), compiled(ab, b), compiled(ab, b)):
        for one, other in zip(found, both[1](ab, b), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)
    if ab.dtype.kind == "f":
        pushed = [symtape.jvp(f, (ab, b), (ab**2, b - 1))[1] for f in (ours, theirs)]
        np.testing.assert_allclose(*pushed, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("definite", [False, True])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_jacobians_and_second_derivatives_agree(definite, columns):
    ab, b = draw_system(0, 5, columns, 2)
    ab[1] += 6.0
    solve = linalg.solveh_banded if definite else lambda ab, b: linalg.solve_banded((0, 1), ab, b)

    def whole(ab, b):
        upper = expand_bands(ab, 0, 1)
        return np.linalg.solve(
            upper + upper.T - np.diag(np.diagonal(upper)) if definite else upper, b
        )

    for of in (0, 1):
        found, wanted = (symtape.jacobian(f, argnums=of)(ab, b) for f in (solve, whole))
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)
        found, wanted = (symtape.hessian(target(f), argnums=of)(ab, b) for f in (solve, whole))
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)


@given(SEEDS, st.integers(2, 9), BANDS)
def test_what_is_not_a_number_goes_on(seed, size, bands):
    ab, b = draw_system(seed, size, (), sum(bands) + 1)
    b[seed % size] = np.nan
    found = scipy.linalg.solve_banded(bands, ab, b, check_finite=False)
    gradient = symtape.grad(target(lambda ab, b: linalg.solve_banded(bands, ab, b)))
    compiled = symtape.jit(gradient)
    assert np.array_equal(linalg.solve_banded(bands, ab, b), found, equal_nan=True)
    for _ in range(2):
        np.testing.assert_allclose(compiled(ab, b), gradient(ab, b), rtol=1e-10)


@pytest.mark.parametrize("bands", [(1, 1), (0, 1), (2, 1)])
def test_singular_systems_are_refused_as_by_scipy(bands):
    ab, b = draw_system(0, 4, (), sum(bands) + 1)
    solve = symtape.jit(symtape.grad(target(lambda ab, b: linalg.solve_banded(bands, ab, b))))
    solve(ab, b)
    singular = ab * 0.0
    for module in (linalg, scipy.linalg):
        with pytest.raises(np.linalg.LinAlgError, match="singular matrix"):
            module.solve_banded(bands, singular, b)
    with pytest.raises(np.linalg.LinAlgError, match="singular matrix"):
        solve(singular, b)


@pytest.mark.parametrize("beside", [0, 1, 2])
def test_indefinite_systems_are_refused_as_by_scipy(beside):
    ab, b = draw_system(0, 4, (), beside + 1)
    ab[beside] = 9.0
    solve = symtape.jit(symtape.grad(target(linalg.solveh_banded)))
    solve(ab, b)
    ab[beside, 2] = -1.0
    for refuse in (solve, linalg.solveh_banded, scipy.linalg.solveh_banded):
        with pytest.raises(np.linalg.LinAlgError, match="3th leading minor not positive definite"):
            refuse(ab, b)


@pytest.mark.parametrize(
    ("ab", "b", "message"),
    [
        (np.ones((2, 4)), np.ones(4), r"ab has shape \(2, 4\); expected 3 rows"),
        (np.ones(4), np.ones(4), r"ab has shape \(4,\); expected 3 rows"),
        (np.ones((3, 4)), np.ones(3), r"b has shape \(3,\); expected 4 rows"),
        (np.ones((3, 4)), np.ones((4, 1, 1)), r"b has shape \(4, 1, 1\); expected 4 rows"),
    ],
)
def test_wrong_shapes_are_refused(ab, b, message):
    with pytest.raises(ValueError, match=message):
        linalg.solve_banded((1, 1), ab, b)


@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_gradients_are_correct(scale):
    """Entries that pivoting fills in are rounded too, of which the bands know nothing."""
    b = np.array([1.0, -2.0, 0.5, 3.0])
    ab = np.array([[0.0, 1.0, 2.0, -1.0], [scale, 0.5 * scale, scale, 2.0], [3.0, 1.0, -1.0, 0.0]])
    found = verify.gradient(lambda ab: np.sum(linalg.solve_banded((1, 1), ab, b) ** 2), at=[ab])
    assert found.verdict is verify.Verdict.CORRECT
    definite = np.array([[0.0, 1.0, 2.0, -1.0], [4.0, 5.0, 6.0, 5.0]])
    found = verify.gradient(lambda ab: np.sum(linalg.solveh_banded(ab, b) ** 2), at=[definite])
    assert found.verdict is verify.Verdict.CORRECT
