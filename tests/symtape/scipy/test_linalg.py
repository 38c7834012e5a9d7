"""scipy.linalg's functions: values as SciPy's, on arrays and tensors, derivatives exact."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl

import symtape
from symtape.scipy import linalg

Check = Callable[..., None]

A = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, 1.0], [-0.75, 2.5, 1.5]])
B = np.array([[0.5, 1.0], [-1.0, 2.0], [2.0, 0.25]])
DEFINITE = A @ A.T + np.eye(3)

CALLS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "solve": (lambda m: m.solve, (A, B)),
    "solve of a vector": (lambda m: m.solve, (A, B[:, 0])),
    "solve transposed": (lambda m: lambda a, b: m.solve(a, b, transposed=True), (A, B)),
    "inv": (lambda m: m.inv, (A,)),
    "det": (lambda m: m.det, (A,)),
    "cholesky": (lambda m: m.cholesky, (DEFINITE,)),
    "cholesky lower": (lambda m: lambda a: m.cholesky(a, lower=True), (DEFINITE,)),
    "expm": (lambda m: m.expm, (A,)),
    "block_diag": (lambda m: m.block_diag, (A, B, B[0])),
    "block_diag of nothing": (lambda m: lambda a: m.block_diag(), (A,)),
    "toeplitz": (lambda m: m.toeplitz, (A[0],)),
    "toeplitz of row and column": (lambda m: m.toeplitz, (A[0], B[:2, 0])),
}
TRIANGULAR = list(itertools.product([0, 1, "N", "T"], [False, True], [False, True]))


@pytest.mark.parametrize("name", CALLS)
def test_values_on_arrays_and_tensors(name: str) -> None:
    function, inputs = CALLS[name]
    expected = function(sl)(*inputs)
    of_arrays = function(linalg)(*inputs)
    of_tensors = function(linalg)(*map(symtape.constant, inputs))
    assert isinstance(of_arrays, np.ndarray | np.generic)
    np.testing.assert_allclose(of_arrays, expected, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(np.asarray(of_tensors), expected, rtol=1e-13, atol=1e-14)


def eliminated(a: Any, b: Any) -> Any:
    """Gauss and Jordan's elimination in plain arithmetic, without exchanges."""
    a, b = a.copy(), b.copy()
    for k in range(len(a)):
        b[k], a[k] = b[k] / a[k, k], a[k] / a[k, k]
        for i in range(len(a)):
            if i != k:
                b[i], a[i] = b[i] - b[k] * a[i, k], a[i] - a[k] * a[i, k]
    return b


@pytest.mark.parametrize("columns", [None, 2])
@pytest.mark.parametrize("case", TRIANGULAR, ids=str)
def test_solve_triangular(case: Any, columns: Any, check_derivatives: Check) -> None:
    trans, lower, unit = case
    b = B[:, 0] if columns is None else B
    arguments = {"trans": trans, "lower": lower, "unit_diagonal": unit}

    def reference(a: Any, right: Any) -> Any:
        mask = np.tri(3, dtype=bool) if lower else np.tri(3, dtype=bool).T
        whole = np.where(mask, a, 0)
        whole = np.where(np.eye(3, dtype=bool), 1, whole) if unit else whole
        return eliminated(whole.T if trans in (1, "T") else whole, right)

    np.testing.assert_allclose(
        linalg.solve_triangular(A, b, **arguments), sl.solve_triangular(A, b, **arguments)
    )
    check_derivatives(
        lambda a, right: linalg.solve_triangular(a, right, **arguments),
        A,
        b,
        reference=reference,
        rtol=1e-11,
    )


def exponential(a: Any) -> Any:
    """Taylor's series."""
    total = term = a * 0 + np.eye(a.shape[-1])
    for k in range(1, 40):
        term = np.matmul(term, a) / k
        total = total + term
    return total


@pytest.mark.slow
@pytest.mark.parametrize("a", [A[:1, :1], A[:2, :2], A, np.stack([A, -A])[:, :2, :2]])
def test_expm(a: Any, check_derivatives: Check) -> None:
    check_derivatives(linalg.expm, a, reference=exponential, rtol=1e-11)


def test_systems_and_arrangements(check_derivatives: Check) -> None:
    check_derivatives(linalg.solve, A, B, reference=eliminated, rtol=1e-11)
    check_derivatives(
        lambda a, b: linalg.solve(a, b, transposed=True),
        A,
        B,
        reference=lambda a, b: eliminated(a.T, b),
        rtol=1e-11,
    )
    check_derivatives(
        lambda c, r: linalg.toeplitz(c, r),
        A[0],
        A[1, :2],
        reference=lambda c, r: np.array([[c[0], r[1]], [c[1], c[0]], [c[2], c[1]]]),
    )
    check_derivatives(
        linalg.block_diag,
        B[:1],
        A[0],
        reference=lambda a, b: np.block([[a, np.zeros((1, 3))], [np.zeros((1, 2)), b[None]]]),
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: linalg.solve(A, B, assume_a="odd"), ValueError, "assume_a='odd'; expected one"),
        (lambda: linalg.inv(A, assume_a="odd"), ValueError, "assume_a='odd'; expected one"),
        (lambda: linalg.solve_triangular(A, B, trans=3), ValueError, "trans=3; expected one of"),
        (lambda: linalg.block_diag(np.ones((1, 1, 1))), ValueError, "block 0 has shape"),
        (lambda: linalg.toeplitz(A), ValueError, "c has shape"),
        (lambda: linalg.toeplitz(A[0], A), ValueError, "r has shape"),
        (lambda: linalg.inv(np.zeros((2, 2))), np.linalg.LinAlgError, "[Ss]ingular"),
    ],
)
def test_what_cannot_be_done_is_refused(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_float32_stays_float32() -> None:
    a = symtape.constant(DEFINITE, np.float32)
    functions: list[Callable[[Any], Any]] = [
        linalg.cholesky,
        linalg.expm,
        lambda x: linalg.solve_triangular(x, x[0], unit_diagonal=True),
        lambda x: linalg.block_diag(x, x),
        lambda x: linalg.toeplitz(x[0]),
    ]
    for function in functions:
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(a)
            y = function(a)
        answers = (y, tape.gradient(y, a), tape.jacobian(y, a))
        assert [answer.dtype for answer in answers] == [np.float32] * 3
