"""The back end of a program is that by which it costs less, by a margin for its making."""

from __future__ import annotations

import numpy as np
import pytest

import symtape


def ring(u):
    return u * (np.roll(u, -1) - np.roll(u, 1)) + u**2


def state(w):
    h = np.zeros(32)
    for _ in range(20):
        h = np.tanh(w @ h + 0.1)
    return np.sum(h**2)


CASES = {
    "few numbers": (lambda x: np.sum(x * x) + x[0], (3,), "llvm"),
    "many operations on short arrays": (lambda x: sum(x * k for k in range(50)), (40,), "llvm"),
    "many operations on arrays": (lambda x: sum(x * k for k in range(50)), (200,), "numpy"),
    "a Jacobian by colours": (symtape.jacobian(ring), (64,), "llvm"),
    "a product": (lambda x: np.sum((x @ x) * x), (30, 30), "numpy"),
    "products of matrices in a loop": (symtape.grad(state), (32, 32), "numpy"),
    "a running product": (symtape.grad(lambda x: np.sum(np.cumprod(x))), (300,), "llvm"),
    "functions of many numbers": (lambda x: np.sum(np.exp(np.sin(x))), (3000,), "numpy"),
    "functions of Python's": (
        lambda x: sum(np.sinc(x * k) for k in range(20)),
        (30,),
        "numpy",
    ),
    "more numbers than are taken apart": (lambda x: np.zeros((400, 400)) + x, (), "numpy"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_back_end_is_the_cheaper_one(name):
    pytest.importorskip("llvmlite")
    function, shape, chosen = CASES[name]
    compiled = symtape.jit(function)
    x = np.random.default_rng(0).uniform(0.5, 1.5, shape)
    np.testing.assert_allclose(compiled(x), function(x), rtol=1e-12)
    (source,) = compiled.sources
    assert source.startswith("def program") == (chosen == "numpy")
