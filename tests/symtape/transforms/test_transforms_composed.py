"""Transforms of transforms, under tapes, and as identities that hold for all inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape import GradientTape, Tensor, Variable, grad, hessian, hvp, jacobian, jvp, vjp

X = np.array([0.5, -1.25, 2.0])


def _f(x):
    return np.sum(np.sin(x) * x) + np.prod(x) + x[0] * np.exp(x[1])


def _g(x):
    return np.stack([np.sum(x**2), x[0] * x[1] * x[2], np.sin(x[2]), np.max(x) + x[0]])


H = hessian(_f)(X)

COMPOSED = {
    "jacobian of grad": lambda: jacobian(grad(_f))(X),
    "hessian": lambda: hessian(_f)(X),
    "grad of a part of grad": lambda: np.stack(
        [grad(lambda x, i=i: grad(_f)(x)[i])(X) for i in range(3)]
    ),
    "vjp of grad": lambda: np.stack([vjp(grad(_f), X)[1](row)[0] for row in np.eye(3)]),
    "jvp of grad": lambda: np.stack([jvp(grad(_f), (X,), (row,))[1] for row in np.eye(3)]),
    "grad of jvp": lambda: np.stack(
        [grad(lambda x, v=v: jvp(_f, (x,), (v,))[1])(X) for v in np.eye(3)]
    ),
    "grad of vjp": lambda: np.stack(
        [grad(lambda x, v=v: np.sum(vjp(_f, x)[1](1.0)[0] * v))(X) for v in np.eye(3)]
    ),
    "hvp": lambda: np.stack([hvp(_f)(X, v) for v in np.eye(3)]),
    "jacobian of value_and_grad's second": lambda: jacobian(
        lambda x: symtape.value_and_grad(_f)(x)[1]
    )(X),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_every_way_to_the_hessian_agrees(name):
    found = COMPOSED[name]()
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, H, rtol=1e-13, atol=1e-14)


def test_grad_of_grad_to_fifth_order():
    f = np.sin
    for order in range(1, 6):
        f = grad(f)
        assert type(f(0.7)) is np.float64
        np.testing.assert_allclose(f(0.7), math.sin(0.7 + order * math.pi / 2), rtol=1e-14)


def test_third_derivatives_by_the_jacobian_of_a_hessian():
    third = jacobian(hessian(lambda x: np.sum(x) ** 3 + np.sum(x**3)))(X)
    expected = np.full((3, 3, 3), 6.0)
    expected[np.diag_indices(3, 3)] += 6.0
    np.testing.assert_allclose(third, expected, rtol=1e-13)


def test_an_inner_derivative_that_uses_an_outer_variable_is_not_cut():
    """The inner arguments are plain, and yet the result depends on what is outside."""
    outer = grad(lambda w: grad(lambda x: w * x * x)(3.0))
    assert outer(2.0) == 6.0
    nested = grad(lambda w: hessian(lambda x: w**2 * np.sum(x**3))(X)[0, 0])
    np.testing.assert_allclose(nested(2.0), 2 * 2.0 * 6 * X[0])
    by_jvp = grad(lambda w: jvp(lambda x: w * x, (3.0,), (1.0,))[1])
    assert by_jvp(2.0) == 1.0
    by_vjp = grad(lambda w: vjp(lambda x: w * x, 3.0)[1](1.0)[0])
    assert by_vjp(2.0) == 1.0


def test_perturbations_are_not_confused():
    """Siskind and Pearlmutter's example: d/dx (x d/dy (x + y))."""
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert grad(lambda x: x * grad(lambda y: x * y)(2.0))(3.0) == 6.0
    assert grad(lambda x, y: grad(lambda x: x * y)(y) * x)(2.0, 5.0) == 5.0


def test_one_array_for_two_arguments():
    x = np.array([1.0, 2.0])
    gx, gy = grad(lambda x, y: np.sum(x**2 * y), (0, 1))(x, x)
    np.testing.assert_array_equal(gx, 2 * x * x)
    np.testing.assert_array_equal(gy, x**2)
    t = symtape.constant(x)
    gx, gy = grad(lambda x, y: np.sum(x**2 * y), (0, 1))(t, t)
    np.testing.assert_array_equal(gx.numpy(), 2 * x * x)


TRANSFORMS = {
    "grad": lambda x: grad(_f)(x),
    "value": lambda x: symtape.value_and_grad(_f)(x)[0],
    "jacobian": lambda x: jacobian(_g)(x),
    "hessian": lambda x: hessian(_f)(x),
    "jvp": lambda x: jvp(_g, (x,), (X,))[1],
    "jvp by the tangent": lambda x: jvp(_g, (X,), (x,))[1],
    "vjp": lambda x: vjp(_g, x)[1](np.arange(4.0))[0],
    "vjp by the cotangent": lambda x: vjp(lambda y: np.sum(y**2) * y, X)[1](x)[0],
    "hvp": lambda x: hvp(_f)(x, X),
    "hvp by the vector": lambda x: hvp(_f)(X, x),
    "batch_jacobian": lambda x: symtape.batch_jacobian(np.sin)(x),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_under_a_tape_results_are_recorded_tensors(name):
    transform = TRANSFORMS[name]
    x = Variable(X)
    with GradientTape() as tape:
        y = transform(x)
    assert isinstance(y, Tensor)
    np.testing.assert_allclose(y.numpy(), transform(X), rtol=1e-14)
    found = tape.jacobian(y, x).numpy()
    np.testing.assert_allclose(found, jacobian(transform)(X), rtol=1e-13, atol=1e-14)
    (replayed,) = symtape.record(transform, X).evaluate(X)
    np.testing.assert_allclose(replayed, transform(X), rtol=1e-14)


def test_without_a_tape_plain_in_is_plain_out_and_tensors_are_tensors():
    for transform in TRANSFORMS.values():
        assert isinstance(transform(X), np.ndarray | np.generic)
    for name in ("grad", "jacobian", "hessian"):
        assert isinstance(TRANSFORMS[name](symtape.constant(X)), Tensor)


def test_transforms_leave_an_outer_tape_its_own_variables():
    w = Variable(2.0)
    with GradientTape() as tape:
        g = grad(lambda x: w * x**2)(3.0)
        plain = grad(lambda x: x**2)(3.0)
    assert isinstance(g, Tensor)
    assert type(plain) is np.float64
    assert tape.gradient(g, w).numpy() == 6.0


def test_a_transform_inside_a_loss():
    """A gradient penalty, trained on: its derivative by the weights goes through grad."""
    w = Variable([1.0, -2.0])

    def network(x):
        return np.sum(np.tanh(w * x))

    x = np.array([0.3, 0.8])
    with GradientTape() as tape:
        penalty = np.sum(grad(network)(x) ** 2)
    t = np.tanh(w.numpy() * x)
    s = 1 - t**2
    expected = 2 * (w.numpy() * s) * (s - 2 * w.numpy() * t * s * x)
    np.testing.assert_allclose(tape.gradient(penalty, w).numpy(), expected, rtol=1e-13)


_floats = st.floats(-2, 2).map(lambda x: round(x * 64) / 64)
_vectors = st.lists(_floats, min_size=3, max_size=3).map(np.array)


def _smooth(x):
    return np.stack([np.sin(x[0] * x[1]), np.exp(x[2]) * x[0], np.sum(x**3), np.tanh(x @ x)])


@given(_vectors, _vectors, st.lists(_floats, min_size=4, max_size=4).map(np.array))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_products_are_the_jacobians(x, t, v):
    j = jacobian(_smooth)(x)
    scale = 1e-13 * (1 + np.abs(j).max())
    np.testing.assert_allclose(jvp(_smooth, (x,), (t,))[1], j @ t, rtol=1e-12, atol=4 * scale)
    value, pull_back = vjp(_smooth, x)
    np.testing.assert_array_equal(value, _smooth(x))
    np.testing.assert_allclose(pull_back(v)[0], v @ j, rtol=1e-12, atol=4 * scale)


@given(_vectors, _vectors)
@settings(derandomize=True, max_examples=60, deadline=None)
def test_hessians_are_symmetric_and_their_products_agree(x, v):
    def f(x):
        return np.sum(_smooth(x) ** 2)

    h = hessian(f)(x)
    scale = 1e-12 * (1 + np.abs(h).max())
    np.testing.assert_allclose(h, h.T, rtol=1e-12, atol=scale)
    np.testing.assert_allclose(hvp(f)(x, v), h @ v, rtol=1e-11, atol=10 * scale)


@given(_vectors, st.integers(-3, 3), st.integers(-3, 3))
@settings(derandomize=True, max_examples=40, deadline=None)
def test_the_gradient_is_linear_in_the_function(x, a, b):
    combined = grad(lambda x: a * _f(x) + b * np.sum(x**2))(x)
    separate = a * grad(_f)(x) + b * 2 * x
    np.testing.assert_allclose(combined, separate, rtol=1e-12, atol=1e-12)


@given(_vectors)
@settings(derandomize=True, max_examples=40, deadline=None)
def test_the_chain_rule(x):
    def inner(x):
        return np.sin(x) + x[0]

    whole = jacobian(lambda x: _smooth(inner(x)))(x)
    chained = jacobian(_smooth)(inner(x)) @ jacobian(inner)(x)
    np.testing.assert_allclose(whole, chained, rtol=1e-11, atol=1e-11)


TREES = {
    "a number in a tuple": (lambda p: p[0] ** 3, (0.75,)),
    "a complex number in a tuple": (lambda p: np.sin(p[0]), (0.5 + 0.25j,)),
    "numbers in a list": (lambda p: p[0] ** 2 * p[1], [0.75, 2.0]),
    "lists of complex numbers": (lambda p: np.exp(p[0][0] * p[1][1]), [[1j, 2.0], [0.5, 1.0]]),
    "a list taken for an array": (lambda p: np.sum(np.asarray(p) ** 3), [0.75, 2.0]),
    "a ragged list": (lambda p: p[0][0] * p[1][1] ** 2, [[1.5], [2.0, 3.0]]),
}


@pytest.mark.parametrize("name", TREES)
def test_forward_over_forward_of_trees(name):
    """Inside, the leaves of a tree are tensors, which are no plain numbers."""
    f, x = TREES[name]

    def moved(p, step):
        return type(p)(moved(q, step) for q in p) if isinstance(p, list | tuple) else p + step

    def ones(p):
        return type(p)(map(ones, p)) if isinstance(p, list | tuple) else type(p)(1.0)

    found = symtape.jvp(lambda p: symtape.jvp(f, (p,), (ones(x),))[1], (x,), (ones(x),))[1]
    step = 2.0**-10
    quotient = (f(moved(x, step)) - 2 * f(x) + f(moved(x, -step))) / step**2
    np.testing.assert_allclose(found, quotient, rtol=1e-4)
