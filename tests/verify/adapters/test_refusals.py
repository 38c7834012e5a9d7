"""A framework that has no derivative to give is not wrong; a claim that breaks is."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import verify
from verify.model.verdict import Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="these tests need jax: pip install 'symtape[jax]'")
    import jax.numpy as jnp


def power(x):
    start = (0, jnp.ones_like(x))
    return jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), start)[1]


def scattered(x):
    return jnp.sum(jnp.ones(3).at[jnp.array([0, 0, 1])].multiply(x))


REFUSED = {
    "while_loop": (power, None, 1.5, "Reverse-mode differentiation does not work"),
    "explicitly": (power, jax.grad(power), 1.5, "Reverse-mode differentiation does not work"),
    "scatter": (scattered, None, np.array([1.0, 2.0, 3.0]), "only implemented if"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_of_jax_is_no_verdict_on_it(name):
    function, claimed, x, words = REFUSED[name]
    result = verify.gradient(function, claimed=claimed, at=[x])
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert "returns no derivative here; jax says: " in result.witness.message
    assert words in result.witness.message


def test_a_refusal_of_torch_is_no_verdict_on_it():
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    def loss(x):
        return Square.apply(x).sum()

    point = [np.array([1.0, 2.0])]
    result = verify.gradient(loss, claimed=torch.func.grad(loss), at=point)
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert "setup_context" in result.witness.message
    assert verify.gradient(loss, at=point).verdict is Verdict.CORRECT


def broken(x):
    raise ValueError("Reverse-mode differentiation does not work for me")


def breaks_in_its_rule():
    @jax.custom_vjp
    def square(x):
        return x**2

    def backward(x, g):
        raise TypeError("mine")

    square.defvjp(lambda x: (x**2, x), backward)
    return square


def test_an_error_of_the_claims_own_is_wrong():
    def slope(x):
        return jnp.cos(x) * broken(x)

    result = verify.gradient(lambda x: jnp.sin(x), claimed=slope, at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "raised ValueError" in result.witness.message
    result = verify.gradient(breaks_in_its_rule(), at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "raised TypeError: mine" in result.witness.message


def test_a_torch_claim_that_writes_into_its_argument_is_told():
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

    def slope(x):
        x.mul_(2)
        return x

    for x in (np.array([1.0, 2.0]), 1.5):
        result = verify.gradient(lambda x: torch.sum(x**2), claimed=slope, at=[x])
        assert result.verdict is Verdict.WRONG
        assert "slope changed its argument x in place" in result.witness.message

    def careful(x):
        return x.clone().mul_(2)

    result = verify.gradient(lambda x: torch.sum(x**2), claimed=careful, at=[np.array([1.0])])
    assert result.verdict is Verdict.CORRECT


def test_an_answer_in_float32_is_said_to_be_one():
    def slope(x):
        return jnp.cos(x.astype(jnp.float32))

    result = verify.gradient(lambda x: jnp.sin(x), claimed=slope, at=[0.5])
    assert result.verdict is Verdict.CORRECT
    assert "answered in float32" in result.witness.message
    result = verify.gradient(lambda x: jnp.sin(x), claimed=lambda x: 2 * slope(x), at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "answered in float32" in result.witness.message
