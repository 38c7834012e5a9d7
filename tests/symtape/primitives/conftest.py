"""Checks that several test files of the vocabulary share, as fixtures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape


def integers(shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    """Small whole numbers as floats, on which sums and products are exact."""
    size = int(np.prod(shape))
    return ((np.arange(size) * 37 + 5) % 11 - 5).astype(dtype).reshape(shape)


def exact_jacobian(f: Callable[[Any], Any], x: Any) -> Any:
    """The matrix of an affine `f`, column by column."""
    at_zero = f(np.zeros_like(x))
    columns = []
    for i in range(x.size):
        unit = np.zeros(x.size, x.dtype)
        unit[i] = 1
        columns.append((f(unit.reshape(x.shape)) - at_zero).ravel())
    matrix = np.array(columns).reshape((x.size, at_zero.size)).T
    return matrix.reshape(at_zero.shape + x.shape)


def check_affine(f: Callable[[Any], Any], x: Any) -> None:
    """`f` on a tensor is `f` on the array; all its derivatives are exact to the last bit."""
    expected = f(x)
    tensor = symtape.constant(x)
    with symtape.GradientTape(persistent=True) as outer:
        outer.watch(tensor)
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(tensor)
            y = f(tensor)
            loss = np.sum(y * y)
        gradient = tape.gradient(loss, tensor, unconnected_gradients="zero")
    assert (y.shape, y.dtype) == (np.shape(expected), expected.dtype)
    np.testing.assert_array_equal(y.numpy(), expected)
    jacobian = exact_jacobian(f, x)
    matrix = jacobian.reshape((y.size, x.size))
    for at_once in (True, False):
        found = tape.jacobian(
            y, tensor, unconnected_gradients="zero", experimental_use_pfor=at_once
        )
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found.numpy(), jacobian)
    assert gradient.dtype == x.dtype
    np.testing.assert_array_equal(
        gradient.numpy(), (2 * matrix.T @ expected.ravel()).reshape(x.shape)
    )
    hessian = outer.jacobian(gradient, tensor, unconnected_gradients="zero")
    np.testing.assert_array_equal(
        hessian.numpy(), (2 * matrix.T @ matrix).reshape(x.shape + x.shape)
    )


def check_jacobians_agree(f: Callable[[Any], Any], x: Any, rtol: float = 1e-13) -> None:
    """The Jacobian in one batched sweep is the Jacobian row by row, for `f` and its gradient."""
    tensor = symtape.constant(x)
    with symtape.GradientTape(persistent=True) as outer:
        outer.watch(tensor)
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(tensor)
            y = f(tensor)
            loss = np.sum(y * y)
        gradient = tape.gradient(loss, tensor)
    for owner, target in ((tape, y), (outer, gradient)):
        batched = owner.jacobian(target, tensor).numpy()
        looped = owner.jacobian(target, tensor, experimental_use_pfor=False).numpy()
        scale = np.max(np.abs(looped), initial=1.0)
        np.testing.assert_allclose(batched, looped, rtol=rtol, atol=rtol * scale)


@pytest.fixture(scope="session")
def values() -> Callable[..., Any]:
    return integers


@pytest.fixture(scope="session")
def assert_affine() -> Callable[..., None]:
    return check_affine


@pytest.fixture(scope="session")
def assert_jacobians_agree() -> Callable[..., None]:
    return check_jacobians_agree
