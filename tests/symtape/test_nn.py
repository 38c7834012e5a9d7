"""symtape.nn: activations against their formulas, layers, and what a module gathers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable, nn


def _sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x)


ACTIVATIONS = {
    "relu": (nn.relu, lambda x: max(x, 0.0), lambda x: float(x > 0)),
    "elu": (
        nn.elu,
        lambda x: x if x > 0 else math.expm1(x),
        lambda x: 1.0 if x > 0 else math.exp(x),
    ),
    "sigmoid": (nn.sigmoid, _sigmoid, lambda x: _sigmoid(x) * _sigmoid(-x)),
    "softplus": (
        nn.softplus,
        lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))),
        _sigmoid,
    ),
    "tanh": (nn.tanh, math.tanh, lambda x: 1 / math.cosh(x) ** 2 if abs(x) < 700 else 0.0),
}

POINTS = [-1000.0, -40.0, -2.5, -1e-9, 1e-9, 0.5, 2.5, 40.0, 1000.0]


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("x", POINTS)
def test_activations_and_slopes_are_accurate_in_both_tails(name, x):
    function, value, slope = ACTIVATIONS[name]
    np.testing.assert_allclose(function(x), value(x), rtol=4e-15, atol=1e-300)
    np.testing.assert_allclose(function(np.array([x])), [value(x)], rtol=4e-15, atol=1e-300)
    np.testing.assert_allclose(symtape.grad(function)(x), slope(x), rtol=2e-14, atol=1e-300)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_slopes_at_zero_are_finite(name):
    found = symtape.grad(ACTIVATIONS[name][0])(0.0)
    assert found == {"relu": 0.0, "sigmoid": 0.25, "softplus": 0.5}.get(name, 1.0)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_sums_to_one_and_its_jacobian_is_known(axis):
    x = np.array([[1.0, 2.0, 3.0], [1000.0, 0.0, -1000.0]])
    np.testing.assert_allclose(np.sum(nn.softmax(x, axis=axis), axis=axis), 1.0)
    v = np.array([1.0, 2.0, 4.0])
    s = nn.softmax(v)
    j = symtape.jacobian(nn.softmax)(v)
    np.testing.assert_allclose(j, np.diag(s) - np.outer(s, s), rtol=1e-14, atol=1e-16)


def test_activations_take_plain_arrays_tensors_and_variables_alike():
    x = np.array([-1.0, 0.5])
    for function in (nn.relu, nn.elu, nn.sigmoid, nn.softplus, nn.tanh, nn.softmax):
        assert isinstance(function(x), np.ndarray)
        for make in (symtape.constant, Variable):
            np.testing.assert_array_equal(function(make(x)).numpy(), function(x))


def test_a_dense_layer_is_built_at_its_first_call():
    layer = nn.Dense(2, activation="tanh", seed=3)
    assert layer.trainable_variables == ()
    y = layer(np.ones((4, 3)))
    kernel, bias = layer.trainable_variables
    assert y.shape == (4, 2)
    assert (kernel.name, kernel.shape) == ("dense/kernel:0", (3, 2))
    assert (bias.name, bias.shape) == ("dense/bias:0", (2,))
    assert not bias.numpy().any()
    limit = np.sqrt(6 / 5)
    assert np.all(np.abs(kernel.numpy()) <= limit)
    np.testing.assert_allclose(y.numpy(), np.tanh(np.ones((4, 3)) @ kernel.numpy()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layers_have_the_dtype_of_their_first_input(dtype):
    for layer in (nn.Dense(2), nn.BatchNormalization()):
        y = layer(np.ones((4, 3), dtype))
        assert y.dtype == dtype
        assert {v.dtype for v in layer.variables} == {np.dtype(dtype)}


def test_layers_take_lists_and_integers():
    layer = nn.Dense(2)
    assert layer([[1, 2, 3]]).dtype == np.float64
    assert layer(np.array([[1, 2, 3]])).shape == (1, 2)


def test_seeds_repeat_and_layers_differ():
    x = np.ones((1, 3))
    one, same, other = nn.Dense(2, seed=5), nn.Dense(2, seed=5), nn.Dense(2)
    third = nn.Dense(2)
    np.testing.assert_array_equal(one(x).numpy(), same(x).numpy())
    assert not np.array_equal(other(x).numpy(), third(x).numpy())


def test_without_bias():
    layer = nn.Dense(2, use_bias=False)
    layer(np.ones((1, 3)))
    assert [v.name for v in layer.trainable_variables] == ["dense/kernel:0"]


@pytest.mark.parametrize("units", [0, -1, 2.5, "3", None])
def test_units_are_a_positive_int(units):
    with pytest.raises(ValueError, match=f"units={units!r}; expected a positive int"):
        nn.Dense(units)


def test_an_unknown_activation_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"activation='swish'.*relu, elu, sigmoid"):
        nn.Dense(2, activation="swish")


def test_an_input_of_another_length_is_an_error():
    layer = nn.Dense(2)
    layer(np.ones((1, 3)))
    with pytest.raises(ValueError, match=r"mismatch|not aligned"):
        layer(np.ones((1, 4)))


def test_gradients_of_a_layer_are_those_of_the_formula():
    x = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
    layer = nn.Dense(2, activation="sigmoid", seed=1)
    with GradientTape() as tape:
        loss = np.sum(layer(x) ** 2)
    kernel, _ = layer.trainable_variables
    s = 1 / (1 + np.exp(-(x @ kernel.numpy())))
    back = 2 * s * s * (1 - s)
    found = tape.gradient(loss, layer.trainable_variables)
    np.testing.assert_allclose(found[0].numpy(), x.T @ back, rtol=1e-13)
    np.testing.assert_allclose(found[1].numpy(), back.sum(axis=0), rtol=1e-13)


def test_batch_normalisation_standardises_and_moves_its_averages():
    x = np.array([[1.0, 10.0], [3.0, 14.0], [5.0, 12.0]])
    layer = nn.BatchNormalization(momentum=0.75, epsilon=1e-9)
    y = layer(x, training=True).numpy()
    np.testing.assert_allclose(y.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(y.var(axis=0), 1, rtol=1e-8)
    np.testing.assert_allclose(layer.moving_mean.numpy(), 0.25 * x.mean(axis=0))
    np.testing.assert_allclose(layer.moving_variance.numpy(), 0.75 + 0.25 * x.var(axis=0))
    assert [v.name for v in layer.trainable_variables] == [
        "batch_normalization/gamma:0",
        "batch_normalization/beta:0",
    ]
    assert len(layer.variables) == 4


def test_batch_normalisation_uses_its_averages_when_not_training():
    x = np.array([[1.0, 10.0], [3.0, 14.0]])
    layer = nn.BatchNormalization(epsilon=0.0)
    np.testing.assert_allclose(layer(x).numpy(), x)
    before = layer.moving_mean.numpy()
    layer(x)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), before)


def test_batch_normalisation_mixes_the_rows_of_a_batch():
    layer = nn.BatchNormalization()
    x = symtape.constant(np.arange(6.0).reshape(3, 2) ** 2)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = layer(x, training=True)
        z = layer(x, training=False)
    assert tape.jacobian(y, x).numpy()[0, 0, 1, 0] != 0
    assert tape.jacobian(z, x).numpy()[0, 0, 1, 0] == 0


def test_modules_gather_their_variables_in_order_and_once():
    shared = Variable(1.0, name="shared")

    class Inner(nn.Module):
        def __init__(self):
            self.w = Variable(2.0, name="w")
            self.again = shared

    class Outer(nn.Module):
        def __init__(self):
            self.first = shared
            self.parts = [Inner(), {"b": Variable(3.0, name="b")}]
            self.frozen = Variable(4.0, trainable=False, name="frozen")
            self.other = "text"
            self.itself = self

    model = Outer()
    names = ["shared:0", "w:0", "b:0", "frozen:0"]
    assert [v.name for v in model.variables] == names
    assert [v.name for v in model.trainable_variables] == names[:-1]


def test_a_sequential_model_learns():
    x = np.linspace(-1, 1, 16)[:, None]
    model = nn.Sequential(nn.Dense(8, "tanh", seed=0), nn.Dense(1, seed=1))

    def loss():
        return np.mean((model(x) - x**2) ** 2)

    first = loss().numpy()
    for _ in range(100):
        with GradientTape() as tape:
            value = loss()
        for v, g in zip(
            model.trainable_variables, tape.gradient(value, model.trainable_variables), strict=True
        ):
            v.assign_sub(0.1 * g)
    assert loss().numpy() < 0.2 * first
    assert len(model.trainable_variables) == 4
