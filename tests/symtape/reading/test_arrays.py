"""NumPy code that makes arrays of tensors, or writes tensors into arrays, is recorded as it is."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from numpy import array

import symtape
from symtape.graph.freeze import record
from symtape.reading.readings import Reading


def read(function, *arguments):
    return Reading(function)(*arguments)


MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]])


def makes(x):
    return np.array([x[0] ** 2 + x[1] - 1, np.sin(x[0])])


def makes_rows(x):
    return np.array([[x[0], 0], [0, x[1]]])


def converts(x):
    return np.sum(np.asarray(x, dtype=float) ** 2)


def writes_by_default(x):
    y = 2 * x
    y[0] = x[1]
    return y


def by_a_helper(x):
    return makes(x) * 2


def by_a_default(x, helper=makes, *, other=writes_by_default):
    return helper(x) + other(x)


def by_its_own_name(x):
    return array([x[0], [1.0, 2.0][1]])


def writes_entries(x):
    y = np.zeros((2, 2))
    y[0, 0] = 2 * x[0]
    y[0, 1] = 1
    y[1] = [np.cos(x[0]), 3]
    return y


def writes_slices(x):
    y = np.empty(3)
    y[0] = x[0]
    y[1:] = x
    y += 1
    y[:2] *= x
    return y


def writes_in_a_loop(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            y[i] += x[i] * x[j]
    return y


def writes_a_diagonal(x):
    y = np.ones((2, 2))
    np.fill_diagonal(y, x)
    return y @ x


def writes_into_a_copy(x):
    y = np.array(x)
    y[0] = 3 * x[1]
    return y


def writes_through_another_name(x):
    y = np.zeros(2)
    z = y
    z[0] = x[0]
    z -= x
    return y


def writes_an_integer_list(x):
    y = np.zeros(2)
    y[[1, 0]] = x
    return np.concatenate([y, x])


def writes_into_a_view(x):
    y = np.zeros((2, 2))
    y[0][0] = x[0]
    return y


def writes_twice(x):
    y = np.zeros(2)
    y[[0, 0]] = x
    return y


def writes_where_a_tensor_says(x):
    y = np.zeros(2)
    y[x > 1] = 1.0
    return y * x


def uses_zeros_as_they_are(x):
    mask = np.zeros(2, dtype=bool)
    mask[0] = True
    return np.dot(np.ones(2), x) + x[mask]


def has_a_function_inside(x):
    return (lambda y: np.array([y, math.pi * y]))(x[0])


def looks_at_types(x):
    y = np.zeros(2)
    assert isinstance(y, np.ndarray)
    y[0] = x[0]
    return y


def asks_what_it_works_on(x):
    y = np.zeros(2)
    y[:] = x
    return y if isinstance(y, np.ndarray) else 2 * y


def sums_a_list(x):
    return np.sum([t**2 for t in x]) + np.add.reduce([x[0], 2 * x[1]])


def takes_lists(x):
    matrix = np.linalg.inv([[1 + x[0] ** 2, x[0]], [0.5, 2.0]])
    return matrix @ np.diag([x[0], 3.0]) + np.dot([x[0], x[1]], [1.0, 2.0]) + np.sin([x[1]])


def joins_lists(x):
    return np.concatenate([[x[0]], [x[1] ** 2, 3.0]])


def reads_an_iterator(x):
    return np.fromiter((t**2 for t in x), float)


def fills_with_tensors(x):
    y = np.full(3, x[0])
    y[1] = x[1]
    return y * np.full_like(np.ones(3), x[1])


@np.vectorize
def scaled(t):
    return t * np.exp(t)


def calls_a_vectorised_function(x):
    return scaled(x - 0.25)


def is_vectorised_inside(x):
    return np.vectorize(lambda t: t**3)(x)


class Model:
    scale = 2.0

    def __call__(self, x):
        return np.array([self.scale * x[0], x[1]])

    def method(self, x):
        return MATRIX @ np.array(x)


READ = [
    makes,
    makes_rows,
    converts,
    by_a_helper,
    by_a_default,
    by_its_own_name,
    writes_entries,
    writes_slices,
    writes_in_a_loop,
    writes_a_diagonal,
    writes_into_a_copy,
    writes_through_another_name,
    writes_an_integer_list,
    writes_into_a_view,
    writes_twice,
    writes_where_a_tensor_says,
    uses_zeros_as_they_are,
    has_a_function_inside,
    looks_at_types,
    asks_what_it_works_on,
    sums_a_list,
    takes_lists,
    joins_lists,
    reads_an_iterator,
    fills_with_tensors,
    calls_a_vectorised_function,
    is_vectorised_inside,
    Model(),
    Model().method,
    functools.partial(makes),
]


@pytest.mark.parametrize("function", READ, ids=lambda f: getattr(f, "__name__", type(f).__name__))
def test_what_is_recorded_is_what_numpy_computes(function):
    start, other = np.array([0.5, 2.0]), np.array([-1.25, 3.0])
    graph = record(lambda x: read(function, x), start)
    assert not graph.escapes
    for x in (start, other):
        (value,) = graph.evaluate(x)
        np.testing.assert_array_equal(value, function(x))
        assert np.shape(value) == np.shape(function(x))


counted = 0


def counts(x):
    global counted
    counted += 1
    return np.array([x[0], x[1]])


def made_to_count():
    calls = 0

    def counts_around(x):
        nonlocal calls
        calls += 1
        return np.array([x[0], x[1]])

    return counts_around


@pytest.mark.parametrize(
    "function",
    [
        made_to_count(),
        counts,
    ],
)
def test_what_counts_its_calls_is_recorded(function):
    graph = record(lambda x: read(function, x), np.array([0.5, 2.0]))
    assert not graph.escapes


def test_what_a_function_raises_is_what_it_raises():
    def raises(x):
        y = np.zeros(2)
        y[0] = x[0]
        raise KeyError("unknown")

    with pytest.raises(KeyError, match="unknown"):
        read(raises, symtape.constant([1.0, 2.0]))


def test_an_array_keeps_its_dtype():
    def single(x):
        y = np.zeros(2, dtype=np.float32)
        y[0] = x[0]
        return y

    assert read(single, symtape.constant([1.0, 2.0])).dtype == np.float32


def test_lines_are_those_of_the_function():
    origins = [node.origin for node in record(lambda x: read(makes, x), np.ones(2)).nodes]
    lines = {origin.line for origin in origins if origin is not None}
    assert lines == {makes.__code__.co_firstlineno + 1}


def test_the_function_and_its_module_stay_as_they_were():
    before = dict(globals())
    read(by_a_helper, symtape.constant([1.0, 2.0]))
    assert all(globals()[name] is value for name, value in before.items())
    assert isinstance(makes(np.ones(2)), np.ndarray)


def test_a_derivative_goes_through_what_is_written():
    slope = symtape.jacobian(lambda x: read(writes_slices, x))(np.array([0.5, 2.0]))
    np.testing.assert_allclose(slope, [[2.0, 0.0], [2.0, 1.5], [0.0, 1.0]])


@pytest.mark.parametrize("count", range(7))
def test_windows_of_kaiser_are_numpys_and_have_slopes(count):
    def window(beta):
        return np.kaiser(count, beta)

    value, slope = symtape.jvp(window, (2.5,), (1.0,))
    np.testing.assert_allclose(value, np.kaiser(count, 2.5), rtol=1e-15)
    quotient = (np.kaiser(count, 2.5 + 1e-5) - np.kaiser(count, 2.5 - 1e-5)) / 2e-5
    np.testing.assert_allclose(slope, quotient, atol=1e-9)


TABLE = np.cos(np.arange(24.0)).reshape(6, 4)
STEPS = np.array([2, 0, 1, 3])


def looks_up(x):
    return np.sum(TABLE.ravel()[x.astype(int)] * x)


def looks_rows_up(x):
    row, column = np.floor(x).astype(int)[:2]
    return TABLE[row, column] * x[0] + np.sum(TABLE[row] * x[1])


def looks_up_with_take(x):
    return np.sum(np.take(TABLE, x.astype(int), axis=1)[1] * x)


def looks_up_with_method(x):
    return np.sum(TABLE.take(x.astype(int), axis=1)[0] * x)


def looks_up_by_order(x):
    return TABLE[0][np.argsort(x)[:3]] @ x[:3] + TABLE[1, np.argmax(x)] * x[2]


def looks_up_what_looks_up(x):
    return np.sum(TABLE[0][STEPS[x.astype(int)]] * x)


def looks_up_with_list(x):
    whole = x.astype(int)
    return np.sum(TABLE[[whole[0], whole[2]], 1]) * np.sum(x)


@pytest.mark.parametrize(
    "function",
    [
        looks_up,
        looks_rows_up,
        looks_up_with_take,
        looks_up_with_method,
        looks_up_by_order,
        looks_up_what_looks_up,
        looks_up_with_list,
    ],
)
def test_a_plain_array_is_looked_up_where_the_argument_says(function):
    first, *others = np.random.default_rng(0).uniform(0.0, 3.0, size=(4, 4))
    assert not symtape.record(function, first).path
    slopes = symtape.grad(function)
    compiled = symtape.jit(slopes)
    for x in (first, *others):
        np.testing.assert_allclose(symtape.record(function, first).evaluate(x)[0], function(x))
        np.testing.assert_allclose(compiled(x), slopes(x), rtol=1e-14)
    assert len(compiled.sources) == 1


def test_words_are_looked_up_by_a_decision():
    names = np.array(["low", "high"])

    def f(x):
        return x[0] ** 2 if names[np.argmax(x)] == "low" else x[1] ** 3

    compiled = symtape.jit(symtape.grad(f))
    np.testing.assert_array_equal(compiled(np.array([2.0, 1.0])), [4.0, 0.0])
    np.testing.assert_array_equal(compiled(np.array([1.0, 2.0])), [0.0, 12.0])
