from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape

ORDERS = [None, 2, 1, np.inf, -np.inf, 3, 4, 2.5, 1.5, 0.5, -1]
POINT = [1.5, -2.0, 0.25]


def exact_norm(order):
    if order == np.inf:
        return lambda *xs: max(abs(x) for x in xs)
    if order == -np.inf:
        return lambda *xs: min(abs(x) for x in xs)
    p = mpmath.mpf(order or 2)
    return lambda *xs: mpmath.fsum(abs(x) ** p for x in xs) ** (1 / p)


@pytest.mark.parametrize("order", ORDERS)
def test_vector_norms_against_high_precision(order):
    x = symtape.constant(POINT)
    with symtape.GradientTape() as outer:
        outer.watch(x)
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = np.linalg.norm(x, order)
        gradient = tape.gradient(y, x)
    hessian = outer.jacobian(gradient, x, unconnected_gradients="zero").numpy()
    np.testing.assert_allclose(y.numpy(), np.linalg.norm(np.array(POINT), order), rtol=1e-15)
    exact, n = exact_norm(order), range(3)
    with mpmath.workdps(60):
        first = [mpmath.diff(exact, POINT, tuple(np.eye(3, dtype=int)[i])) for i in n]
        second = [
            [mpmath.diff(exact, POINT, tuple(np.eye(3, dtype=int)[[i, j]].sum(0))) for j in n]
            for i in n
        ]
    np.testing.assert_allclose(gradient.numpy(), np.array(first, float), rtol=1e-14)
    np.testing.assert_allclose(hessian, np.array(second, float), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("order", ORDERS)
def test_the_gradient_of_the_zero_vector_is_zero(order):
    x = symtape.constant(np.zeros(3))
    with symtape.GradientTape() as outer:
        outer.watch(x)
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = np.linalg.norm(x, order)
        gradient = tape.gradient(y, x)
    np.testing.assert_array_equal(gradient.numpy(), np.zeros(3))
    if order in (None, 2):
        np.testing.assert_array_equal(outer.jacobian(gradient, x).numpy(), np.zeros((3, 3)))


@pytest.mark.parametrize("order", [None, 3, 1.5])
@pytest.mark.parametrize("scale", [2.0**900, 2.0**-900, 2.0**-1060])
def test_norms_neither_overflow_nor_vanish(order, scale):
    def norm_and_gradient(data):
        x = symtape.constant(data)
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = np.linalg.norm(x, order)
        return y.numpy(), tape.gradient(y, x).numpy()

    data = np.array([2.0, -1.5, 0.5])
    value, gradient = norm_and_gradient(data)
    scaled_value, scaled_gradient = norm_and_gradient(data * scale)
    np.testing.assert_allclose(scaled_value, value * scale, rtol=1e-3 if scale < 1e-310 else 1e-15)
    np.testing.assert_allclose(scaled_gradient, gradient, rtol=1e-3 if scale < 1e-310 else 1e-14)


@settings(max_examples=20, derandomize=True, deadline=None)
@given(data=st.data(), shape=hnp.array_shapes(min_dims=1, max_dims=3, max_side=3))
@pytest.mark.parametrize("order", [2, 1, np.inf, 3])
def test_any_axes(order, data, shape, values):
    axis = data.draw(st.none() | hnp.valid_tuple_axes(len(shape), min_size=1))
    keepdims = data.draw(st.booleans())
    x = values(shape) + np.arange(np.prod(shape)).reshape(shape) / 64
    tensor = symtape.constant(x)
    with symtape.GradientTape() as tape:
        tape.watch(tensor)
        y = np.linalg.vector_norm(tensor, axis=axis, keepdims=keepdims, ord=order)
    expected = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=order)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-14)
    # Euler: a norm is homogeneous of degree one, so x times its gradient sums to the norm.
    reduced = tuple(range(len(shape))) if axis is None else axis
    np.testing.assert_allclose(
        np.sum(x * tape.gradient(y, tensor).numpy(), axis=reduced, keepdims=keepdims),
        expected,
        rtol=1e-14,
    )


MATRIX = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, 1.0]])


@pytest.mark.parametrize("order", [None, "fro", 1, -1, np.inf, -np.inf, 2, -2, "nuc"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norms_have_numpys_values(order, keepdims):
    x = symtape.constant(MATRIX)
    found = np.linalg.norm(x, order, keepdims=keepdims)
    expected = np.linalg.norm(MATRIX, order, keepdims=keepdims)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("order", ["fro", 1, -1, np.inf, -np.inf])
def test_matrix_norms_are_homogeneous(order, assert_jacobians_agree):
    stack = np.stack([MATRIX, 2 * MATRIX + np.eye(2, 3)])
    x = symtape.constant(stack)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.linalg.matrix_norm(x, ord=order)
    np.testing.assert_allclose(y.numpy(), np.linalg.matrix_norm(stack, ord=order), rtol=1e-14)
    np.testing.assert_allclose(
        np.sum(stack * tape.gradient(y, x).numpy(), axis=(1, 2)), y.numpy(), rtol=1e-14
    )
    assert_jacobians_agree(lambda x: np.linalg.norm(x, order, axis=(2, 0)), stack)


@pytest.mark.parametrize("order", [2, 1, np.inf, 3, 1.5])
def test_batched_jacobians_are_the_rows(order, assert_jacobians_agree):
    assert_jacobians_agree(lambda x: np.linalg.norm(x, order, axis=1), MATRIX)


@pytest.mark.parametrize("order", [2, 3])
def test_single_precision_stays(order):
    x = symtape.constant(MATRIX.astype(np.float32))
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.linalg.norm(x, order, axis=0)
    assert y.dtype == np.float32
    assert tape.gradient(y, x).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.linalg.norm(x, 3), "no norm of matrices"),
        (lambda x: np.linalg.norm(x[0], "fro"), "no norm of vectors"),
        (lambda x: np.linalg.norm(x[None], 2), "a norm is over 1 or 2 axes"),
    ],
)
def test_errors_say_what_was_given(call, words):
    with pytest.raises(ValueError, match=words):
        call(symtape.constant(MATRIX))
