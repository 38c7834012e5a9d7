"""Of a symmetric matrix NumPy reads one triangle: both ways to give its slopes are admitted.

What the function reads in full has one gradient alone, whatever reads a triangle beside it.
"""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import symtape
import verify
from verify.model.verdict import Verdict

READS = {
    "cholesky": lambda a: np.linalg.cholesky(a)[-1, 0],
    "upper cholesky": lambda a: np.linalg.cholesky(a, upper=True)[0, -1],
    "eigvalsh": lambda a: np.linalg.eigvalsh(a)[0],
    "upper eigvalsh": lambda a: np.linalg.eigvalsh(a, UPLO="U")[0],
    "eigh": lambda a: np.linalg.eigh(a)[1][0, 1] ** 2,
    "upper eigh": lambda a: np.linalg.eigh(a, UPLO="U")[1][0, 1] ** 2,
}
B = np.array([1.0, 2.0, -1.0])
MIRRORED = {
    "cho_solve": lambda a: B @ scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), B),
    "solve pos": lambda a: B @ scipy.linalg.solve(a, B, assume_a="pos"),
    "lower solve sym": lambda a: B @ scipy.linalg.solve(a, B, assume_a="sym", lower=True),
    "scipy eigh": lambda a: scipy.linalg.eigh(a)[0][0],
    "pinvh": lambda a: B @ scipy.linalg.pinvh(a) @ B,
    "congruence": lambda a: np.sum(np.log(np.diag(np.linalg.cholesky(WEIGHTS @ a @ WEIGHTS.T)))),
    "both": lambda a: np.sum(np.linalg.cholesky(a)) + np.linalg.eigvalsh(a)[-1],
}
WEIGHTS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
SYMMETRIC = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 0.75], [-0.5, 0.75, 5.0]])
SKEWED = SYMMETRIC + np.array([[0.0, 0.3, 0.2], [-0.1, 0.0, 0.0], [0.0, 0.25, 0.0]])


def shared(function: Any) -> Any:
    """Half of each slope on either side of the diagonal."""

    def claim(a: Any) -> Any:
        slopes = symtape.grad(function)(a)
        return (slopes + slopes.T) / 2

    return claim


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("a", [SYMMETRIC, SKEWED], ids=["symmetric", "skewed"])
def test_the_derivative_is_that_of_what_numpy_computes(name: str, a: Any) -> None:
    function = READS[name]
    slopes = symtape.grad(function)(a)
    for index in np.ndindex(a.shape):
        step = np.zeros(a.shape)
        step[index] = 1e-6
        quotient = (function(a + step) - function(a - step)) / 2e-6
        assert slopes[index] == pytest.approx(quotient, rel=1e-6, abs=1e-9)
    unread = np.triu_indices(3, 1) if "upper" not in name else np.tril_indices(3, -1)
    assert not np.any(slopes[unread])
    assert verify.gradient(function, at=[a]).verdict is Verdict.CORRECT


@pytest.mark.slow
@pytest.mark.parametrize("name", READS)
def test_slopes_shared_between_both_triangles_are_right_along_symmetric_matrices(
    name: str,
) -> None:
    claim = shared(READS[name])
    result = verify.gradient(READS[name], claim, at=[SYMMETRIC])
    assert result.verdict is Verdict.CORRECT
    assert "along symmetric matrices" in result.points[0].message
    assert verify.gradient(READS[name], claim, at=[SKEWED]).verdict is Verdict.WRONG


def test_other_slopes_are_wrong_there_too() -> None:
    function = READS["cholesky"]
    claim = shared(function)
    for wrong in (lambda a: 1.001 * claim(a), lambda a: np.tril(claim(a))):
        assert verify.gradient(function, wrong, at=[SYMMETRIC]).verdict is Verdict.WRONG


def log_determinant(a: Any) -> Any:
    return 2 * np.sum(np.log(np.diag(np.linalg.cholesky(a))))


def beside(function: Any) -> Any:
    """The function, and a sum that reads the matrix in full."""
    return lambda a: function(a) + np.sum(WEIGHTS * a)


@pytest.mark.long
@pytest.mark.parametrize("name", READS | MIRRORED)
def test_what_reads_the_matrix_in_full_has_one_gradient_alone(name: str) -> None:
    function = (READS | MIRRORED)[name]
    by_triangle, by_both = symtape.grad(function), shared(function)

    def verdict(claim: Any) -> Verdict:
        return verify.gradient(beside(function), claim, at=[SYMMETRIC]).verdict

    assert verdict(lambda a: by_triangle(a) + WEIGHTS) is Verdict.CORRECT
    assert verdict(lambda a: by_both(a) + WEIGHTS) is Verdict.CORRECT
    assert verdict(shared(beside(function))) is Verdict.CORRECT  # along symmetric matrices
    for wrong in (
        lambda a: by_triangle(a) + WEIGHTS.T,
        lambda a: by_both(a) + WEIGHTS.T,
        lambda a: by_triangle(a).T + WEIGHTS,
        lambda a: 1.001 * by_both(a) + WEIGHTS,
    ):
        assert verdict(wrong) is Verdict.WRONG


@pytest.mark.parametrize("name", READS | MIRRORED)
def test_the_slopes_of_the_other_triangle_are_not_those_of_the_one_that_is_read(name: str) -> None:
    function = (READS | MIRRORED)[name]
    assert verify.gradient(function, shared(function), at=[SYMMETRIC]).verdict is Verdict.CORRECT
    twin = verify.gradient(function, lambda a: symtape.grad(function)(a).T, at=[SYMMETRIC])
    assert twin.verdict is Verdict.WRONG


@pytest.mark.long
def test_each_operation_has_a_custom_of_its_own() -> None:
    # TensorFlow shares the slopes of a Cholesky factor, and not those of eigenvalues.
    first, second = READS["cholesky"], READS["eigvalsh"]
    mixed = lambda a: shared(first)(a) + symtape.grad(second)(a)  # noqa: E731
    both = lambda a: first(a) + second(a)  # noqa: E731
    assert verify.gradient(both, mixed, at=[SYMMETRIC]).verdict is Verdict.CORRECT
    twisted = lambda a: shared(first)(a) + symtape.grad(second)(a).T  # noqa: E731
    assert verify.gradient(both, twisted, at=[SYMMETRIC]).verdict is Verdict.WRONG


@pytest.mark.long
def test_a_search_finds_the_transposed_weights() -> None:
    over = verify.positive_definite(3)
    function = beside(log_determinant)
    right = verify.gradient(function, lambda a: np.linalg.inv(a) + WEIGHTS, over=over, effort=0.2)
    assert right.verdict is Verdict.CORRECT
    wrong = verify.gradient(function, lambda a: np.linalg.inv(a) + WEIGHTS.T, over=over, effort=0.2)
    assert wrong.verdict is Verdict.WRONG


@pytest.mark.long
def test_second_derivatives_share_as_first_ones_do() -> None:
    def function(a: Any) -> Any:
        return log_determinant(a) + np.sum(WEIGHTS * a) ** 2

    def hessian(a: Any, weights: Any = WEIGHTS) -> Any:
        inverse = np.linalg.inv(a)
        curved = np.einsum("ik,jl->ijkl", inverse, inverse)
        crossed = np.einsum("il,jk->ijkl", inverse, inverse)
        return 2 * np.einsum("ij,kl->ijkl", weights, WEIGHTS) - (curved + crossed) / 2

    assert verify.hessian(function, hessian, at=[SYMMETRIC]).verdict is Verdict.CORRECT
    transposed = verify.hessian(function, lambda a: hessian(a, WEIGHTS.T), at=[SYMMETRIC])
    assert transposed.verdict is Verdict.WRONG


def test_products_share_as_gradients_do() -> None:
    def function(a: Any) -> Any:
        return np.linalg.cholesky(a) + WEIGHTS * a

    def pulled(a: Any, g: Any) -> Any:
        return shared(lambda a: np.sum(np.linalg.cholesky(a) * g))(a)

    at = [(SYMMETRIC, WEIGHTS)]
    right = verify.vjp(function, lambda a, g: pulled(a, g) + WEIGHTS * g, at=at)
    assert right.verdict is Verdict.CORRECT
    wrong = verify.vjp(function, lambda a, g: pulled(a, g) + (WEIGHTS * g).T, at=at)
    assert wrong.verdict is Verdict.WRONG

    def pushed(a: Any, t: Any, weights: Any) -> Any:
        return np.sum(np.linalg.inv(a) * (t + t.T) / 2) + np.sum(weights * t)

    along = beside(log_determinant)
    right = verify.jvp(along, lambda a, t: pushed(a, t, WEIGHTS), at=at)
    assert right.verdict is Verdict.CORRECT
    wrong = verify.jvp(along, lambda a, t: pushed(a, t, WEIGHTS.T), at=at)
    assert wrong.verdict is Verdict.WRONG
