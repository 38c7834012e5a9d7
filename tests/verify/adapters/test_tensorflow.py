"""TensorFlow: derivatives by its tape are judged by their values; its functions are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import verify
from symtape.errors import Unreadable
from verify.adapters import adapt_function
from verify.errors import UsageError
from verify.model.foreign import Foreign

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    tf = pytest.importorskip(
        "tensorflow", reason="needs tensorflow: pip install 'symtape[tensorflow]'"
    )

from verify.adapters.tensorflow import derivatives

POINTS = [[0.5, 2.0], [-1.0, 0.25]]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def energy(x):
    return np.sum(np.sin(x) * x)


def energy_in_tensorflow(x):
    return tf.reduce_sum(tf.sin(x) * x)


def by_tape(function):
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return derivative


@tf.custom_gradient
def half(x):
    return tf.sin(x), lambda upstream: 0.5 * upstream * tf.cos(x)


@pytest.mark.parametrize(
    "function",
    [
        tf.sin,
        lambda x: tf.sin(x),
        by_tape(energy_in_tensorflow),
        tf.function(energy_in_tensorflow),
        half,
    ],
)
def test_every_spelling_is_of_tensorflow(function):
    found = adapt_function(function)
    assert isinstance(found, Foreign)
    assert found.framework == "tensorflow"


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "tf.function"])
def test_derivatives_by_the_tape_are_judged(wrap):
    assert verify.assert_gradient(energy, wrap(by_tape(energy_in_tensorflow)), at=POINTS)
    wrong = by_tape(lambda x: tf.reduce_sum(half(x) * x))
    with pytest.raises(verify.DerivativeError, match="; the exact value is "):
        verify.assert_gradient(energy, wrap(wrong), at=POINTS)


def test_a_function_in_tensorflow_is_refused_with_what_can_be_done():
    with pytest.raises(Unreadable, match="give the function in NumPy, or pass evidence="):
        verify.gradient(energy_in_tensorflow, at=POINTS)


def test_answers_are_arrays_of_their_own_precision():
    assert adapt_function(lambda x: tf.sin(x))(np.ones(2, np.float32)).dtype == np.float32
    assert adapt_function(lambda x: tf.cast(x, tf.bfloat16))(np.ones(2)).dtype == np.float32
    rows = adapt_function(by_tape(lambda x: tf.reduce_sum(tf.gather(x, [0, 0]))))(np.ones((2, 3)))
    assert rows.tolist() == [[2.0] * 3, [0.0] * 3]
    with pytest.raises(UsageError, match="returned a SparseTensor; expected a dense tensor"):
        adapt_function(lambda x: tf.sparse.from_dense(x))(np.ones(2))


ARGUMENTS = {"gradient": 1, "hessian": 1, "jacobian": 1, "vjp": 2, "jvp": 2, "hvp": 2}


@pytest.mark.parametrize("quantity", ARGUMENTS)
def test_its_own_derivatives_are_right(quantity):
    vector = quantity in ("jacobian", "vjp", "jvp")
    function = tf.tanh if vector else energy_in_tensorflow
    ours = np.tanh if vector else energy
    for derivative in derivatives(function, quantity).values():
        assert getattr(verify, f"assert_{quantity}")(ours, derivative, at=POINTS)


def test_its_own_derivatives_take_several_arguments():
    def product(x, y):
        return tf.reduce_sum(x**2 * y)

    x, y = np.array([0.5, 2.0]), np.float64(3.0)
    (by_x, by_y) = derivatives(product, "gradient")["reverse"](x, y)
    np.testing.assert_allclose(by_x, 6 * x)
    np.testing.assert_allclose(by_y, np.sum(x**2))
    ((_, mixed), _) = derivatives(product, "hessian")["reverse"](x, y)
    np.testing.assert_allclose(mixed, 2 * x)
    for one in derivatives(product, "hvp").values():
        np.testing.assert_allclose(one(x, y, x, y)[0], 6 * x + 6 * x)
