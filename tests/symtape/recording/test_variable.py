"""Variable: state, names, and what an assignment means to a tape."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Tensor, Variable


def test_assignments_change_the_state_and_return_the_variable():
    v = Variable([1.0, 2.0], name="v")
    assert v.assign([3.0, 4.0]) is v
    assert v.assign_add([1.0, 1.0]) is v
    assert v.assign_sub(symtape.constant([2.0, 0.0])) is v
    np.testing.assert_array_equal(v.numpy(), [2.0, 5.0])
    assert type(v.value()) is type(v.read_value()) is Tensor


def test_the_dtype_is_kept():
    v = Variable(1.0, dtype=np.float32)
    for change, value in ((v.assign, 2), (v.assign_add, np.float64(0.5)), (v.assign_sub, 1.5)):
        change(value)
        assert v.dtype == np.float32
    assert v.numpy() == 1.0


@pytest.mark.parametrize(
    ("variable", "value"),
    [(Variable(3), 1.5), (Variable([1, 2]), np.array([0.5, 0.5])), (Variable(1.0), 1j)],
    ids=["float to int", "floats to ints", "complex to float"],
)
def test_a_value_the_dtype_cannot_hold_is_an_error(variable, value):
    before = variable.numpy()
    with pytest.raises(TypeError, match="cannot assign"):
        variable.assign(value)
    np.testing.assert_array_equal(variable.numpy(), before)


@pytest.mark.parametrize("shape", [(), (3,), (1, 2), (2, 1)])
def test_the_shape_is_kept(shape):
    v = Variable([1.0, 2.0], name="v")
    with pytest.raises(ValueError, match=r"v:0.*\(2,\)"):
        v.assign(np.ones(shape))
    np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])


def test_what_was_computed_keeps_the_old_state():
    v = Variable(3.0)
    with GradientTape() as tape:
        y = v * v
        v.assign(100.0)
    assert y.numpy() == 9.0
    assert tape.gradient(y, v).numpy() == 6.0


def test_every_state_is_the_same_source():
    v = Variable(3.0)
    with GradientTape() as tape:
        y = v * v
        v.assign(5.0)
        z = y + v * v
    assert tape.gradient(z, v).numpy() == 6.0 + 10.0


def test_an_assignment_cuts_the_path_of_what_is_assigned():
    x, v = Variable(3.0), Variable(0.0)
    with GradientTape() as tape:
        v.assign_add(x)
        y = v**2
    assert y.numpy() == 9.0
    assert tape.gradient(y, [x, v]) == [None, 6.0]


@pytest.mark.parametrize(
    "through",
    [
        lambda v: v.value(),
        lambda v: v.real,
        lambda v: +v,
        np.atleast_1d,
        lambda v: np.broadcast_arrays(v, v)[0],
        lambda v: v.reshape(2),
        lambda v: v.astype(float),
        lambda v: v[:],
        np.asarray,
        lambda v: v.numpy(),
    ],
)
def test_nothing_read_from_a_variable_changes_with_it(through):
    v = Variable([1.0, 2.0])
    read = through(v)
    v.assign([8.0, 9.0])
    np.testing.assert_array_equal(np.asarray(read), [1.0, 2.0])
    assert not isinstance(read, Variable)


def test_names():
    assert Variable(1.0).name == "Variable:0"
    assert Variable(1.0, name="w").name == "w:0"


def test_rebinding_to_a_sum_makes_a_tensor():
    v = Variable(1.0)
    v += 1.0
    assert type(v) is Tensor
    w = Variable(1.0)
    w.assign_add(1.0)
    assert isinstance(w, Variable)


def test_gradient_descent_finds_the_minimum():
    v = Variable([5.0, -3.0])
    for _ in range(60):
        with GradientTape() as tape:
            loss = np.sum((v - np.array([1.0, 2.0])) ** 2)
        v.assign_sub(0.25 * tape.gradient(loss, v))
    np.testing.assert_allclose(v.numpy(), [1.0, 2.0], rtol=1e-12)
