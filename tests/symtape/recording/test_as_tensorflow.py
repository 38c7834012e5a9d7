"""What TensorFlow's tapes do, and what is accepted beyond it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable, constant

X = np.array([0.5, -1.25])


def test_each_read_of_a_variable_is_a_source_of_its_own():
    v = Variable(3.0)
    with GradientTape(persistent=True) as tape:
        a, b = v.read_value(), v.value()
        y = a * a * b
    assert a is not b
    assert [g.numpy() for g in tape.gradient(y, [a, b, v])] == [18.0, 9.0, 27.0]
    assert tape.gradient(a, b) is None


def test_what_was_read_before_the_tape_is_constant_to_it():
    v = Variable(3.0)
    before = v.read_value()
    with GradientTape() as tape:
        y = before * v
    assert tape.gradient(y, v).numpy() == 3.0
    v.assign(5.0)
    assert before.numpy() == 3.0


def test_a_spent_tape_says_so_before_anything_else():
    v = Variable(3.0)
    words = "^A non-persistent GradientTape can only be used to compute one set of gradients"
    for question in ("gradient", "jacobian", "batch_jacobian"):
        with GradientTape() as tape:
            y = v * v
        tape.gradient(y, v)
        for arguments in ((y, v), ("no tensor", v), (y, None)):
            with pytest.raises(RuntimeError, match=words):
                getattr(tape, question)(*arguments)
        with pytest.raises(RuntimeError, match=words):
            getattr(tape, question)(y, v, unconnected_gradients="nonsense")


def test_constants_of_tensors_stay_connected():
    x = Variable(X)
    with GradientTape(persistent=True) as tape:
        y = np.sum(constant(x * x))
        z = np.sum(constant([x[0] * 2, [x[1]][0], 1.0]) ** 2)
        narrow = np.sum(constant(x * x, dtype=np.float32))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), 2 * X)
    np.testing.assert_array_equal(tape.gradient(z, x).numpy(), [8 * X[0], 2 * X[1]])
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(tape.gradient(narrow, x).numpy(), 2 * X)


def test_lists_reach_a_custom_gradient_as_they_are():
    seen = []

    @symtape.custom_gradient
    def scaled(x, factors, options):
        seen.append((factors, options))

        def grad(dy):
            return [dy * factors[0], [None, None], {"n": None}]

        return x * factors[0], grad

    x = Variable(2.0)
    with GradientTape() as tape:
        y = scaled(x, [3.0, 4.0], {"n": 1})
    assert seen == [([3.0, 4.0], {"n": 1})]
    assert tape.gradient(y, x).numpy() == 3.0


def test_references_are_keys():
    x, y = Variable(3.0), Variable(3.0)
    named = {x.ref(): "x", y.ref(): "y"}
    assert [named[x.ref()], named[y.ref()]] == ["x", "y"]
    assert x.ref().deref() is x
    assert x.ref() != y.ref()
    assert "Reference wrapping <symtape.Variable" in repr(x.ref())


def test_all_tapes_of_a_thread_pause():
    x = Variable(3.0)
    with GradientTape() as outer, GradientTape(persistent=True) as inner:
        with symtape.stop_recording():
            scale = x * x
        y = scale * x
        g = inner.gradient(y, x)
    assert g.numpy() == 9.0
    assert inner.gradient(scale, x) is None
    assert outer.gradient(y, x).numpy() == 9.0
    assert symtape.grad(_paused)(3.0) == 9.0


def _paused(x):
    with symtape.stop_recording():
        scale = x * x
    return scale * x


def block(x):
    return np.tanh(np.sum(x**2) * x)


@pytest.mark.parametrize("transform", [symtape.jacobian, symtape.hessian, symtape.grad])
def test_a_checkpoint_has_the_derivatives_of_its_function(transform):
    def loss(layer):
        def f(x):
            y = layer(layer(x))
            return y if transform is symtape.jacobian else np.sum(y * x)

        return f

    for kept in (symtape.checkpoint, symtape.recompute_grad):
        np.testing.assert_allclose(
            transform(loss(kept(block)))(X), transform(loss(block))(X), rtol=1e-13
        )
    v = np.array([1.0, 2.0])
    if transform is symtape.grad:
        products = [symtape.hvp(loss(layer))(X, v) for layer in (block, symtape.checkpoint(block))]
        np.testing.assert_allclose(*products, rtol=1e-13)
        pushed = [symtape.jvp(layer, (X,), (v,))[1] for layer in (block, symtape.checkpoint(block))]
        np.testing.assert_allclose(*pushed, rtol=1e-13)


def test_a_checkpoint_follows_what_it_reads_from_around_it():
    v = Variable(2.0)

    def f(x):
        scale = x[0] ** 2

        @symtape.checkpoint
        def inner(y, options):
            return {"out": np.sin(scale * y) * v, "same": y, "n": options["n"]}

        found = inner(x[1], {"n": 3})
        return found["out"] * found["same"] * found["n"]

    def plain(x):
        return np.sin(x[0] ** 2 * x[1]) * 2.0 * x[1] * 3

    np.testing.assert_allclose(symtape.grad(f)(X), symtape.grad(plain)(X), rtol=1e-14)
    np.testing.assert_allclose(symtape.hessian(f)(X), symtape.hessian(plain)(X), rtol=1e-13)
    x = constant(X)
    with GradientTape() as tape:
        y = f(x)
    expected = np.sin(X[0] ** 2 * X[1]) * X[1] * 3
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), expected, rtol=1e-14)


def test_a_checkpoint_is_read_where_values_leave_it():
    def written(x):
        buffer = np.zeros(2)
        buffer[0], buffer[1] = float(x[0]) ** 3, x[1]
        return buffer

    def loss(layer):
        def f(x):
            y = layer(x)
            y[1] *= 2
            return np.sum(y**2)

        return f

    for transform in (symtape.grad, symtape.hessian):
        found = transform(loss(symtape.checkpoint(written)))(X)
        np.testing.assert_allclose(found, transform(loss(written))(X), rtol=1e-13)
    np.testing.assert_allclose(
        symtape.grad(lambda x: np.sum(symtape.checkpoint(written)(x)))(X), [3 * X[0] ** 2, 1.0]
    )


def test_a_checkpoint_keeps_nothing_of_what_is_inside():
    def kept(layer):
        x = Variable(np.ones(4))
        with GradientTape() as tape:
            layer(x)
        return len(tape._edges)

    def long(x):
        for _ in range(50):
            x = np.sin(x)
        return x

    assert kept(symtape.checkpoint(long)) * 25 < kept(long)


def test_a_checkpoint_refuses_what_it_can_not_compute_again():
    v = Variable(2.0)
    square = symtape.checkpoint(lambda x: x * v)
    x = Variable(3.0)
    with GradientTape() as tape:
        y = square(x)
    v.assign(5.0)
    with pytest.raises(TypeError, match="is a checkpoint, and Variable:0 was assigned since"):
        tape.gradient(y, x)


def test_values_that_leave_a_checkpoint_are_refused():
    import struct

    def sent(x):
        return struct.unpack("d", struct.pack("d", np.sin(x)))[0] * x

    with pytest.raises(symtape.errors.Escaped):
        symtape.grad(symtape.checkpoint(sent))(0.5)


def test_a_gradient_that_passes_through():
    rounded = symtape.grad_pass_through(np.round)
    np.testing.assert_array_equal(
        symtape.grad(lambda x: np.sum(rounded(x * 3) * x))(X), (np.round(3 * X) + 3 * X)
    )
    v = Variable(2.0)
    with GradientTape() as tape:
        y = symtape.grad_pass_through(lambda x: np.floor(x * v))(v * 1.0)
    assert tape.gradient(y, v).numpy() == 1.0


def test_more_than_tensorflow_accepts():
    """One axis in a batch, one sweep for each output of a tape that answers once, plain numbers."""
    x = Variable(X)
    with GradientTape() as tape:
        y = x**2
    np.testing.assert_array_equal(tape.batch_jacobian(y, x).numpy(), 2 * X)
    with GradientTape() as tape:
        y = x**2
    found = tape.jacobian(y, x, experimental_use_pfor=False)
    np.testing.assert_array_equal(found.numpy(), np.diag(2 * X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with GradientTape() as tape:
            y = np.sum(x * [1.0, 2.0])
        np.testing.assert_array_equal(tape.gradient(y, x, output_gradients=2).numpy(), [2.0, 4.0])
