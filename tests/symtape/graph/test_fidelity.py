"""A recording is held against its function where it was made, and around it."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.graph.fidelity import departure, opaque, points_around
from symtape.rigorous.floats import may_return

_floats = st.floats(-4, 4).map(lambda x: round(x * 256) / 256)
_vectors = st.lists(_floats, min_size=3, max_size=3).map(np.array)


def found(function, *x, seed=0):
    point = tuple(np.asarray(arg, np.asarray(arg).dtype)[()] for arg in x)
    graph = symtape.record(function, *point)
    return departure(function, graph, (point, *points_around(graph, point, seed)), may_return)


def test_a_recording_is_the_function(program):
    function, args = program
    assert found(function, *(np.asarray(arg, dtype=float) for arg in args)) is None


@given(_vectors)
@settings(derandomize=True, max_examples=60, deadline=None)
def test_around_a_point_each_number_is_another_one(x):
    graph = symtape.record(lambda x: np.sum(np.tanh(x)), x)
    points = [point for (point,) in points_around(graph, (x,))]
    assert len(points) == 2
    for point in points:
        assert np.all(point != x)
        assert point.dtype == x.dtype
    assert np.all(points[0] != points[1])


@given(_vectors, st.floats(1e-9, 1e-3))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_points_around_keep_the_path(x, width):
    def f(x):
        if abs(x[0] - x[1]) < width:
            return x[0] * x[2]
        return np.sum(x) if x[2] >= 1 else np.prod(x)

    graph = symtape.record(f, x)
    for point in points_around(graph, (x,)):
        assert graph.holds(*point)


def test_there_is_none_around_a_point_whose_path_is_its_own():
    graph = symtape.record(lambda x: x * x if x == 1.0 else x, 1.0)
    assert list(points_around(graph, (np.float64(1.0),))) == []


def test_points_of_ties_are_stretched():
    x = np.array([1.0, 1.0])
    graph = symtape.record(lambda x: np.sum(x) if x[0] == x[1] else x[0], x)
    points = [point for (point,) in points_around(graph, (x,))]
    assert points
    assert all(point[0] == point[1] != 1 for point in points)


def frozen(part):
    """The sum of squares, a part of which no recording sees."""

    def f(x):
        seen = []
        worker = threading.Thread(target=lambda: seen.append(x[part] ** 2))
        worker.start()
        worker.join()
        return np.sum(x**2) - x[part] ** 2 + seen[0]

    return f


@given(_vectors, st.integers(0, 2), st.integers(0, 99))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_a_single_number_that_is_held_constant_is_seen_anywhere(x, part, seed):
    assert found(frozen(part), x, seed=seed) is not None


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-30, 1.0, 1e30, 1e150])
def test_it_is_seen_at_any_size(scale):
    assert found(frozen(1), np.array([1.0, 2.0, 3.0]) * scale) is not None


def test_it_is_seen_in_single_precision():
    assert found(frozen(1), np.array([1.0, 2.0, 3.0], np.float32)) is not None


def another_shape(x):
    return x if isinstance(x, symtape.Tensor) else np.stack([x, x])


def test_another_shape_is_told():
    words = str(found(another_shape, np.array([1.0, 2.0])))
    assert "an array of shape (2, 2), the recording an array of shape (2,)" in words


def test_the_entry_that_differs_is_told():
    def f(x):
        return x * [1, 1, 1 if isinstance(x, symtape.Tensor) else 2]

    words = str(found(f, np.array([1.0, 2.0, 3.0])))
    assert words.endswith("at [1., 2., 3.] it computes 6.0 at [2], the recording 3.0")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.undefined if isinstance(x, np.ndarray | float) else x,
        lambda x: x * np.nan,
        lambda x: symtape.Variable(2.0) * x,
    ],
    ids=["takes tensors alone", "not a number", "returns tensors"],
)
def test_what_can_not_be_told_apart_is_no_departure(function):
    assert found(function, 1.5) is None


def test_the_function_may_write_into_its_argument():
    def f(x):
        if isinstance(x, np.ndarray):
            x += 0.0
            y = x.copy()
            x[0] = 9.0
            return np.sum(y)
        return np.sum(x)

    x = np.array([1.0, 2.0])
    assert found(f, x) is None
    assert x[0] == 1.0


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x[2] + (x[1] + x[0]),
        lambda x: float(np.sum(np.asarray(x, dtype=np.longdouble))),
        lambda x: x @ np.ones(3),
    ],
    ids=["another order", "extended precision", "a product"],
)
def test_other_roundings_are_no_departure(other):
    def f(x):
        return np.sum(x) if isinstance(x, symtape.Tensor) else other(x)

    for x in np.random.default_rng(0).normal(size=(20, 3)) * [1, 1e8, 1e-8]:
        assert found(f, x) is None


def test_ten_roundings_more_are_a_departure():
    def f(x):
        return np.sum(x) if isinstance(x, symtape.Tensor) else np.sum(x) * (1 + 2e-15)

    assert found(f, np.array([0.1, 0.2, 0.4])) is not None


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: np.sum(x.astype(object)), "astype_discrete"),
        (lambda x: np.sum(x.astype("U32").astype(float)), "astype_discrete"),
        (lambda x: np.sum(x.astype(int)), None),
        (lambda x: np.sum(x[x > 0]), None),
    ],
)
def test_objects_and_text_are_followed_by_no_derivative(function, name):
    node = opaque(symtape.record(function, np.array([1.5, 2.5])))
    assert (None if node is None else node.name) == name
