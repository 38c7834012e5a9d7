"""Functions of a framework, claimed by the framework itself in each of its modes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="needs jax: pip install 'symtape[jax]'")
    jnp = pytest.importorskip("jax.numpy")

import verify
from verify.model.verdict import Verdict

EFFORT = 0.05


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def product(x, y):
    return jnp.sum(jnp.sin(x) * y)


def doubled(slope):
    """``sin(2 x)`` with a forward rule of its own; the reverse mode is made of it."""

    @jax.custom_jvp
    def function(x):
        return jnp.sin(2 * x)

    function.defjvp(lambda xs, ts: (jnp.sin(2 * xs[0]), slope(xs[0]) * ts[0]))
    return function


QUANTITIES = {
    "gradient": ("jax.grad", product),
    "hessian": ("jax.jacrev of jax.jacrev", product),
    "vjp": ("jax.vjp", product),
    "jvp": ("jax.jvp", product),
    "hvp": ("jax.grad of jax.grad", product),
}


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("argnums", [None, 1])
def test_the_framework_claims_by_all_of_the_arguments_or_some(quantity, argnums):
    claimant, function = QUANTITIES[quantity]
    found = verify.derivative(quantity, function, at=[(0.5, 2.0)], argnums=argnums)
    assert found.verdict is Verdict.CORRECT, str(found)
    assert found.claimant == claimant


def test_a_rule_that_lost_a_factor_is_found_in_all_modes():
    found = verify.gradient(doubled(lambda x: jnp.cos(2 * x)), over=[-1, 1], effort=EFFORT)
    assert found.verdict is Verdict.WRONG
    assert "2 times too small" in found.witness.message
    assert "are off as well" in found.witness.message
    assert verify.gradient(doubled(lambda x: 2 * jnp.cos(2 * x)), over=[-1, 1], effort=EFFORT)


def test_a_mode_that_the_framework_refuses_is_passed_over():
    @jax.custom_vjp
    def function(x):
        return jnp.sin(2 * x)

    function.defvjp(lambda x: (jnp.sin(2 * x), x), lambda x, g: (2 * jnp.cos(2 * x) * g,))
    found = verify.gradient(function, at=[0.5, 1.0])
    assert found.verdict is Verdict.CORRECT, str(found)


def test_a_claim_in_numpy_of_a_function_in_jax():
    right = verify.gradient(jnp.sin, claimed=np.cos, over=[-3, 3], effort=EFFORT)
    assert right.verdict is Verdict.CORRECT
    wrong = verify.vjp(jnp.sin, claimed=lambda x, g: np.cos(x), over=[-3, 3], effort=EFFORT)
    assert "the cotangent g is not used" in wrong.witness.message


@pytest.mark.parametrize("function", [jax.nn.relu, jnp.abs, lambda x: jnp.maximum(x, -x)])
def test_numbers_that_compiled_code_takes_for_zero_are_no_fault(function):
    points = [([0.0, 5e-324], [1.0, 1.0]), ([-1e-310, 1.0], [1.0, 0.5])]
    found = verify.vjp(function, at=points)
    assert {point.verdict for point in found.points} == {Verdict.UNDECIDED}
    assert "subnormal" in found.witness.message
    searched = verify.vjp(function, over=verify.box(-1, 1, shape=(2,)), effort=EFFORT)
    assert searched, str(searched)
