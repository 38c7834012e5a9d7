"""Operations registered by name, and their gradients."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import symtape
from symtape import GradientTape, RegisterGradient, Variable, register_op
from symtape.errors import NoGradient

_numbers = itertools.count()


@pytest.fixture
def name():
    """A name of an operation that no other test has taken."""
    return f"Test{next(_numbers)}"


def test_without_a_gradient_the_forward_pass_works(name):
    cube = register_op(name)(lambda x: x**3)
    x = Variable(2.0)
    with GradientTape() as tape:
        y = cube(x)
    assert y.numpy() == 8.0
    with pytest.raises(
        NoGradient, match=f"^gradient registry has no entry for: {name}, applied at .*:"
    ):
        tape.gradient(y, x)


def test_a_gradient_may_be_registered_after_the_recording(name):
    calls = []
    blend = register_op(name)(lambda x, y, power=1: (x * y) ** power)
    x, y = Variable(2.0), Variable(3.0)
    with GradientTape() as tape:
        z = blend(x, y, power=2)

    @RegisterGradient(name)
    def _gradient(op, dz):
        calls.append(op)
        a, b = op.inputs
        n = op.params["power"]
        return dz * n * op.outputs[0] / a, dz * n * op.outputs[0] / b

    assert tape.gradient(z, [x, y]) == [36.0, 24.0]
    assert [op.name for op in calls] == [name]


def test_several_outputs_and_none(name):
    both = register_op(name)(lambda x, y: (x + y, x * y))

    @RegisterGradient(name)
    def _gradient(op, ds, dp):
        return ds + dp * op.inputs[1], None

    x, y = Variable(2.0), Variable(3.0)
    with GradientTape(persistent=True) as tape:
        s, p = both(x, y)
        z = s * p
    assert tape.gradient(z, [x, y]) == [6.0 + 5.0 * 3.0, None]
    assert tape.gradient(p, x).numpy() == 3.0


@pytest.mark.parametrize("pfor", [True, False])
def test_second_order_and_jacobians(name, pfor):
    cube = register_op(name)(lambda x: x**3)
    RegisterGradient(name)(lambda op, dy: 3 * op.inputs[0] ** 2 * dy)
    x = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as outer:
        with GradientTape() as inner:
            y = cube(x)
        first = inner.gradient(y, x)
    np.testing.assert_array_equal(first.numpy(), [3.0, 12.0])
    second = outer.jacobian(first, x, experimental_use_pfor=pfor)
    np.testing.assert_array_equal(second.numpy(), np.diag([6.0, 12.0]))


@pytest.mark.parametrize("taken", ["sin", "add", "getitem"])
def test_built_in_gradients_are_not_replaced(taken):
    with pytest.raises(KeyError, match=taken):
        RegisterGradient(taken)


def test_a_name_is_registered_once(name):
    RegisterGradient(name)(lambda op, dy: dy)
    with pytest.raises(KeyError, match="registered already"):
        RegisterGradient(name)


@pytest.mark.parametrize("wrong", [None, 3, np.sin])
def test_a_name_is_a_string(wrong):
    with pytest.raises(TypeError, match="op_name"):
        RegisterGradient(wrong)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_gradients_names_both_counts(name, count):
    add = register_op(name)(lambda x, y: x + y)
    RegisterGradient(name)(lambda op, dy: (dy,) * count)
    x, y = Variable(2.0), Variable(3.0)
    with GradientTape() as tape:
        z = add(x, y)
    with pytest.raises(ValueError, match=f"{name} returned {count} values.*2 inputs"):
        tape.gradient(z, x)


def test_the_function_s_own_name_is_the_default(name):
    def declared(x):
        """Docs."""
        return 2 * x

    declared.__name__ = name
    operation = register_op()(declared)
    assert operation.__name__ == name
    assert operation.__doc__ == "Docs."
    RegisterGradient(name)(lambda op, dy: 2 * dy)
    assert symtape.grad(operation)(3.0) == 2.0
