"""The calls people write."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import verify
from symtape.symbolic.budget import Budget
from verify.api import derivative


@pytest.mark.parametrize("quantity", ["gradient", "jacobian", "hessian", "vjp", "jvp", "hvp"])
def test_each_call_is_the_general_one(quantity):
    call = getattr(verify, quantity)
    for claimed in (None, lambda x, *direction: 3.0 + 0 * x):
        one = call(lambda x: x**3, at=[1.0], claimed=claimed)
        other = derivative(quantity, lambda x: x**3, at=[1.0], claimed=claimed)
        assert one.case.quantity == other.case.quantity == quantity
        assert [p.verdict for p in one.points] == [p.verdict for p in other.points]
    known = inspect.signature(call).parameters
    general = set(inspect.signature(derivative).parameters) - {"quantity"}
    along = quantity in ("vjp", "jvp", "hvp")
    assert set(known) == general - (set() if along else {"directions"})


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.exp, "exp"),
        (lambda x: x, "the lambda at tests/verify/test_api.py:"),
        (type("Energy", (), {"__call__": lambda self, x: x})(), "Energy"),
    ],
)
def test_a_function_goes_by_its_name(function, name):
    assert verify.gradient(function, at=[0.5]).case.title.startswith(name)


def test_nothing_is_swallowed_that_the_function_raises():
    def broken(x):
        raise RuntimeError("my own")

    with pytest.raises(RuntimeError, match="my own"):
        verify.gradient(broken, at=[0.5])


def test_the_arguments_of_the_caller_are_left_alone():
    x = np.array([1.0, 2.0])
    assert verify.gradient(lambda x: np.sum(x**2), at=[x], budget=Budget(seconds=30))
    assert x.tolist() == [1.0, 2.0]
