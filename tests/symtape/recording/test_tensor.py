"""Tensor as a Python object: what leaves it, what it refuses, how it prints and copies."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Tensor, Variable

SCALARS = [symtape.constant(2.5), Variable(2.5), symtape.constant([2.5]), symtape.constant([[2.5]])]


@pytest.mark.parametrize("x", SCALARS, ids=repr)
def test_a_tensor_of_one_element_is_a_number(x):
    assert float(x) == 2.5
    assert int(x) == 2
    assert complex(x) == 2.5
    assert bool(x) is True
    assert x.item() == 2.5
    assert math.sin(x) == math.sin(2.5)
    assert f"{x:.3f}" == "2.500"


@pytest.mark.parametrize("convert", [float, int, complex, math.sin, math.exp, "{:.2f}".format])
def test_a_tensor_of_more_elements_is_none(convert):
    with pytest.raises(TypeError, match=r"shape \(2,\)"):
        convert(symtape.constant([1.0, 2.0]))


@pytest.mark.parametrize("shape", [(2,), (0,), (2, 3)])
def test_the_truth_of_an_array_is_an_error_that_says_what_to_do(shape):
    x = symtape.constant(np.ones(shape))
    for steer in (bool, lambda t: 1 if t > 0 else 0, lambda t: not t, lambda t: t and 1):
        with pytest.raises(TypeError, match=r"ambiguous.*np\.where") as caught:
            steer(x)
        assert str(shape) in str(caught.value)


@pytest.mark.parametrize("index", [0, slice(None), [0, 1], (0,), Ellipsis])
def test_assignment_into_a_tensor_is_an_error_that_says_what_to_do(index):
    for x in (symtape.constant([1.0, 2.0]), Variable([1.0, 2.0])):
        with pytest.raises(TypeError, match=r"np\.where.*assign"):
            x[index] = 5.0
        np.testing.assert_array_equal(x.numpy(), [1.0, 2.0])


def test_attributes_are_those_of_the_array():
    array = np.arange(6.0).reshape(2, 3)
    for x in (symtape.constant(array), Variable(array)):
        for name in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes"):
            assert getattr(x, name) == getattr(array, name)
        assert len(x) == 2
        np.testing.assert_array_equal(x.T.numpy(), array.T)
        np.testing.assert_array_equal(x.mT.numpy(), array.T)
        np.testing.assert_array_equal(x.real.numpy(), array)
        np.testing.assert_array_equal(x.imag.numpy(), np.zeros((2, 3)))
        assert x.tolist() == array.tolist()


def test_a_scalar_has_no_length_and_no_items():
    x = symtape.constant(1.0)
    with pytest.raises(TypeError, match=r"shape \(\)"):
        len(x)
    with pytest.raises(TypeError, match=r"shape \(\)"):
        iter(x)


def test_iteration_and_unpacking_are_recorded():
    x = Variable([[1.0, 2.0], [3.0, 4.0]])
    with GradientTape() as tape:
        (a, b), c = x
        y = a * b + c.sum() + sum(sum(row) for row in x) + max(x[0]) * min(x[1])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [[3.0, 5.0], [4.0, 2.0]])


def test_what_comes_out_cannot_change_the_tensor():
    x = symtape.constant([1.0, 2.0])
    out = x.numpy()
    out[0] = 9.0
    assert x.numpy()[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 9.0
    assert np.array(x).flags.writeable
    source = np.array([1.0, 2.0])
    held = symtape.constant(source)
    source[0] = 9.0
    assert held.numpy()[0] == 1.0


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (3, np.int64),
        (3.0, np.float64),
        (True, np.bool_),
        ([1, 3.0], np.float64),
        ([[1, 2], [3, 4]], np.int64),
        (np.float32(2), np.float32),
        (np.array([1.0], np.float16), np.float16),
        ((), np.float64),
    ],
)
def test_constants_have_numpys_dtype(value, dtype):
    assert symtape.constant(value).dtype == dtype
    assert Variable(value).dtype == dtype
    assert symtape.constant(value, dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize(
    "value", ["text", ["a", "b"], None, [None], object(), {}, np.array(["a"]), b"x", {1.0}]
)
def test_strings_and_objects_are_no_tensors(value):
    for make in (symtape.constant, Variable, Tensor):
        with pytest.raises(TypeError, match=r"value=.*expected real numbers"):
            make(value)


def test_ragged_lists_are_an_error():
    with pytest.raises(ValueError, match="inhomogeneous"):
        symtape.constant([[1.0, 2.0], [3.0]])


@pytest.mark.parametrize(
    ("x", "text", "representation"),
    [
        (
            symtape.constant(4.0),
            "symtape.Tensor(4.0, shape=(), dtype=float64)",
            "<symtape.Tensor: shape=(), dtype=float64, numpy=4.0>",
        ),
        (
            symtape.constant([1.0, 2.0], dtype=np.float32),
            "symtape.Tensor([1. 2.], shape=(2,), dtype=float32)",
            "<symtape.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
        ),
        (
            Variable(1, name="n"),
            "<symtape.Variable 'n:0' shape=() dtype=int64, numpy=1>",
            "<symtape.Variable 'n:0' shape=() dtype=int64, numpy=1>",
        ),
    ],
)
def test_printing_shows_value_shape_and_dtype(x, text, representation):
    assert str(x) == f"{x}" == text
    assert repr(x) == representation


def test_copies_keep_the_tape():
    x = Variable(2.0)
    with GradientTape() as tape:
        y = x * x
        z = copy.copy(y) * copy.deepcopy([y])[0] * y.copy()
    assert tape.gradient(z, x).numpy() == 6 * 2.0**5


def test_copies_of_variables_are_variables_of_their_own():
    v = Variable([1.0, 2.0], trainable=False, name="v")
    for duplicate in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert isinstance(duplicate, Variable)
        assert (duplicate.name, duplicate.trainable) == ("v:0", False)
        duplicate.assign([5.0, 6.0])
        np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])


def test_tensors_survive_pickling():
    x = symtape.constant([1.0, 2.0], dtype=np.float32)
    again = pickle.loads(pickle.dumps(x))
    assert type(again) is Tensor
    assert again.dtype == np.float32
    np.testing.assert_array_equal(again.numpy(), x.numpy())


def test_tensors_are_not_hashable_as_arrays_are_not():
    for x in (symtape.constant(1.0), Variable(1.0)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)


def test_comparison_with_what_is_no_number():
    x = symtape.constant(1.0)
    assert (x == "a") is False
    assert (x != None) is True  # noqa: E711
    assert x in [symtape.constant(1.0)]


@pytest.mark.parametrize("how", [lambda x: x.numpy(), np.asarray, lambda x: np.float64(float(x))])
def test_work_outside_cuts_the_gradient(how):
    x = Variable(2.0)
    with GradientTape() as tape:
        y = x * how(x)
    assert tape.gradient(y, x).numpy() == 2.0
