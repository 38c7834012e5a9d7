"""A recording is held against its function where it was made, and around it."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.graph.fidelity import departure, opaque, points_around, returns
from symtape.rigorous.floats import may_return

_floats = st.floats(-4, 4).map(lambda x: round(x * 256) / 256)
_vectors = st.lists(_floats, min_size=3, max_size=3).map(np.array)


def found(function, *x, recorded=None, seed=0):
    """The departure of `function` from a recording, of `recorded` where that is another one."""
    point = tuple(np.asarray(arg)[()] for arg in x)
    graph = symtape.record(recorded or function, *point)
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


def squares(x):
    return np.sum(x**2)


def held(x, part):
    """The sum of squares, a part of which is the constant that it is at `x`."""
    constant = x[part] ** 2
    return lambda x: np.sum(x**2) - x[part] ** 2 + constant


@given(_vectors, st.integers(0, 2), st.integers(0, 99))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_a_single_number_that_is_held_constant_is_seen_anywhere(x, part, seed):
    assert found(squares, x, recorded=held(x, part), seed=seed) is not None


PROGRAMS = {
    "right": lambda graph, x: graph.evaluate(*x),
    "off": lambda graph, x: [y + 1.0 for y in graph.evaluate(*x)],
    "of another path": lambda graph, x: None,
    "of more outputs": lambda graph, x: graph.evaluate(*x) * 2,
}


@given(_vectors, st.integers(0, 2), st.sampled_from(sorted(PROGRAMS)))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_a_program_accuses_nobody_and_excuses_nobody(x, part, name):
    near = x * 1.01 + np.copysign(0.01, x)
    for recorded in (squares, held(x, part)):
        graph = symtape.record(recorded, x)
        program = functools.partial(lambda graph, *x: PROGRAMS[name](graph, x), graph)
        found = departure(squares, graph, [(x,), (near,)], may_return, program)
        assert (found is None) == (recorded is squares)


@given(_vectors, st.integers(0, 2), st.sampled_from([0.5, 2.0, 1e6]))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_a_program_may_be_off_by_last_digits_of_the_largest_number_and_no_more(x, part, off):
    largest = np.max(np.abs(x))
    if not largest:
        return
    moved = x.copy()
    moved[part] += off * np.finfo(float).eps * largest
    changed = not np.array_equal(moved, x)
    assert returns(lambda x: (moved,), (x,), [x]) is not changed
    assert returns(lambda x: (moved,), (x,), [x], 4.0) is (off <= 4.0 or not changed)
    assert not returns(lambda x: (x[:1],), (x,), [np.full(3, x[0])], 4.0)
    assert not returns(lambda x: (x != 1,), (x,), [x == 1], 4.0)


@given(_vectors, st.integers(0, 2), st.integers(0, 99))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_last_digits_excuse_no_number_that_is_held_constant(x, part, seed):
    recorded = symtape.record(held(x, part), x)
    points = (np.asarray(x),), *points_around(recorded, (x,), seed)
    assert departure(squares, recorded, points, may_return, recorded.evaluate, 32.0) is not None


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-30, 1.0, 1e30, 1e150])
def test_it_is_seen_at_any_size(scale):
    x = np.array([1.0, 2.0, 3.0]) * scale
    assert found(squares, x, recorded=held(x, 1)) is not None


def test_it_is_seen_in_single_precision():
    x = np.array([1.0, 2.0, 3.0], np.float32)
    assert found(squares, x, recorded=held(x, 1)) is not None


def test_another_shape_is_told():
    words = str(found(lambda x: np.stack([x, x]), np.array([1.0, 2.0]), recorded=lambda x: x))
    assert "an array of shape (2, 2), the recording an array of shape (2,)" in words


def test_the_entry_that_differs_is_told():
    x = np.array([1.0, 2.0, 3.0])
    words = str(found(lambda x: x * [1, 1, 2], x, recorded=lambda x: x * 1))
    assert words.endswith("at [1., 2., 3.] it computes 6.0 at [2], the recording 3.0")


def of_tensors_alone(x):
    if not isinstance(x, symtape.Tensor):
        raise TypeError("expected a tensor")
    return x * 2


@pytest.mark.parametrize(
    "function",
    [of_tensors_alone, lambda x: x * np.nan, lambda x: symtape.Variable(2.0) * x],
    ids=["takes tensors alone", "not a number", "returns tensors"],
)
def test_what_can_not_be_told_apart_is_no_departure(function):
    assert found(function, 1.5) is None


def test_of_tensors_alone_values_are_compared():
    assert found(of_tensors_alone, 1.5, recorded=lambda x: x + 1.5) is not None


def test_the_function_may_write_into_its_argument():
    def f(x):
        y = x.copy()
        x[0] = 9.0
        return np.sum(y)

    x = np.array([1.0, 2.0])
    assert found(f, x, recorded=np.sum) is None
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
    for x in np.random.default_rng(0).normal(size=(20, 3)) * [1, 1e8, 1e-8]:
        assert found(other, x, recorded=np.sum) is None


def test_ten_roundings_more_are_a_departure():
    x = np.array([0.1, 0.2, 0.4])
    assert found(lambda x: np.sum(x) * (1 + 2e-15), x, recorded=np.sum) is not None


@pytest.mark.parametrize(
    ("dtype", "name"), [(object, "multiply"), ("U32", "multiply"), (int, None), (float, None)]
)
def test_objects_and_text_are_followed_by_no_derivative(dtype, name):
    graph = symtape.record(lambda x: np.sum(x * 2), np.array([1.5, 2.5]))
    nodes = [
        dataclasses.replace(node, dtype=np.dtype(dtype)) if node.name == "multiply" else node
        for node in graph.nodes
    ]
    node = opaque(dataclasses.replace(graph, nodes=tuple(nodes)))
    assert (None if node is None else node.name) == name


def test_objects_beside_the_way_to_the_output_do_not_count():
    graph = symtape.record(lambda x: np.sum(x) if x[0] > 1 else x[0], np.array([1.5, 2.5]))
    nodes = [
        dataclasses.replace(node, dtype=np.dtype(object)) if node.dtype == bool else node
        for node in graph.nodes
    ]
    assert opaque(dataclasses.replace(graph, nodes=tuple(nodes))) is None
