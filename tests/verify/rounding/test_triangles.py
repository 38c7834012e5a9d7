"""Of a symmetric matrix NumPy reads one triangle: both ways to give its slopes are admitted."""

from typing import Any

import numpy as np
import pytest

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
