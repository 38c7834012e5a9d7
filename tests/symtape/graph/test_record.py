"""What a recording holds: nodes, lines, decisions, escapes, constants, budgets."""

from __future__ import annotations

import inspect
import pickle
import struct

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable
from symtape.errors import BudgetSpent
from symtape.recording.stack import STACK


def _names(graph):
    return [node.name for node in graph.nodes]


def test_one_node_for_one_value():
    graph = symtape.record(lambda x: np.sin(x) * np.sin(x) + np.sin(x) * np.sin(x), 0.5)
    assert _names(graph) == ["input", "sin", "multiply", "add"]


DISTINCT = {
    "axes": lambda x: np.sum(x, axis=0) + np.sum(x, axis=1),
    "indices": lambda x: x[0] + x[1],
    "slices": lambda x: x[0:1] + x[1:2],
    "signs of zero": lambda x: x * 0.0 + x * -0.0,
    "float and int": lambda x: x * 2 + x * 2.0,
    "bool and int": lambda x: x * 1 + x * True,
    "precision": lambda x: x * np.float32(2) + x * np.float64(2),
    "index arrays": lambda x: x[np.array([0, 1])] + x[np.array([1, 0])],
    "operands in order": lambda x: (x - 1) + (1 - x),
}


@pytest.mark.parametrize("name", DISTINCT)
def test_what_evaluates_differently_is_not_one_node(name):
    graph = symtape.record(DISTINCT[name], np.ones((2, 2)))
    operations = [node for node in graph.nodes if node.primitive is not None]
    assert len(operations) == 3


def test_parameters_that_are_alike_are_one_object():
    graph = symtape.record(lambda x: np.sin(x)[1] + np.cos(x)[1] * x[0], np.ones(2))
    (one, other, _) = (node.params for node in graph.nodes if node.name == "getitem")
    assert one is other


def test_what_no_output_needs_is_left_out():
    def f(x):
        np.exp(x)
        return x * x

    assert _names(symtape.record(f, 2.0)) == ["input", "multiply"]


def test_lines_are_the_users():
    def f(x):
        y = np.sin(x)
        z = y.sum()
        w = symtape.nn.softplus(z)
        return w + np.linalg.norm(x)

    first = inspect.getsourcelines(f)[1]
    graph = symtape.record(f, np.array([1.0, 2.0]))
    found = {node.name: node.origin for node in graph.nodes if node.primitive}
    assert {origin.file for origin in found.values()} == {__file__}
    assert {origin.function for origin in found.values()} == {"f"}
    assert found["sin"].line == first + 1
    assert found["sum"].line == first + 2
    assert found["logaddexp"].line == first + 3
    assert graph.nodes[graph.outputs[0]].origin.line == first + 4
    assert f"{__file__}:{first + 1}" in str(graph)


def test_decisions_are_predicates_with_their_outcome_and_line():
    def f(x):
        total = x
        while total < 10:
            total = total * 2
        return total if np.all(total != 20) else -total

    first = inspect.getsourcelines(f)[1]
    graph = symtape.record(f, 3.0)
    assert [step.outcome for step in graph.path] == [True, True, False, True]
    assert [step.origin.line - first for step in graph.path] == [2, 2, 2, 4]
    assert graph.nodes[graph.path[0].node].name == "less"
    for x, expected in ((3.0, True), (2.9, True), (2.4, False), (5.5, False)):
        assert graph.holds(x) is expected


def test_decisions_on_what_is_not_traced_are_no_path():
    def f(x):
        if symtape.constant(1.0) > 0 and x.shape == ():
            return x * 2
        return x

    assert symtape.record(f, 1.0).path == ()


ESCAPES = {
    "float()": lambda x: x * struct.unpack("d", struct.pack("d", x))[0],
    ".numpy()": lambda x: x * x.numpy(),
    ".tobytes()": lambda x: x * np.frombuffer(x.tobytes())[0],
    "pickling": lambda x: x * pickle.loads(pickle.dumps(x)),
    "Variable.assign()": lambda x: x * Variable(0.0).assign(x),
}


@pytest.mark.parametrize("how", ESCAPES)
def test_escapes_say_how_and_at_which_line(how):
    function = ESCAPES[how]
    graph = symtape.record(function, 2.0, escapes="constant")
    assert len(graph.escapes) == 1
    (escape,) = graph.escapes
    line = function.__code__.co_firstlineno
    assert str(escape) == f"{how} at {__file__}:{line}"
    assert escape.node in (graph.inputs[0], -1)
    assert not symtape.record(lambda x: x * symtape.constant(2.0).numpy(), 2.0).escapes


def test_variables_are_constants_of_the_state_they_were_read_in():
    v = Variable(2.0)

    def f(x):
        y = v * x
        v.assign(5.0)
        return y + v * x

    graph = symtape.record(f, 3.0)
    v.assign(100.0)
    assert graph.evaluate(1.0) == (7.0,)


def test_arrays_written_into_later_are_recorded_as_they_were():
    buffer = np.array([1.0, 2.0])

    def f(x):
        y = x * buffer
        buffer[:] = 10.0
        return y + buffer

    graph = symtape.record(f, np.ones(2))
    buffer[:] = 99.0
    np.testing.assert_array_equal(graph.evaluate(np.ones(2))[0], [11.0, 12.0])


def test_arguments_become_float_tensors():
    graph = symtape.record(lambda n, x, b: n * x * b, 3, [1, 2], True)
    assert [graph.nodes[at].dtype for at in graph.inputs] == [np.float64] * 3
    np.testing.assert_array_equal(graph.at[1], [1.0, 2.0])
    single = symtape.record(lambda x: x * 2, np.float32(1))
    assert single.nodes[single.outputs[0]].dtype == np.float32


@pytest.mark.parametrize("bad", ["text", None, {"a": "b"}, 1j, np.array([1j]), ["a"]])
def test_arguments_must_be_real_numbers(bad):
    with pytest.raises(TypeError, match="expected real numbers"):
        symtape.record(lambda x: x, bad)
    assert not STACK.recorders


@pytest.mark.parametrize(
    "returned",
    [None, "text", [None], object(), (1.0, "a")],
    ids=["None", "text", "list of None", "object", "text among numbers"],
)
def test_a_function_must_return_numbers(returned):
    with pytest.raises(TypeError, match="the function returned"):
        symtape.record(lambda x: returned, 1.0)
    assert not STACK.recorders


def test_a_budget_of_operations():
    def f(x):
        while True:
            x = x * 1.5

    with pytest.raises(BudgetSpent, match="budget of 100 operations"):
        symtape.record(f, 1.0, budget=100)
    assert len(symtape.record(lambda x: x * 2 + 1, 1.0, budget=2)) == 5
    assert not STACK.recorders


def test_functions_with_gradients_of_their_own_are_seen_through_and_named():
    @symtape.custom_gradient
    def clipped(x, scale=1.0):
        return scale * np.sin(x), lambda dy: np.clip(dy, -0.5, 0.5)

    graph = symtape.record(lambda x: clipped(x * x, scale=2.0) + 1, 0.5)
    assert "sin" in _names(graph)
    (call,) = graph.customs
    assert call.name == "clipped"
    assert [graph.nodes[at].name for at in call.inputs] == ["multiply"]
    assert call.origin.file == __file__
    assert float(call.again(symtape.constant(0.25))) == 2 * np.sin(0.25)
    assert symtape.record(lambda x: x * clipped(1.0), 0.5).customs == ()


def test_recordings_nest_and_live_beside_tapes():
    inner = []

    def f(x):
        with GradientTape() as tape:
            tape.watch(x)
            y = x**3
        inner.append(symtape.record(lambda z: z * z, 2.0))
        return tape.gradient(y, x)

    graph = symtape.record(f, 2.0)
    assert _names(inner[0]) == ["input", "multiply"]
    for x in (2.0, -1.5):
        assert graph.evaluate(x) == (3 * x**2,)


def test_what_a_rule_computes_is_put_down_to_the_line_it_serves():
    def f(x):
        y = np.sin(x)
        return y * x

    first = inspect.getsourcelines(f)[1]
    graph = symtape.record(lambda x: symtape.grad(f)(x), 2.0)
    lines = {node.name: node.origin.line for node in graph.nodes if node.primitive}
    assert lines["cos"] == first + 1
    assert STACK.forced_origin is None


def test_an_error_while_recording_a_sweep_leaves_no_line_behind():
    def f(x):
        return symtape.grad(lambda x: np.sum(np.spacing(x)))(x)

    with pytest.raises(LookupError) as caught:
        symtape.record(f, np.array([1.0, 2.0]))
    assert caught.value.__traceback__ is not None
    assert STACK.forced_origin is None
    assert not STACK.recorders
