"""Claims in the wrong place, precision or shape: what people read, as snapshots."""

from __future__ import annotations

import functools
import importlib
import re
import warnings

import numpy as np
import pytest

import verify
from symtape.errors import MissingExtra, SymtapeError
from symtape.process.extras import load

POINT = [[0.5, 2.0]]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def framework(name):
    """A module of a framework; the test skips if it is not installed."""
    root = name.partition(".")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(root, reason=f"needs {root}: pip install 'symtape[{root}]'")
        return importlib.import_module(name)


def said(function, claimed=None, quantity="gradient"):
    """The verdict, or what is refused, on any machine."""
    try:
        # What a framework warns of is not what is looked at here.
        warnings.simplefilter("ignore")
        result = getattr(verify, f"assert_{quantity}")(function, claimed, at=POINT)
    except (SymtapeError, AssertionError) as error:
        text = f"{type(error).__name__}: {error}"
    else:
        text = result.verdict.value
    assert len(text.splitlines()) <= 12, text
    text = re.sub(r"[^\s(]*tests/verify/adapters/test_bad_input.py:\d+", "HERE", text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def told(cases):
    """Each case under its name."""
    return "\n\n".join(f"-- {name}\n{said(*case)}" for name, case in cases.items()) + "\n"


def needs_keyword(x, *, scale):
    return np.sum(x) * scale


def test_plain_functions(snapshot):
    def total(x):
        return np.sum(x**2)

    def total_slope(x):
        return 2 * x

    def by_name(p):
        return np.sum(p["w"] ** 2 + p["b"])

    cases = {
        "needs a keyword": (needs_keyword,),
        "the keyword is fixed": (functools.partial(needs_keyword, scale=2.0),),
        "takes a mapping": (by_name,),
        "returns a row": (total, lambda x: total_slope(x)[None]),
        "returns a column": (total, lambda x: total_slope(x)[:, None]),
        "returns np.matrix": (total, lambda x: np.matrix(total_slope(x))),
        "returns a list": (total, lambda x: total_slope(x).tolist()),
        "returns whole numbers": (total, lambda x: np.array([1, 4])),
        "returns complex numbers": (total, lambda x: total_slope(x) + 0j),
        "returns float32": (total, lambda x: total_slope(x).astype(np.float32)),
        "returns a mapping": (total, lambda x: {"x": total_slope(x), "y": x}),
        "returns nothing": (total, lambda x: None),
        "writes into its argument": (total, lambda x: np.multiply(x, 2, out=x)),
    }
    snapshot("adapters-numpy", told(cases))


def test_functions_of_jax(snapshot):
    jax, jnp = framework("jax"), framework("jax.numpy")
    traced = []

    def total(x):
        return jnp.sum(x**2)

    @jax.jit
    def remembers(x):
        traced.append(x)
        return jnp.sum(x**2)

    def scaled(x, *, scale):
        return jnp.sum(x) * scale

    def by_name(p):
        return jnp.sum(p["w"])

    hidden = {"sum": jnp.sum}
    cases = {
        "needs a keyword": (scaled,),
        "takes a mapping": (by_name,),
        "returns a mapping": (lambda x: {"loss": total(x)}, lambda x: 2 * x),
        "the claim returns a mapping": (total, lambda x: {"x": jnp.multiply(2, x)}),
        "jitted, with a side effect": (remembers,),
        "is not seen to be of a framework": (lambda x: hidden["sum"](x),),
        "returns float32": (total, lambda x: (2 * x).astype(jnp.float32)),
        "converts for itself": (total, lambda x: np.asarray(jax.grad(total)(x))),
    }
    snapshot("adapters-jax", told(cases))


def test_functions_of_torch(snapshot):
    torch = framework("torch")

    def total(x):
        return torch.sum(x**2)

    def scaled(x, *, scale):
        return torch.sum(x) * scale

    single, elsewhere = torch.ones(2), torch.ones(2, device="meta", dtype=torch.float64)
    cases = {
        "needs a keyword": (scaled,),
        "keeps a tensor of another precision": (lambda x: torch.dot(x, single),),
        "keeps a tensor on another device": (lambda x: torch.dot(x, elsewhere),),
        "returns a mapping": (lambda x: {"loss": total(x)},),
        "returns float32": (total, lambda x: (2 * x).float()),
        "wants a gradient": (total, lambda x: (2 * x).requires_grad_()),
        "converts for itself": (total, lambda x: torch.from_numpy(2 * x).numpy()),
        "writes into its argument": (total, lambda x: x.mul_(2)),
    }
    snapshot("adapters-torch", told(cases))


def test_claims_of_another_framework_than_the_function(snapshot):
    jnp, torch = framework("jax.numpy"), framework("torch")
    cases = {
        "a claim of torch for JAX": (lambda x: jnp.sum(jnp.sin(x)), lambda x: torch.cos(x)),
        "a claim of JAX for NumPy": (lambda x: np.sum(np.sin(x)), lambda x: jnp.cos(x)),
        "both in one": (lambda x: jnp.sum(torch.sin(x)),),
    }
    snapshot("adapters-mixed", told(cases))


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("jax", "needs jax, which is not installed; pip install 'symtape[jax]'"),
        ("torch", "needs torch, which is not installed; pip install 'symtape[torch]'"),
        ("autograd.numpy", "needs autograd, which is not installed; pip install 'symtape[autog"),
        ("hypothesis", "needs hypothesis, which is not installed; pip install 'symtape[pytest]'"),
        ("nowhere", "needs nowhere, which is not installed; pip install nowhere"),
    ],
)
def test_a_missing_extra_says_how_to_install_it(package, words, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, package.partition(".")[0], None)
    with pytest.raises(MissingExtra) as caught:
        load(package, "verify.auditing")
    assert str(caught.value).startswith(f"verify.auditing {words}")
    assert isinstance(caught.value, ImportError)
