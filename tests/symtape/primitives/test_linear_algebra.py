"""Systems, inverses and determinants against formulas in plain arithmetic."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import symtape
from symtape.primitives.linear_algebra import COFACTOR

Check = Callable[..., None]


def matrices(*shape: int, seed: int = 0) -> Any:
    """Well conditioned matrices that are not symmetric, with pivots off the diagonal."""
    generator = np.random.default_rng(seed + sum(shape))
    unit = np.roll(np.eye(shape[-1]), 1, axis=0) * 3
    return generator.uniform(-1, 1, shape) + unit


def numbers(*shape: int) -> Any:
    return np.random.default_rng(7 + sum(shape)).uniform(-2, 2, shape)


def leibniz(a: Any) -> Any:
    """The determinant as a sum over permutations."""
    total: Any = 0
    for order in itertools.permutations(range(a.shape[-1])):
        inversions = sum(x > y for x, y in itertools.combinations(order, 2))
        term: Any = (-1) ** inversions
        for i, j in enumerate(order):
            term = term * a[..., i, j]
        total = total + term
    return total


def cofactors(a: Any) -> Any:
    n = a.shape[-1]
    result = np.empty_like(a)
    for i, j in itertools.product(range(n), repeat=2):
        minor = np.delete(np.delete(a, i, -2), j, -1)
        result[..., i, j] = (-1) ** (i + j) * leibniz(minor)
    return result


def inverse(a: Any) -> Any:
    return np.swapaxes(cofactors(a), -1, -2) / np.asarray(leibniz(a))[..., None, None]


SOLVE_SHAPES = [
    ((1, 1), (1,)),
    ((3, 3), (3,)),
    ((3, 3), (3, 2)),
    ((2, 2, 2), (2,)),
    ((2, 2, 2), (2, 1)),
    ((2, 2, 2), (2, 2, 2)),
    ((2, 2), (2, 2, 1)),
    ((2, 1, 2, 2), (2, 2, 1)),
]


@pytest.mark.parametrize("shapes", SOLVE_SHAPES, ids=str)
def test_solve(shapes: Any, check_derivatives: Check) -> None:
    a, b = shapes
    check_derivatives(
        np.linalg.solve,
        matrices(*a),
        numbers(*b),
        reference=lambda x, y: np.matmul(inverse(x), y),
    )


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (2, 2, 2)], ids=str)
def test_inv(shape: Any, check_derivatives: Check) -> None:
    check_derivatives(np.linalg.inv, matrices(*shape), reference=inverse)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (4, 4), (2, 2, 2), (2, 3, 3)], ids=str)
def test_det(shape: Any, check_derivatives: Check) -> None:
    check_derivatives(np.linalg.det, matrices(*shape), reference=leibniz)


SINGULAR = {
    "1x1": [[0]],
    "2x2": [[1, 2], [2, 4]],
    "3x3": [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
    "3x3 of rank 1": [[1, 2, 3], [2, 4, 6], [-1, -2, -3]],
    "4x4": [[1, 2, 3, 4], [0, 1, 0, 2], [1, 3, 3, 6], [5, 0, 1, 2]],
    "4x4 of rank 2": [[1, 0, 2, 0], [0, 1, 0, 3], [1, 1, 2, 3], [1, -1, 2, -3]],
    "4x4 zero": np.zeros((4, 4)),
    "4x4 with a zero row": [[1, 2, 3, 4], [0, 0, 0, 0], [1, 3, 0, 6], [5, 0, 1, 2]],
    "5x5": np.diag([1, 2, 0, 4, 5]) + np.eye(5, k=1),
}


@pytest.mark.parametrize("rows", SINGULAR.values(), ids=SINGULAR)
def test_det_of_a_singular_matrix_has_its_cofactors_as_gradient(rows: Any) -> None:
    exact = np.array(sympy.Matrix(np.asarray(rows, int).tolist()).cofactor_matrix().tolist())
    for stack in (np.array(rows, float), np.stack([rows, np.eye(len(rows))])):
        x = symtape.constant(stack)
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = np.linalg.det(x)
        found = tape.gradient(y, x).numpy()
        first = found if stack.ndim == 2 else found[0]
        expected = exact.astype(float)
        np.testing.assert_allclose(first, expected, atol=1e-13 * max(1, np.abs(expected).max()))
        if stack.ndim == 3:
            np.testing.assert_allclose(found[1], np.eye(len(rows)), atol=1e-13)


@pytest.mark.parametrize("name", ["2x2", "3x3", "3x3 of rank 1"])
def test_det_of_a_small_singular_matrix_is_right_to_second_order(
    name: str, check_derivatives: Check
) -> None:
    check_derivatives(np.linalg.det, SINGULAR[name], reference=leibniz)


def test_cofactors_of_matrices_near_singular_keep_their_digits() -> None:
    a = np.diag([1.0, 2.0, 3.0, 1e-300]) + np.eye(4, k=1) * 1e-290
    exact = np.array(sympy.Matrix(4, 4, [Fraction(v) for v in a.ravel()]).cofactor_matrix())
    np.testing.assert_allclose(COFACTOR(a), exact.astype(float), rtol=1e-12, atol=1e-305)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (2, 2, 2)], ids=str)
@pytest.mark.parametrize("sign", [1, -1])
def test_slogdet(shape: Any, sign: int, check_derivatives: Check) -> None:
    a = matrices(*shape)
    a[..., 0, :] *= sign * np.sign(np.linalg.det(a))[..., None]
    found = np.linalg.slogdet(symtape.constant(a))
    assert type(found)._fields == ("sign", "logabsdet")
    np.testing.assert_array_equal(found.sign.numpy(), sign)
    check_derivatives(
        lambda x: np.linalg.slogdet(x).logabsdet,
        a,
        reference=lambda x: np.log(np.asarray(leibniz(x) * sign, dtype=object)),
    )


def test_slogdet_sign_is_not_differentiable() -> None:
    x = symtape.constant(matrices(3, 3))
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.linalg.slogdet(x).sign * 2
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), 0)


@pytest.mark.parametrize("power", [-3, -1, 0, 1, 2, 5])
def test_matrix_power(power: int, check_derivatives: Check) -> None:
    def reference(a: Any) -> Any:
        base = inverse(a) if power < 0 else a
        result = np.matmul(base, inverse(base)) if not power else base
        for _ in range(abs(power) - 1):
            result = np.matmul(result, base)
        return result

    for shape in ((2, 2), (2, 2, 2)):
        check_derivatives(
            lambda a: np.linalg.matrix_power(a, power), matrices(*shape), reference=reference
        )


def test_tensorsolve_and_tensorinv(check_derivatives: Check) -> None:
    a = matrices(4, 4).reshape((2, 2, 4))
    check_derivatives(
        np.linalg.tensorsolve,
        a,
        numbers(2, 2),
        reference=lambda x, y: np.matmul(inverse(x.reshape(4, 4)), y.ravel()),
    )
    check_derivatives(
        lambda x, y: np.linalg.tensorsolve(x, y, axes=(1,)),
        np.moveaxis(a, -1, 1),
        numbers(2, 2),
        reference=lambda x, y: np.matmul(inverse(np.moveaxis(x, 1, -1).reshape(4, 4)), y.ravel()),
    )
    check_derivatives(
        lambda x: np.linalg.tensorinv(x, 1),
        matrices(2, 2).reshape((2, 2, 1)),
        reference=lambda x: inverse(x.reshape(2, 2)).reshape((2, 1, 2)),
    )


FUNCTIONS: list[Callable[..., Any]] = [
    lambda a: np.linalg.solve(a, a[..., 0]),
    lambda a: np.linalg.solve(a, a),
    np.linalg.inv,
    np.linalg.det,
    lambda a: np.linalg.slogdet(a)[1],
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_float32_stays_float32(function: Any, n: int) -> None:
    a = symtape.constant(matrices(n, n), np.float32)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(a)
        y = function(a)
    answers = (y, tape.gradient(y, a), tape.jacobian(y, a))
    assert [answer.dtype for answer in answers] == [np.float32] * 3


def test_many_right_hand_sides_are_one_factorisation(monkeypatch: pytest.MonkeyPatch) -> None:
    from symtape.primitives.linear_algebra import SOLVE

    calls: list[Any] = []

    def counting(a: Any, b: Any) -> Any:
        calls.append(np.shape(b))
        return np.linalg.solve(a, b)

    monkeypatch.setattr(SOLVE, "evaluate", counting)
    b = symtape.constant(numbers(5))
    with symtape.GradientTape() as tape:
        tape.watch(b)
        y = np.linalg.solve(matrices(5, 5), b)
    tape.jacobian(y, b)
    assert calls == [(5,), (5, 5)]
