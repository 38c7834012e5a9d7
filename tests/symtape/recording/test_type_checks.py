"""Code that asks what it is given goes the way that it goes for plain arrays and numbers."""

from __future__ import annotations

import fractions
import functools
import numbers
from collections.abc import Iterable, Sequence, Sized

import numpy as np
import pytest

import symtape
from symtape.errors import Escaped

CHECKS = {
    "float": lambda x: isinstance(x, float),
    "int or float": lambda x: isinstance(x, (int, float)),
    "int": lambda x: isinstance(x, int),
    "complex": lambda x: isinstance(x, complex),
    "np.floating": lambda x: isinstance(x, np.floating),
    "np.float32": lambda x: isinstance(x, np.float32),
    "np.number": lambda x: isinstance(x, np.number),
    "np.generic": lambda x: isinstance(x, np.generic),
    "np.ndarray": lambda x: isinstance(x, np.ndarray),
    "list": lambda x: isinstance(x, list | tuple),
    "Real": lambda x: isinstance(x, numbers.Real),
    "Number": lambda x: isinstance(x, numbers.Number),
    "Integral": lambda x: isinstance(x, numbers.Integral),
    "Sequence": lambda x: isinstance(x, Sequence),
    "__class__": lambda x: x.__class__,
    "np.isscalar": np.isscalar,
    "np.ndim": np.ndim,
    "np.shape": np.shape,
    "np.iterable": np.iterable,
    "callable": callable,
    "flags": lambda x: hasattr(x, "flags") and x.flags.c_contiguous,
    "len": lambda x: hasattr(x, "__len__"),
    "dtype": lambda x: hasattr(x, "dtype") and x.dtype.kind,
    "strides": lambda x: x.strides,
    "base": lambda x: hasattr(x, "base"),
    "item": lambda x: hasattr(x, "item") and hasattr(x, "tolist") and hasattr(x, "tobytes"),
    "is_integer": lambda x: hasattr(x, "is_integer") and np.ndim(x) == 0 and x.is_integer(),
    "dispatch": lambda x: kind(x),
}

VALUES = {
    "float64": np.float64(1.5),
    "float32": np.float32(1.5),
    "whole": np.float64(2.0),
    "vector": np.array([1.0, 2.0]),
    "column": np.array([[1.0], [2.0]]),
    "empty": np.zeros((0, 2)),
    "integers": np.array([1, 2]),
}


@functools.singledispatch
def kind(x):
    return "other"


@kind.register(np.ndarray)
def _(x):
    return "array"


@kind.register(float)
def _(x):
    return "number"


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_tensor_passes_the_checks_of_its_value(check, value):
    if check is CHECKS["is_integer"] and np.ndim(value):
        value = value.sum()
    assert check(symtape.constant(value)) == check(value)


@pytest.mark.parametrize(
    "check", [lambda x: isinstance(x, Iterable), lambda x: isinstance(x, Sized)]
)
def test_an_array_is_iterable_and_sized(check):
    assert check(symtape.constant([1.0, 2.0]))


def test_a_tensor_stays_a_tensor():
    x, v = symtape.constant([1.0]), symtape.Variable([1.0])
    assert isinstance(x, symtape.Tensor)
    assert isinstance(v, symtape.Variable)
    assert type(x) is symtape.Tensor
    assert type(x[0]) is symtape.Tensor


@pytest.mark.parametrize("check", [c for n, c in CHECKS.items() if n != "is_integer"])
def test_the_gradient_is_that_of_the_branch_that_plain_values_take(check):
    def f(x):
        return np.sum(x**2) if check(x) else np.sum(x**3)

    for x in (np.float64(1.5), np.array([1.5])):
        slope = 2 * x if check(x) else 3 * x**2
        np.testing.assert_array_equal(symtape.grad(f)(x), slope)
        assert symtape.record(f, x).evaluate(x) == (f(x),)


def test_a_power_by_a_tensor_is_differentiated_as_one():
    slope = symtape.grad(lambda b: symtape.grad(lambda a: a**b)(1.5))(2.0)
    np.testing.assert_allclose(slope, 1.5 * (1 + 2 * np.log(1.5)), rtol=1e-14)


ATTRIBUTES = ("__array_interface__", "__array_struct__", "__dlpack__", "hex", "as_integer_ratio")


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize(
    "ask",
    [hasattr, lambda x, name: getattr(x, name, None) is not None],
    ids=["hasattr", "getattr"],
)
def test_code_that_asks_for_attributes_goes_the_way_of_plain_values(name, ask):
    """A branch for what is no array, or number, would be a constant without a word."""
    x = np.array([0.5, 2.0])
    of = (lambda x: x) if name.startswith("_") else (lambda x: x[0])

    def f(x):
        return np.sum(x**2) if ask(of(x), name) else 0.0

    np.testing.assert_array_equal(symtape.grad(f)(x), 2 * x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: fractions.Fraction(x[0]) * 2.0,
        lambda x: float.fromhex(x[0].hex()),
        lambda x: np.sum(np.from_dlpack(x) ** 2),
        lambda x: x[0].as_integer_ratio()[0] / 2.0**54,
    ],
)
def test_contents_that_leave_by_attributes_are_refused(f):
    with pytest.raises(Escaped):
        symtape.grad(f)(np.array([0.3, 2.0]))
