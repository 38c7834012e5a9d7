"""Nested tapes: derivatives of any order, and which tape sees what."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape import GradientTape, Variable

ORDERS = {
    "power": (lambda x: x**6, lambda x, n: math.perm(6, n) * x ** (6 - n)),
    "exp": (lambda x: np.exp(2 * x), lambda x, n: 2**n * math.exp(2 * x)),
    "sin": (np.sin, lambda x, n: math.sin(x + n * math.pi / 2)),
    "reciprocal": (lambda x: 1 / x, lambda x, n: (-1) ** n * math.factorial(n) / x ** (n + 1)),
    "log": (np.log, lambda x, n: (-1) ** (n - 1) * math.factorial(n - 1) / x**n),
    "sqrt": (
        np.sqrt,
        lambda x, n: math.prod(0.5 - k for k in range(n)) * x ** (0.5 - n),
    ),
    "x exp x": (lambda x: x * np.exp(x), lambda x, n: (x + n) * math.exp(x)),
    "product of parts": (
        lambda x: np.prod(np.stack([x, x, x, x, x])),
        lambda x, n: math.perm(5, n) * x ** (5 - n),
    ),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("at", [0.75, 1.5])
def test_nested_tapes_to_fourth_order(name, at):
    function, exact = ORDERS[name]
    x = Variable(at)
    tapes = [GradientTape() for _ in range(4)]
    with contextlib.ExitStack() as stack:
        for tape in tapes:
            stack.enter_context(tape)
        y = function(x)
        for order, tape in enumerate(reversed(tapes), start=1):
            stack_position = tape.gradient(y, x)
            y = stack_position
            np.testing.assert_allclose(y.numpy(), exact(at, order), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ORDERS)
def test_one_persistent_tape_to_fourth_order(name):
    function, exact = ORDERS[name]
    x = symtape.constant(0.75)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
        for order in range(1, 5):
            y = tape.gradient(y, x)
            np.testing.assert_allclose(y.numpy(), exact(0.75, order), rtol=1e-12, atol=1e-13)


def test_mixed_partials_by_different_tapes():
    x, y = symtape.constant(2.0), symtape.constant(3.0)
    with GradientTape() as outer:
        outer.watch(y)
        with GradientTape() as inner:
            inner.watch(x)
            z = x**2 * y**3
        first = inner.gradient(z, [x, y])
    assert first[0].numpy() == 2 * 2.0 * 27.0
    assert first[1] is None
    assert outer.gradient(first[0], [x, y]) == [None, 2 * 2.0 * 3 * 9.0]


def test_an_inner_gradient_is_constant_to_a_tape_that_was_not_recording():
    x = Variable(2.0)
    with GradientTape() as inner:
        y = x**3
    first = inner.gradient(y, x)
    with GradientTape() as later:
        z = first * x
    assert later.gradient(z, x).numpy() == 12.0


def test_the_gradient_of_a_gradient_used_twice():
    """The penalty |grad f|^2, whose gradient is 2 H grad f."""
    x = Variable([1.0, 2.0, 3.0])
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = np.sum(x**3)
        g = inner.gradient(y, x)
        penalty = np.sum(g * g)
    np.testing.assert_allclose(outer.gradient(penalty, x).numpy(), 2 * 6 * x.numpy() * g.numpy())


def test_hessian_vector_product_by_nested_tapes():
    x, v = Variable([1.0, 2.0]), np.array([1.0, -1.0])
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = x[0] ** 2 * x[1] ** 3
        g = inner.gradient(y, x)
    hv = outer.gradient(g, x, output_gradients=v).numpy()
    h = np.array([[2 * 8.0, 2 * 12.0], [2 * 12.0, 6 * 2.0]])
    np.testing.assert_allclose(hv, h @ v)


@given(
    st.lists(st.integers(-8, 8), min_size=1, max_size=5),
    st.integers(-4, 4),
    st.integers(1, 4),
)
@settings(derandomize=True, max_examples=60, deadline=None)
def test_polynomials_with_whole_coefficients_are_differentiated_exactly(coefficients, at, order):
    """Horner's scheme on whole numbers rounds nothing, so every order has to be exact."""
    exact = np.polynomial.Polynomial(coefficients).deriv(order)(at)

    def horner(x):
        total = 0.0 * x
        for coefficient in reversed(coefficients):
            total = total * x + coefficient
        return total

    derivative = horner
    for _ in range(order):
        derivative = symtape.grad(derivative)
    assert derivative(float(at)) == exact
