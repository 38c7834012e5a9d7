"""Rules of users' own in JAX and PyTorch are found in a module, and lies among them."""

import sys
import types

import pytest

from verify.auditing.packages.conventions.framework_rules import CONVENTION
from verify.judging.judge import verify_case

OF_TORCH = """
import torch

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g

class Shifted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, shift):
        ctx.save_for_backward(x)
        return x**3 + shift

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x**2 * g, None

class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        whole = torch.floor(x)
        ctx.mark_non_differentiable(whole)
        return x**2, whole

    @staticmethod
    def backward(ctx, g, _):
        (x,) = ctx.saved_tensors
        return 2 * x * g
"""

OF_JAX = """
import jax
import jax.numpy as jnp

@jax.custom_vjp
def wave(x, y):
    return jnp.sin(x) * y

def forward(x, y):
    return wave(x, y), (x, y)

def backward(kept, g):
    x, y = kept
    return jnp.sin(x) * g, jnp.cos(x) * y * g

wave.defvjp(forward, backward)

@jax.custom_jvp
def softplus(x):
    return jnp.log1p(jnp.exp(x))

@softplus.defjvp
def _(points, tangents):
    return softplus(*points), jax.nn.sigmoid(points[0]) * tangents[0]
"""


@pytest.fixture
def module(monkeypatch):
    def made(source):
        module = types.ModuleType("rules")
        monkeypatch.setitem(sys.modules, "rules", module)
        exec(source, vars(module))
        return module

    return made


def said(module):
    pairs = list(CONVENTION.find(module))
    return {pair.function: verify_case(CONVENTION.pose(pair), effort=0.02) for pair in pairs}


def test_functions_of_torch(module):
    pytest.importorskip("torch")
    results = said(module(OF_TORCH))
    assert {name: it.verdict.value for name, it in results.items()} == {
        "Cube": "CORRECT",
        "Rounded": "CORRECT",
        "Shifted": "WRONG",
    }
    # What the rule gives no gradient by is none of its arguments.
    assert [entry.name for entry in results["Shifted"].witness.inputs] == ["x"]


def test_functions_of_jax(module):
    pytest.importorskip("jax")
    results = said(module(OF_JAX))
    assert {name: it.verdict.value for name, it in results.items()} == {
        "wave": "WRONG",
        "softplus": "CORRECT",
    }
    assert "exchanged" in results["wave"].message


def test_a_module_without_rules(module):
    assert list(CONVENTION.find(module("class Plain: pass"))) == []
