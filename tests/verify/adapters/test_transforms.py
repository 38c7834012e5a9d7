"""What a transform returned is called by the transform and what was transformed."""

from __future__ import annotations

import functools
import re
import warnings

import numpy as np
import pytest

import verify
from verify.adapters import adapt_function
from verify.model.case import name_function

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="these tests need jax: pip install 'symtape[jax]'")
    import jax.numpy as jnp


def energy(x):
    return jnp.sum(x**2)


@jax.jit
def compiled(x):
    return jnp.sum(x**2)


NAMES = {
    "jax.grad(energy)": jax.grad(energy),
    "jax.jit(jax.grad(energy))": jax.jit(jax.grad(energy)),
    "jax.jacrev(energy)": jax.jacrev(energy),
    "jax.jacfwd(energy)": jax.jacfwd(energy),
    "jax.hessian(energy)": jax.hessian(energy),
    "jax.value_and_grad(energy)": jax.value_and_grad(energy),
    "jax.vmap(jax.grad(energy))": jax.vmap(jax.grad(energy)),
    "jax.grad(compiled)": jax.grad(compiled),
    "compiled": compiled,
    "energy": functools.partial(energy),
}


@pytest.mark.parametrize("name", NAMES)
def test_transforms_of_jax(name):
    assert name_function(NAMES[name]) == name
    assert name_function(adapt_function(NAMES[name])) == name


def test_transforms_of_torch():
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

    def loss(x):
        return torch.sum(x**2)

    for name in ("grad", "jacrev", "jacfwd", "hessian", "grad_and_value"):
        said = f"torch.func.{name}(test_transforms_of_torch.<locals>.loss)"
        found = name_function(adapt_function(getattr(torch.func, name)(loss)))
        assert found.replace("test_transforms_of_torch.<locals>.", "") == said.replace(
            "test_transforms_of_torch.<locals>.", ""
        )


def test_a_wrapper_that_is_not_public_is_said_to_wrap():
    from jax._src import api

    def hidden():
        @functools.wraps(energy)
        def wrapper(x):
            return energy(x)

        return wrapper

    inner = type(hidden)(hidden.__code__, {**vars(api), "functools": functools, "energy": energy})
    assert name_function(inner()) == "a jax function wrapping energy"


def test_the_headline_of_a_failure_names_the_transform():
    def other(x):
        return jnp.sum(x**3)

    with pytest.raises(AssertionError) as failed:
        verify.assert_gradient(energy, jax.grad(other), at=[np.array([0.5, 2.0])])
    first, *rest = str(failed.value).splitlines()
    assert re.match(r"WRONG: jax\.grad\(other\) \(.*\) is not the gradient of energy", first)
    replay = "replay     verify.assert_gradient(energy, jax.grad(other), at=[[0.5, 2.0]])"
    assert replay in [line.strip() for line in rest]
