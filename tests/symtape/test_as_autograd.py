"""What HIPS autograd offers beside gradients, and what is said where there is none."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.errors import NoGradient, SymtapeError

A = np.array([[1.0, -0.5], [0.25, 2.0], [0.5, 0.75]])
X = np.array([0.3, -0.7])


@pytest.mark.parametrize("x", [X, 0.5, A, np.float32(0.5)], ids=str)
def test_elementwise_gradients(x):
    found = symtape.elementwise_grad(lambda x: x * np.sin(x))(x)
    np.testing.assert_allclose(found, np.sin(x) + x * np.cos(x), rtol=1e-6)
    assert np.asarray(found).dtype == np.asarray(x).dtype
    twice = symtape.elementwise_grad(symtape.elementwise_grad(np.sin))(x)
    np.testing.assert_allclose(twice, -np.sin(x), rtol=1e-6)


def test_elementwise_gradients_by_several_arguments_and_names():
    dx, dp = symtape.elementwise_grad(lambda x, p: p["a"] * x**2, ("x", "p"))(X, {"a": A})
    np.testing.assert_allclose(dx, 2 * X * A.sum(axis=0))
    np.testing.assert_allclose(dp["a"], np.broadcast_to(X**2, (3, 2)))


@pytest.mark.parametrize("loss", [None, lambda y: np.sum(2 * y**2 + y**4)])
@pytest.mark.parametrize("function", [lambda x: A @ x, lambda x: np.tanh(A @ x)])
def test_products_with_the_gauss_newton_matrix(function, loss):
    v = np.array([1.5, -2.0])
    products = symtape.make_ggnvp(function) if loss is None else symtape.make_ggnvp(function, loss)
    j = symtape.jacobian(function)(X)
    h = np.eye(3) if loss is None else symtape.hessian(loss)(function(X))
    np.testing.assert_allclose(products(X)(v), j.T @ h @ j @ v, rtol=1e-13)


def test_products_with_the_gauss_newton_matrix_of_trees():
    def function(scale, p):
        return scale * np.tanh(A @ p["x"])

    product = symtape.make_ggnvp(function, argnums=1)(2.0, {"x": X})
    plain = symtape.make_ggnvp(lambda x: 2.0 * np.tanh(A @ x))(X)
    v = np.array([1.0, 2.0])
    np.testing.assert_allclose(product({"x": v})["x"], plain(v), rtol=1e-14)


def test_trees_as_vectors():
    tree = {"w": A, "rest": (X, [2.5, "text", None]), "n": 3}
    vector, unflatten = symtape.flatten(tree)
    np.testing.assert_array_equal(vector, [*A.ravel(), *X, 2.5])
    again = unflatten(vector)
    np.testing.assert_array_equal(again["w"], A)
    assert again["rest"][1:] == ([2.5, "text", None],)
    assert again["n"] == 3
    for wrong in (vector[1:], vector[None]):
        with pytest.raises(ValueError, match=r"the vector has shape .*; expected \(9,\)"):
            unflatten(wrong)
    assert symtape.flatten({})[0].shape == (0,)


def test_trees_as_vectors_are_differentiated():
    def loss(tree):
        return np.sum(np.sin(tree["w"])) * tree["b"]

    tree = {"w": A, "b": 2.0}
    vector, unflatten = symtape.flatten(tree)
    of_vector = symtape.grad(lambda v: loss(unflatten(v)))(vector)
    expected = symtape.flatten(symtape.grad(loss)(tree))[0]
    np.testing.assert_allclose(of_vector, expected, rtol=1e-14)
    norm = symtape.grad(lambda t: np.sum(symtape.flatten(t)[0] ** 2))(tree)
    np.testing.assert_array_equal(norm["w"], 2 * A)
    assert norm["b"] == 4.0


def test_a_gradient_of_one_entry_says_how_to_take_it_out():
    with pytest.raises(SymtapeError, match=r"shape \(1,\).*Return its one entry, y\[0\]"):
        symtape.grad(lambda x: x[:1] * 2)(X)
    with pytest.raises(SymtapeError, match=r"shape \(1, 1\).*Return its one entry, y\[0, 0\]"):
        symtape.grad(lambda x: np.reshape(x[0], (1, 1)))(X)


def test_a_missing_rule_names_function_and_line():
    def loss(x):
        return special.mathieu_a(2, x)

    line = inspect.getsourcelines(loss)[1] + 1
    words = f"gradient registry has no entry for: mathieu_a, applied at {__file__}:{line} in loss; "
    for kind in (NoGradient, SymtapeError, LookupError):
        with pytest.raises(kind) as caught:
            symtape.grad(loss)(0.5)
        assert str(caught.value).startswith(words)
        assert "symtape.RegisterGradient('mathieu_a')" in str(caught.value)
