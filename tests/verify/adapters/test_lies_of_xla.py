"""What XLA's arithmetic excuses near the ends of the range: honest values, and no lies."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import verify
from verify import Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="needs jax: pip install 'symtape[jax]'")

jnp = jax.numpy

AT = {
    "a tail": (jnp.exp, -690.0),
    "a farther tail": (jnp.exp, -708.0),
    "a tail of few digits": (jnp.exp, np.float32(-60.0)),
    "the last normal numbers": (jnp.exp, np.float32(-87.0)),
    "a flushed factor": (lambda x: 1e5 * jnp.exp(x), -715.0),
    "a power": (lambda x: jnp.power(x, 2.5), np.float32(1.5)),
    "a hyperbolic tangent": (jnp.tanh, np.float32(1.0)),
}

FACTORS = {"honest": 1.0, "twice": 2.0, "sign": -1.0, "nothing": 0.0, "a little": 1 + 1e-3}


def with_rule(function, factor):
    @jax.custom_jvp
    def ruled(x):
        return function(x)

    @ruled.defjvp
    def rule(primals, tangents):
        value, slope = jax.jvp(function, primals, tangents)
        return value, slope * factor

    return jax.grad(ruled)


@pytest.mark.parametrize("lie", FACTORS)
@pytest.mark.parametrize("name", AT)
def test_lies_are_not_excused(name, lie):
    function, x = AT[name]
    found = verify.gradient(function, claimed=with_rule(function, FACTORS[lie]), at=[x])
    assert found.verdict is (Verdict.CORRECT if lie == "honest" else Verdict.WRONG), str(found)


def test_nothing_is_said_where_the_point_itself_is_taken_for_0():
    found = verify.gradient(lambda x: x * x, claimed=with_rule(lambda x: x * x, 2.0), at=[1e-310])
    assert found.verdict is Verdict.UNDECIDED
