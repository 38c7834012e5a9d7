"""What a tape watches, and what it refuses to."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable


def test_watch_takes_nested_structures_and_variables():
    a, b, c = symtape.constant(1.0), symtape.constant([2.0, 3.0]), Variable(4.0, trainable=False)
    with GradientTape() as tape:
        tape.watch({"a": a, "rest": [b, (c,)]})
        y = a * np.sum(b) * c
    found = tape.gradient(y, {"a": a, "rest": [b, (c,)]})
    assert found["a"].numpy() == 20.0
    np.testing.assert_array_equal(found["rest"][0].numpy(), [4.0, 4.0])
    assert found["rest"][1][0].numpy() == 5.0
    assert tape.watched_variables() == (c,)


@pytest.mark.parametrize(
    "value", [np.ones(2), 3.0, [1.0, 2.0], "x", None, np.float64(2.0)], ids=repr
)
def test_watch_refuses_what_is_no_tensor_and_says_what_to_do(value):
    with GradientTape() as tape, pytest.raises(ValueError, match=r"symtape.constant") as caught:
        tape.watch(value)
    leaf = value[0] if isinstance(value, list) else value
    assert repr(leaf)[:30] in str(caught.value)


def test_watch_of_integers_warns_and_the_gradient_is_none():
    x = symtape.constant(10)
    with GradientTape() as tape:
        with pytest.warns(UserWarning, match="watched tensor must be floating.*got int64"):
            tape.watch(x)
        y = x * x
    with pytest.warns(UserWarning, match="must be floating") as caught:
        assert tape.gradient(y, x) is None
    assert [str(w.message).split(" must")[0] for w in caught] == [
        "The dtype of the target tensor",
        "The dtype of the source tensor",
    ]


def test_the_sign_of_a_real_number_is_a_step():
    x = Variable(2.0)
    with GradientTape() as tape:
        y = np.sign(x) * x
    assert tape.gradient(y, x).numpy() == 1.0


def test_watching_is_not_retroactive():
    x = symtape.constant(3.0)
    with GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = y * x
    assert tape.gradient(z, x).numpy() == 9.0


def test_watching_an_intermediate_result():
    x = symtape.constant(3.0)
    with GradientTape() as tape:
        y = x * x
        tape.watch(y)
        z = y * y
    assert tape.gradient(z, [x, y]) == [None, 18.0]


def test_watching_twice_counts_once():
    x = symtape.constant(3.0)
    with GradientTape() as tape:
        tape.watch(x)
        tape.watch([x, x])
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


def test_variables_are_watched_when_they_are_read_and_come_in_order_of_creation():
    a, b, c = (Variable(1.0, name=name) for name in "abc")
    frozen = Variable(1.0, trainable=False, name="frozen")
    with GradientTape() as tape:
        y = b * a * b * frozen
    assert [v.name for v in tape.watched_variables()] == ["a:0", "b:0"]
    assert tape.gradient(y, [a, b, c, frozen]) == [1.0, 2.0, None, None]


def test_watched_variables_outlast_the_answer():
    v = Variable(1.0)
    with GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    assert tape.watched_variables() == (v,)


def test_without_automatic_watching_only_what_is_named_counts():
    a, b = Variable(2.0), Variable(3.0)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(b)
        y = a * b
    assert tape.watched_variables() == (b,)
    assert tape.gradient(y, [a, b]) == [None, 2.0]


def test_each_tape_sees_only_what_it_watches():
    x, y = symtape.constant(2.0), symtape.constant(3.0)
    with GradientTape() as first, GradientTape() as second:
        first.watch(x)
        second.watch(y)
        z = x * y
    assert first.gradient(z, [x, y]) == [3.0, None]
    assert second.gradient(z, [x, y]) == [None, 2.0]


def test_integer_variables_are_not_watched():
    n = Variable(3)
    with GradientTape() as tape:
        y = n * 2.0
    assert tape.watched_variables() == ()
    with pytest.warns(UserWarning, match="source tensor must be floating"):
        assert tape.gradient(y, n) is None


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "pow", "matmul", "lt", "le", "gt", "ge", "eq", "ne"]
)
def test_an_operator_reads_the_variables_on_both_sides(name):
    v, u = symtape.Variable(np.ones(2)), symtape.Variable(np.ones(2))
    with symtape.GradientTape() as tape:
        getattr(operator, name)(v, u)
    assert tape.watched_variables() == (v, u)
