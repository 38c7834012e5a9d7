"""The rule that is at fault is told from those that are not, and from what only calls it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import verify
from verify.adapters import adapt_function
from verify.adapters.own_rules import own_rules
from verify.model.verdict import Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="these tests need jax: pip install 'symtape[jax]'")
    import jax.numpy as jnp


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def with_rule(function, slope):
    ruled = jax.custom_vjp(function)
    ruled.defvjp(lambda x: (function(x), x), lambda x, g: (g * slope(x),))
    return ruled


def root(x):
    return jnp.sqrt(1 + x * x)


def bend(x):
    return x**3


good = with_rule(root, lambda x: x / jnp.sqrt(1 + x * x))
bad = with_rule(bend, lambda x: 3 * x)
clipped = jax.custom_vjp(lambda x: x)
clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.5, 0.5),))

POINT = [np.array([0.5, -1.25])]


@pytest.mark.parametrize("function", [lambda x: good(bad(x)), lambda x: bad(good(x))])
def test_of_two_rules_the_wrong_one_is_named(function):
    result = verify.gradient(lambda x: jnp.sum(function(x)), at=POINT)
    assert result.verdict is Verdict.WRONG
    assert "the rule of bend is wrong: the derivative lacks the factor x" in result.witness.message


def test_a_right_rule_is_not_named_where_something_else_is_wrong():
    def loss(x):
        return jnp.sum(good(x) ** 2)

    result = verify.gradient(loss, claimed=lambda x: 3 * jax.grad(loss)(x), at=POINT)
    assert result.verdict is Verdict.WRONG
    assert "the rule of" not in result.witness.message
    assert "1.5" in result.witness.message or "3 times" in result.witness.message


def test_a_claim_that_does_not_use_a_wrong_rule_is_not_blamed_on_it():
    def loss(x):
        return jnp.sum(bad(x))

    result = verify.gradient(loss, claimed=lambda x: 6 * jnp.square(x), at=POINT)
    assert result.verdict is Verdict.WRONG
    assert "the rule of" not in result.witness.message
    assert "2 times too large" in result.witness.message


def test_a_gradient_that_is_clipped_is_the_fault_of_its_rule():
    result = verify.gradient(lambda x: jnp.sum(clipped(x) ** 2), at=POINT)
    assert result.verdict is Verdict.WRONG
    assert "test_own_rule.py" in (result.witness.origin or "")


def test_arguments_that_do_not_move_are_left_out():
    ruled = jax.custom_vjp(lambda x, t: x * t)
    ruled.defvjp(lambda x, t: (x * t, t), lambda t, g: (g * t, None))
    (rule,) = own_rules(adapt_function(lambda x: ruled(x, 2.0)), (np.float64(0.5),))
    assert [np.shape(x) for x in rule.point] == [()]
    assert verify.gradient(lambda x: ruled(x, 2.0), at=[0.5]).verdict is Verdict.CORRECT
