"""A recording of code that is read is compared with NumPy once for each sequence of operations."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.errors import SymtapeError

X = np.array([0.5, 2.0])


def filled(x):
    y = np.zeros(2)
    y[0] = x[1] * x[0]
    return np.sum(y) if x[0] > 0 else np.sum(y) ** 2


def misread(x):
    """Of what is negative it takes another way with tensors, which has the same operations."""
    y = np.zeros(2)
    y[0] = x[1] ** (3 if x[0] < 0 and hasattr(y, "numpy") else 2.0)
    return y[0] if x[0] > 0 else y[0] + 0.0


def count_plain_calls(function, points):
    """How often a function was called with plain arrays for gradients at points."""
    calls = []

    def inner(x):
        return function(x)

    def noted(x):
        calls.append(1)
        return inner(x)

    slope = symtape.grad(noted)
    counts = []
    for x in points:
        before = len(calls)
        slope(x)
        counts.append(len(calls) - before)
    return counts


def test_the_same_operations_are_compared_once():
    first, again, other, others = count_plain_calls(filled, [X, 2 * X, -X, -2 * X])
    assert (again, others) == (1, 1)
    assert first > 1
    assert other == 2


def test_gradients_are_the_same_before_and_after():
    slope = symtape.grad(filled)
    for _ in range(3):
        np.testing.assert_array_equal(slope(X), [2.0, 0.5])
        np.testing.assert_array_equal(slope(-X), [2 * 1.0 * -2.0, 2 * 1.0 * -0.5])


def test_another_way_than_that_of_plain_arrays_is_refused_after_a_right_one():
    slope = symtape.grad(misread)
    for _ in range(2):
        np.testing.assert_array_equal(slope(X), [0.0, 4.0])
    for _ in range(2):
        with pytest.raises(SymtapeError):
            slope(-X)
    np.testing.assert_array_equal(slope(X), [0.0, 4.0])


class Model:
    def loss(self, x):
        y = np.zeros(2)
        y[0] = x[0] ** 2
        self.last = np.sum(y)
        return self.last

    def both(self, x):
        value, self.last = self.loss(x), 3 * x[1]
        return value


KEPT = {}


def in_a_dict(x):
    y = np.zeros(1)
    y[0] = x[0] ** 2
    KEPT["last"] = y[0]
    return y[0]


def in_a_global(x):
    global LAST
    y = np.zeros(1)
    y[0] = x[0] ** 2
    LAST = y[0]
    return y[0]


WORKSPACE = np.zeros(2)


def make_in_a_closure():
    last = 0.0

    def in_a_closure(x):
        nonlocal last
        y = np.zeros(1)
        y[0] = x[0] ** 2
        last = y[0]
        return y[0]

    return in_a_closure, lambda: last, lambda x: x[0] ** 2


def in_a_workspace(x):
    WORKSPACE[:] = x**2
    return np.sum(WORKSPACE[:1])


MODEL = Model()
HOLDERS = {
    "an attribute": (MODEL.loss, lambda: MODEL.last, lambda x: x[0] ** 2),
    "one of several": (MODEL.both, lambda: MODEL.last, lambda x: 3 * x[1]),
    "a dict": (in_a_dict, lambda: KEPT["last"], lambda x: x[0] ** 2),
    "a global": (in_a_global, lambda: LAST, lambda x: x[0] ** 2),
    "a closure": make_in_a_closure(),
    "a workspace": (in_a_workspace, lambda: WORKSPACE, lambda x: x**2),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_what_a_function_keeps_is_plain_after_each_call(name):
    function, look, expected = HOLDERS[name]
    slope = symtape.grad(function)
    for x in (X, 2 * X, 3 * X):
        np.testing.assert_array_equal(slope(x), [2 * x[0], 0.0])
        assert type(look()) in (np.float64, np.ndarray)
        np.testing.assert_array_equal(look(), expected(x))
