"""Flags that ask for a derivative: what they may be called, and where the derivative is then."""

from inspect import signature

import pytest

from verify.auditing.packages.names import flags_of
from verify.auditing.packages.pair import Unpaired

SOURCE = """
import numpy as np

def alone(x, deriv=False):
    return {factor} * 3 * x**2 if deriv else x**3

def required(x, derivative):
    return {factor} * np.exp(2 * x) * 2 if derivative else np.exp(2 * x)

def behind(x, return_grad=False):
    value = np.sum(x**4)
    return (value, {factor} * 4 * x**3) if return_grad else value

def before(x, y, with_jacobian=False):
    value = np.sin(x) * y
    slope = [{factor} * np.cos(x) * y, {factor} * np.sin(x)]
    return (slope, value) if with_jacobian else value

def named(x, compute_gradient=False):
    value = np.sum(np.sin(x))
    return dict(value=value, gradient={factor} * np.cos(x)) if compute_gradient else value

def on(x, evalGradient=True):
    value = x[0] ** 3 * x[1]
    slope = {factor} * np.array([3 * x[0] ** 2 * x[1], x[0] ** 3])
    return (value, slope) if evalGradient else value

def bent(x, return_hessian=False):
    if not return_hessian:
        return np.sum(x**3) * x[0]
    made = np.diag(6 * x * x[0])
    made[0] += 3 * x**2
    made[:, 0] += 3 * x**2
    return {factor} * made

class Hill:
    def __init__(self, height: float = 1.5):
        self.height = height

    def value(self, x, jac=False):
        made = self.height * np.exp(-np.sum(x**2, axis=1))
        return (made, -2 * {factor} * x * made[:, None]) if jac else made

    def __call__(self, x, jac=False):
        return self.value(x, jac)

class Wave:
    def __init__(self, order: int, kind):
        if kind != "no such kind":
            raise ValueError(kind)
        self.order = order

    def height(self, x, grad=False):
        return {factor} * self.order * np.cos(self.order * x) if grad else np.sin(self.order * x)

wave = Wave(2, "no such kind")
"""
VALUES = """
import numpy as np

def logistic(x, deriv=False):
    return x * (1 - x) if deriv else 1 / (1 + np.exp(-x))

def tangent(x, prime=False):
    return 1 - x**2 if prime else np.tanh(x)

def swing(x):
    return 1 / (1 + np.exp(-x))

def swing_derivative(x):
    return x * (1 - x)

def data(x, grad=False):
    return (None, "a text") if grad else x**2
"""
CLAIMS = {
    "alone[deriv]",
    "required[derivative]",
    "behind[return_grad]",
    "before[with_jacobian]",
    "named[compute_gradient]",
    "on[evalGradient]",
    "bent[return_hessian]",
    "Hill.value[jac]",
    "wave.height[grad]",
}


REQUIRED = object()


@pytest.mark.long
@pytest.mark.parametrize(("factor", "verdict"), [("1", "CORRECT"), ("1.5", "WRONG")])
def test_the_derivative_is_found_wherever_it_is_returned(judge_pairs, factor, verdict):
    given = judge_pairs(SOURCE, factor=factor)
    assert set(given) == CLAIMS
    assert {claim: it.verdict.value for claim, it in given.items()} == dict.fromkeys(
        CLAIMS, verdict
    )


@pytest.mark.long
def test_what_takes_the_value_of_its_function_is_not_accused(judge_pairs):
    given = judge_pairs(VALUES, factor="1")
    assert set(given) == {"logistic[deriv]", "tangent[prime]", "swing_derivative", "data[grad]"}
    for claim, told in given.items():
        assert isinstance(told, Unpaired)
        assert claim == "data[grad]" or "in terms of the value" in told.reason


@pytest.mark.parametrize(
    ("name", "default", "is_flag"),
    [
        ("grad", False, True),
        ("return_gradient", True, True),
        ("withHessian", False, True),
        ("compute_jac", False, True),
        ("derivative", None, False),
        ("derivative", REQUIRED, True),
        ("with_grad", REQUIRED, True),
        ("grad: bool", REQUIRED, True),
        ("grad", REQUIRED, False),
        ("grad_output", REQUIRED, False),
        ("output_gradient", REQUIRED, False),
        ("output_gradient", False, True),
        ("numerical_grad", False, False),
        ("check_gradient", False, False),
        ("gradient", 0.5, False),
        ("requires_grad", False, False),
        ("order", False, False),
        ("graded", False, False),
    ],
)
def test_a_flag_says_that_it_asks_for_a_derivative(name, default, is_flag):
    scope = {}
    default = "" if default is REQUIRED else f"={default!r}"
    exec(f"def function(x, {name}{default}): ...", scope)
    parameters = [*signature(scope["function"]).parameters.values()]
    asked = name.partition(":")[0]
    assert [each.name for each in parameters[1:]] == [asked]
    assert [*flags_of(parameters)] == [asked] * is_flag
