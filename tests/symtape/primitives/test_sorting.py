from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape
from symtape.primitives import sorting

FEW = settings(max_examples=20, derandomize=True, deadline=None)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)
DATA = np.array([[3.0, 1.0, 2.0], [0.5, 4.0, -1.0]])


def permutation(x, axis):
    """The Jacobian of sorting distinct elements: each output is one input."""
    order = np.take_along_axis(
        np.arange(x.size).reshape(x.shape), np.argsort(x, axis, kind="stable"), axis
    )
    return (order[..., None] == np.arange(x.size)).reshape(x.shape + x.shape).astype(x.dtype)


@FEW
@given(data=st.data(), shape=SHAPES)
def test_sort_is_a_permutation(data, shape):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = data.draw(hnp.arrays(np.float64, shape, elements=st.integers(-3, 3).map(float)))
    tensor = symtape.constant(x)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(tensor)
        y = np.sort(tensor, axis)
        z = np.partition(tensor, shape[axis] // 2, axis)
    np.testing.assert_array_equal(y.numpy(), np.sort(x, axis))
    np.testing.assert_array_equal(tape.jacobian(y, tensor).numpy(), permutation(x, axis))
    np.testing.assert_array_equal(np.sort(z.numpy(), axis), np.sort(x, axis))
    np.testing.assert_array_equal(
        np.sum(tape.jacobian(z, tensor).numpy() * x, axis=tuple(range(-x.ndim, 0))), z.numpy()
    )


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, axis: np.sort(x, axis),
        lambda x, axis: np.partition(x, 1, axis),
        lambda x, axis: np.median(x, axis),
        lambda x, axis: np.quantile(x, 0.375, axis),
        lambda x, axis: np.percentile(x, [25.0, 90.0], axis, keepdims=True),
        lambda x, axis: np.quantile(x, [[0.0], [1.0]], axis),
    ],
)
def test_values_and_batched_jacobians(function, axis, assert_jacobians_agree):
    y = function(symtape.constant(DATA), axis)
    np.testing.assert_allclose(y.numpy(), function(DATA, axis), rtol=1e-15)
    assert function(symtape.constant(DATA.astype(np.float32)), axis).dtype == np.float32
    assert_jacobians_agree(lambda x: function(x, axis), DATA)


@FEW
@given(data=st.data(), shape=SHAPES, keepdims=st.booleans())
def test_median_is_a_mean_of_the_middle(data, shape, keepdims):
    axis = data.draw(st.none() | hnp.valid_tuple_axes(len(shape), min_size=1))
    x = np.random.default_rng(1).permutation(int(np.prod(shape))).reshape(shape) * 1.0
    tensor = symtape.constant(x)
    with symtape.GradientTape() as tape:
        tape.watch(tensor)
        y = np.median(tensor, axis, keepdims=keepdims)
    np.testing.assert_array_equal(y.numpy(), np.median(x, axis, keepdims=keepdims))
    gradient = tape.gradient(y, tensor).numpy()
    np.testing.assert_array_equal(np.sum(gradient, axis, keepdims=keepdims), np.ones(y.shape))
    # The median does not change the order, so it is linear nearby: Euler's identity.
    np.testing.assert_array_equal(np.sum(gradient * x, axis, keepdims=keepdims), y.numpy())


def test_quantile_weighs_two_neighbours():
    x = symtape.constant([4.0, 1.0, 2.0])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.quantile(x, 0.625)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0.25, 0.0, 0.75])


@pytest.mark.parametrize("function", [np.median, lambda x: np.quantile(x, 0.3)])
def test_integers_count_as_floats_and_nan_spreads(function):
    whole = np.array([5, 1, 4, 2])
    np.testing.assert_allclose(function(symtape.constant(whole)).numpy(), function(whole))
    data = np.array([1.0, np.nan, 2.0])
    assert np.isnan(function(symtape.constant(data)).numpy())
    with pytest.raises(ValueError, match="no element"):
        function(symtape.constant(np.zeros(0)))


def test_orders_and_searches_are_constant():
    x = symtape.constant(DATA[0])
    found = {
        "argsort": (np.argsort(x), np.argsort(DATA[0])),
        "method argsort": (x.argsort(), np.argsort(DATA[0])),
        "argsort flat": (np.argsort(symtape.constant(DATA), None), np.argsort(DATA, None)),
        "searchsorted": (np.searchsorted(np.arange(4.0), x), [3, 1, 2]),
        "searchsorted right": (np.searchsorted(np.arange(4.0), x, "right"), [4, 2, 3]),
        "searchsorted by a sorter": (np.searchsorted(x, 2.5, sorter=[1, 2, 0]), 2),
    }
    for name, (value, expected) in found.items():
        np.testing.assert_array_equal(value.numpy(), expected, err_msg=name)
    smallest = x.numpy()[np.argpartition(x, 1).numpy()[:2]]
    np.testing.assert_array_equal(np.sort(smallest), [1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: np.quantile(x, 1.5), ValueError, r"must lie in \[0, 1\]"),
    ],
)
def test_errors_say_what_was_given(call, error, words):
    with pytest.raises(error, match=words):
        call(symtape.constant(DATA))


@given(data=st.data(), shape=SHAPES, axis=st.integers(0, 1))
def test_cotangents_of_sorted_elements_are_put_back_where_those_were(data, shape, axis):
    x = data.draw(hnp.arrays(float, shape, elements=st.integers(-2, 2).map(float)))
    g, axis = np.arange(1.0, x.size + 1).reshape(x.shape), min(axis, x.ndim - 1)
    back = np.argsort(np.argsort(x, axis, kind="stable"), axis, kind="stable")
    found = sorting.SORT.rules[0].function(g, x, np.sort(x, axis), axis)
    np.testing.assert_array_equal(found, np.take_along_axis(g, back, axis))
