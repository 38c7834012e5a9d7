"""Loops of float32: the bits of NumPy where all is exact, and machine code where users have it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.program import Program
from tests.symtape.programs.compiled.loops_of_arrays import OPERATIONS, SUMS, VIEWS, check, same

pytest.importorskip("llvmlite")

DRAW = np.random.default_rng(0)
HARD = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, -1e-39, 1.1754944e-38, 0.1]


def numbers(*shape):
    return np.float32(DRAW.normal(size=shape) * 10.0 ** DRAW.integers(-6, 6, shape))


@pytest.mark.parametrize(("shape", "axis"), SUMS[::3], ids=str)
def test_sums_are_in_the_order_of_numpy(shape, axis):
    x = numbers(*shape)
    check(lambda x: (np.sum(x * x - 1.0, axis), x * x - 1.0), x)
    check(lambda x: np.max(x * 3.0 - x, axis) + np.sum((x * 3.0 - x) / 7.0, axis), x)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_hard_numbers(name):
    x, y = (one.ravel() for one in np.meshgrid(np.float32(HARD), np.float32(HARD)))
    check(OPERATIONS[name], x, y)


@pytest.mark.parametrize("name", VIEWS)
def test_arrays_that_lie_otherwise(name):
    check(VIEWS[name], numbers(20, 20))


MIXED = {
    "numbers of Python": lambda x, y: (x * 0.1 + 1 / 3) * np.where(x > 0.1, 0.7, y),
    "numbers of NumPy": lambda x, y: (x * np.float32(0.1) - np.float64(0.1)) * y,
    "compared with either": lambda x, y: np.where(x < np.float64(0.1), x, y) * (y == 0.1),
    "both precisions": lambda x, y: x * y.astype(np.float64) - 0.1 + x,
    "there and back": lambda x, y: (x.astype(np.float64) / 3.0).astype(np.float32) * y,
    "a scalar between": lambda x, y: x / np.sum(y * y) - np.max(x) * 0.1,
    "roots and quotients": lambda x, y: np.sqrt(np.abs(x)) / y + np.square(y) / (1.0 + x * x),
}


@pytest.mark.parametrize("name", MIXED)
def test_precisions_are_mixed_as_numpy_mixes_them(name):
    x, y = (one.ravel() for one in np.meshgrid(np.float32(HARD), np.float32(HARD)))
    with np.errstate(all="ignore"):
        check(MIXED[name], x, y)
    check(MIXED[name], numbers(30, 7), numbers(30, 7))


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_quotients_and_roots_are_rounded_once(first, second):
    """Of any two bit patterns, those of subnormal numbers among them."""
    x, y = (np.full(16, k, np.uint32).view(np.float32) for k in (first, second))
    with np.errstate(all="ignore"):
        (found,) = QUOTIENT.run(x, y)
        same(found, np.sqrt(np.abs(x)) / y * x + x / y)


with np.errstate(all="ignore"):
    QUOTIENT = Program(
        symtape.record(
            lambda x, y: np.sqrt(np.abs(x)) / y * x + x / y, *np.ones((2, 16), np.float32)
        ),
        "f",
        "fused",
    )

PLACES = DRAW.integers(0, 40, 70)

USED = {
    "functions": lambda x, w: np.sum(np.exp(-x * x) * np.sin(w) + np.log1p(x * x) * np.tanh(w)),
    "gelu": lambda x, w: np.sum(0.5 * x * (1 + np.tanh(0.79788 * (x + 0.044715 * x**3))) * w),
    "softmax": lambda x, w: np.sum(
        np.exp(x - x.max(1)[:, None]) / np.exp(x - x.max(1)[:, None]).sum(1)[:, None] * w
    ),
    "softplus": lambda x, w: np.sum(np.logaddexp(0, x @ w.T)),
    "gathers": lambda x, w: np.sum(np.sin(x[PLACES] * w[::-1][PLACES]) * x[PLACES]),
    "moves": lambda x, w: np.sum(
        np.concatenate([x[1:], w[:1]]) * np.roll(x, 3, 1) * np.tile(x[0], (40, 1))
    ),
    "products": lambda x, w: np.sum(np.tanh(x @ w.T) @ np.cos(x)) + np.sum(np.sin(x.T @ np.sin(w))),
    "vectors": lambda x, w: np.sum(np.sin(x @ np.cos(w[0]))) * np.sum(np.cos(w[:, 0]) @ x),
    "variance": lambda x, w: np.sum((x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) * w),
}


@pytest.mark.parametrize("name", USED)
def test_gradients_are_machine_code(name, monkeypatch):
    def refuse(loop, *arrays):
        raise AssertionError(f"{loop.graph} is left to NumPy")

    x, w = (np.float32(DRAW.normal(size=(40, 30))) for _ in range(2))
    compiled = symtape.jit(symtape.grad(USED[name]))
    monkeypatch.setattr(Loop, "__call__", refuse)
    found, wanted = compiled(x, w), symtape.grad(USED[name])(x.astype(float), w.astype(float))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)
    called = [line for line in compiled.sources[0].splitlines() if "np." in line or "row_" in line]
    assert all("np.dot" in line or "transpose" in line for line in called), compiled.sources[0]
