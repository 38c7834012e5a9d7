"""Functions that stop gradients: each of their two derivatives is right, and it is said which."""

from __future__ import annotations

import importlib.util
import warnings

import numpy as np
import pytest

import symtape
import verify
from verify.model.verdict import Verdict

HELD = "this was judged as the derivative with what is stopped held constant"
OF_VALUES = "this was judged as the derivative of its values"

NEEDS_TORCH = pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="torch")
NEEDS_AUTOGRAD = pytest.mark.skipif(not importlib.util.find_spec("autograd"), reason="autograd")
NEEDS_JAX = pytest.mark.skipif(not importlib.util.find_spec("jax"), reason="jax")


def by_detach(torch):
    return lambda x: x * torch.square(x).detach()


def by_function(torch):
    return lambda x: x * torch.detach(torch.square(x))


def in_place(torch):
    def f(x):
        y = torch.square(x)
        y.detach_()
        return x * y

    return f


def by_data(torch):
    return lambda x: x * torch.square(x).data


def by_copy(torch):
    return lambda x: x * torch.tensor(torch.square(x))


def without_grad(torch):
    def f(x):
        with torch.no_grad():
            y = torch.square(x)
        return x * y

    return f


def in_a_decorated_function(torch):
    @torch.no_grad()
    def squared(x):
        return torch.nn.functional.relu(x) * x

    return lambda x: x * squared(x)


def switched_off(torch):
    def f(x):
        torch.set_grad_enabled(False)
        y = torch.square(x)
        torch.set_grad_enabled(True)
        return x * y

    return f


def of_several_results(torch):
    def f(x):
        with torch.no_grad():
            largest, _ = torch.max(torch.stack([torch.square(x), -torch.square(x)]), dim=0)
        return x * largest

    return f


def written_without_grad(torch):
    def f(x):
        y = torch.square(x).detach()
        with torch.no_grad():
            y.mul_(2.0)
        return x * y / 2

    return f


TORCH = [
    of_several_results,
    written_without_grad,
    by_detach,
    by_function,
    in_place,
    by_data,
    by_copy,
    without_grad,
    in_a_decorated_function,
    switched_off,
]


def by_symtape(symtape):
    return lambda x: x * symtape.stop_gradient(x**2)


def by_jax(jax):
    return lambda x: x * jax.lax.stop_gradient(x**2)


def compiled_by_jax(jax):
    return jax.jit(lambda x: x * jax.lax.stop_gradient(x**2))


def in_a_loop_of_jax(jax):
    return lambda x: jax.lax.fori_loop(0, 2, lambda _, y: y * jax.lax.stop_gradient(x), x)


def by_autograd(autograd):
    source = "from autograd.tracer import getval\ndef f(x): return x * getval(anp.square(x))"
    scope = {"anp": importlib.import_module("autograd.numpy")}
    exec(compile(source, __file__, "exec"), scope)
    return scope["f"]


FUNCTIONS = [
    pytest.param("symtape", by_symtape),
    *(pytest.param("torch", make, marks=NEEDS_TORCH) for make in TORCH),
    *(
        pytest.param("jax", make, marks=NEEDS_JAX)
        for make in (by_jax, compiled_by_jax, in_a_loop_of_jax)
    ),
    pytest.param("autograd", by_autograd, marks=NEEDS_AUTOGRAD),
]


@pytest.fixture
def function(package, make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield make(importlib.import_module(package))


CLAIMS = {
    "held": (lambda x: x**2, HELD),
    "of values": (lambda x: 3 * x**2, OF_VALUES),
    "of values, in another way": (lambda x: 3 * np.exp(2 * np.log(x)), OF_VALUES),
}


@pytest.mark.parametrize(("claimed", "words"), CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize(("package", "make"), FUNCTIONS)
def test_either_derivative_is_correct_and_said_to_be(function, claimed, words):
    for point in verify.gradient(function, claimed, at=[1.5, 0.7]).points:
        assert point.verdict is Verdict.CORRECT
        assert point.message.startswith(
            "the function stops a gradient at tests/faults/test_stopped"
        )
        assert words in point.message


@pytest.mark.parametrize(("package", "make"), FUNCTIONS)
def test_what_is_neither_is_wrong(function):
    result = verify.gradient(function, lambda x: 2 * x**2, at=[1.5])
    assert result.verdict is Verdict.WRONG
    assert "neither the derivative with what is stopped held constant" in result.witness.message


@pytest.mark.parametrize(("package", "make"), FUNCTIONS)
def test_nobody_but_the_package_claims_it(function):
    result = verify.gradient(function, at=[1.5])
    assert result.verdict is Verdict.CORRECT
    assert HELD in result.points[0].message


def stopped_twice(x):
    return x * symtape.stop_gradient(x**2) + symtape.stop_gradient(x)


@pytest.mark.long
@pytest.mark.parametrize("over", [[0.5, 3.0], [-3.0, 3.0]])
def test_a_region_has_one_reading(over):
    of_values = verify.gradient(stopped_twice, lambda x: 3 * x**2 + 1, over=over, effort=0.1)
    assert of_values.verdict is Verdict.CORRECT
    held = verify.gradient(stopped_twice, lambda x: x**2, over=over, effort=0.1)
    assert held.verdict is Verdict.CORRECT

    def of_both(x):
        return np.where(x > 1.5, 3 * x**2 + 1, x**2)

    both = verify.gradient(stopped_twice, of_both, over=over, effort=0.2)
    assert both.verdict is Verdict.WRONG


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (
            np.log(np.sum(np.exp(x - symtape.stop_gradient(np.max(x)))))
            + symtape.stop_gradient(np.max(x)) * 1.0
        ),
        lambda x: np.sum(x * symtape.stop_gradient(0 * x)),
    ],
    ids=["a shift without its slope", "by zero"],
)
def test_stops_are_told_where_they_matter(function):
    x = np.array([0.3, 0.7])
    result = verify.gradient(function, symtape.grad(function), at=[x])
    assert result.verdict is Verdict.CORRECT


def test_a_shift_that_cancels_is_not_worth_a_word():
    def f(x):
        shift = symtape.stop_gradient(np.max(x))
        weights = np.exp(x - shift)
        return weights[0] / np.sum(weights)

    result = verify.gradient(f, symtape.grad(f), at=[np.array([0.3, 0.7])])
    assert result.verdict is Verdict.CORRECT
    assert "stops a gradient" not in result.points[0].message
