"""A graph, replayed, is the function on the recorded path; its gradient is the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape import GradientTape, Tensor
from symtape.graph.graph import evaluate_node
from symtape.recording.stack import STACK
from symtape.recording.structure import flatten
from tests.packing import left

_floats = st.floats(-4, 4).map(lambda x: round(x * 256) / 256)


def _outputs(result):
    return [np.asarray(leaf) for leaf in flatten(result)]


def test_a_replay_at_the_point_is_the_recording(program):
    function, args = program
    graph = symtape.record(function, *args)
    expected = _outputs(function(*[symtape.constant(arg) for arg in args]))
    for found, value in zip(graph.evaluate(*args), expected, strict=True):
        np.testing.assert_array_equal(found, value)
        assert np.asarray(found).dtype == value.dtype
    assert graph.holds(*args)


def test_a_part_of_a_graph_computes_what_the_graph_does_and_no_more(program):
    function, args = program
    graph = symtape.record(function, *args)
    values = graph.values(*graph.at)
    for wanted in (range(0, len(graph), 3), range(len(graph) - 1, -1, -7), ()):
        part = graph.select(wanted)
        for at, found in zip(wanted, part.evaluate(*graph.at), strict=True):
            np.testing.assert_array_equal(found, values[at])
        used = {i for node in part.nodes for i in node.inputs}
        assert used.union(part.inputs, part.outputs) == set(range(len(part)))


@given(st.lists(_floats, min_size=2, max_size=2).map(np.array), _floats)
@settings(derandomize=True, max_examples=100, deadline=None)
def test_a_replay_on_new_inputs_is_the_function(x, y):
    def f(x, y):
        z = np.tanh(x * y) + np.sort(x)
        return np.sum(z) * x, np.maximum(z, y) / (1 + y * y)

    graph = symtape.record(f, np.array([1.0, 2.0]), 3.0)
    for found, expected in zip(graph.evaluate(x, y), f(x, y), strict=True):
        np.testing.assert_array_equal(found, expected)


@given(_floats, _floats)
@settings(derandomize=True, max_examples=200, deadline=None)
def test_holds_says_on_which_inputs_the_replay_is_the_function(at, x):
    def f(x):
        if x > 1 and x * x < 9:
            return np.sin(x)
        while x < 0:
            x = x + 1.5
        return x * x

    def path(x):
        taken = [x > 1]
        if taken[-1]:
            taken.append(x * x < 9)
        if not all(taken):
            while x < 0:
                x = x + 1.5
                taken.append("again")
        return taken

    graph = symtape.record(f, at)
    assert graph.holds(x) == (path(x) == path(at))
    if graph.holds(x):
        np.testing.assert_array_equal(graph.evaluate(x)[0], f(x))


def test_a_gradient_graph_is_the_gradient_at_several_points():
    def f(x):
        return np.sum(np.sin(x) * x) + np.prod(x) + np.linalg.norm(x)

    graph = symtape.differentiate(symtape.record(f, np.array([1.0, 2.0, 3.0])))
    second = symtape.differentiate(graph)
    for x in np.array([[1.0, 2.0, 3.0], [-0.5, 0.25, 4.0], [1e-3, -7.0, 0.125]]):
        np.testing.assert_array_equal(graph.evaluate(x)[0], symtape.grad(f)(x))
        rows = np.sum(symtape.hessian(f)(x), axis=0)
        np.testing.assert_allclose(second.evaluate(x)[0], rows, rtol=1e-12, atol=1e-12)


def test_a_gradient_graph_keeps_path_and_escapes():
    def f(x):
        return x * x if x > 0 else -x * left(x)

    for at, slope in ((2.0, 4.0), (-2.0, 2.0)):
        graph = symtape.record(f, at, escapes="constant")
        first = symtape.differentiate(graph)
        assert first.evaluate(at) == (slope,)
        assert [(s.outcome, s.origin) for s in first.path] == [
            (s.outcome, s.origin) for s in graph.path
        ]
        assert first.holds(at)
        assert not first.holds(-at)
        assert [str(escape) for escape in first.escapes] == [str(e) for e in graph.escapes]


SINGULAR_AT_ZERO = {
    "reciprocal": (lambda x: 1 / x, 2.0),
    "log": (np.log, 2.0),
    "inv": (np.linalg.inv, 2 * np.eye(2)),
    "cholesky": (np.linalg.cholesky, 2 * np.eye(2)),
    "mask": (lambda x: np.sum(x[x > 1] ** 2), np.array([0.5, 2.0])),
}


@pytest.mark.parametrize("name", SINGULAR_AT_ZERO)
def test_a_gradient_graph_is_recorded_where_the_graph_was(name):
    function, at = SINGULAR_AT_ZERO[name]
    found = symtape.differentiate(symtape.record(function, at)).evaluate(at)[0]
    expected = symtape.grad(lambda x: np.sum(function(x)))(at)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_gradient_graph_shows_the_users_lines():
    def f(x):
        y = np.sin(x)
        return y * x

    graph = symtape.record(f, 2.0)
    first = f.__code__.co_firstlineno
    by_name = {n.name: n.origin.line for n in symtape.differentiate(graph).nodes if n.primitive}
    assert by_name["sin"] == by_name["cos"] == first + 1


def test_integer_outputs_have_no_gradient():
    graph = symtape.differentiate(symtape.record(np.argsort, np.array([2.0, 1.0])))
    np.testing.assert_array_equal(graph.evaluate(np.array([1.0, 2.0]))[0], [0.0, 0.0])


def test_values_are_of_every_node():
    graph = symtape.record(lambda x: (x + 1) * x, 2.0)
    assert [float(v) for v in graph.values(3.0)] == [3.0, 1.0, 4.0, 12.0]
    assert len(graph) == 4


def test_replays_on_tensors_are_recorded():
    graph = symtape.record(lambda x: np.sum(x**3), np.array([1.0, 2.0]))
    x = symtape.constant([2.0, 3.0])
    with GradientTape() as tape:
        tape.watch(x)
        (y,) = graph.evaluate(x)
    assert isinstance(y, Tensor)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [12.0, 27.0])
    assert symtape.grad(lambda x: graph.evaluate(x)[0])(np.array([1.0, 1.0])).tolist() == [3, 3]


def test_several_outputs_of_one_operation_are_evaluated_once():
    calls = []

    @symtape.register_op("TestCounted")
    def both(x):
        calls.append(x)
        return x + 1, x * 2

    graph = symtape.record(lambda x: np.prod(np.stack(both(x))), 3.0)
    calls.clear()
    assert graph.evaluate(4.0) == (40.0,)
    assert len(calls) == 1


@pytest.mark.parametrize("inputs", [(), (1.0, 2.0), (np.ones(2),)])
def test_inputs_of_another_number_or_shape_are_an_error(inputs):
    graph = symtape.record(lambda x: x * x, 1.0)
    with pytest.raises(ValueError, match=r"graph has (1 inputs|shape \(\))|of the graph has shape"):
        graph.evaluate(*inputs)


def test_interpret_gives_nodes_another_meaning():
    graph = symtape.record(lambda x: np.sin(x) * 2.0 + x, 1.0)
    depth = graph.interpret([0], constant=lambda node: 0, apply=lambda node, args: 1 + max(args))
    assert [depth[at] for at in graph.outputs] == [3]


def test_printing():
    text = str(symtape.record(lambda x: np.sum(x * 2.0, axis=0), np.ones(2)))
    lines = text.splitlines()
    assert lines[0] == "%0 = input : float64[2]"
    assert lines[1] == "%1 = constant 2. : float64[]"
    assert lines[2].startswith("%2 = multiply(%0, %1) : float64[2]  # ")
    assert lines[-1] == "return %3"


def test_a_node_that_is_evaluated_keeps_its_line_to_itself():
    recording = symtape.record(lambda x: np.exp(x), 1.0)
    (node,) = (each for each in recording.nodes if each.primitive is not None)
    with GradientTape() as tape:
        x = symtape.constant(1.0)
        tape.watch(x)
        evaluate_node(node, [x])
        assert STACK.forced_origin is None
