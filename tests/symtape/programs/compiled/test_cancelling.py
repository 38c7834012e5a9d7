"""Maxima that are subtracted and cancel decide nothing; others decide as in NumPy, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.primitives.extrema import SHARE
from symtape.programs.compiled.cancelling import ANY_SHARE, free_cancelled_shares
from symtape.programs.compiled.passes import optimise_graph

DRAW = np.random.default_rng(0)
X, W = DRAW.normal(size=(6, 5)), DRAW.normal(size=(6, 5))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def softmax_with_new_axes(x):
    e = np.exp(x - x.max(1)[:, None])
    return (e.T / e.sum(1)).T


def softmax_of_all(x):
    return np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x)))


def by_the_least(x):
    return np.exp(x.min() - x) / np.sum(np.exp(x.min() - x))


def logsumexp(x):
    m = np.max(x, axis=1)
    return m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))


def log_softmax(x):
    z = x - x.max(axis=1, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=1, keepdims=True))


CANCEL = {
    "softmax": lambda x, w: np.sum(softmax(np.tanh(x)) * w),
    "softmax with new axes": lambda x, w: np.sum(softmax_with_new_axes(np.tanh(x)) * w),
    "softmax of all": lambda x, w: np.sum(softmax_of_all(x) * w),
    "softmin": lambda x, w: np.sum(softmax_of_all(-np.tanh(x)) * w),
    "logsumexp": lambda x, w: np.sum(logsumexp(np.tanh(x)) * w[:, 0]),
    "log of softmax": lambda x, w: np.sum(log_softmax(np.tanh(x)) * w),
    "by the least": lambda x, w: np.sum(by_the_least(x) * w),
    "two layers": lambda x, w: np.sum(softmax(softmax(x) @ w.T @ x) * w),
}

DECIDE = {
    "a maximum": lambda x, w: np.sum(np.max(x, axis=1) * w[:, 0]),
    "scaled by the range": lambda x, w: np.sum((x - x.min()) / (x.max() - x.min()) * w),
    "what is subtracted and stays": lambda x, w: np.sum(np.exp(x - np.max(x)) * w),
    "what is small beside another": lambda x, w: 1e20 * np.sum(x) + np.sum(np.max(x, axis=1)),
    "a weight of zero": lambda x, w: np.sum(softmax(x) * (0.0 * w)),
    "once of two": lambda x, w: np.sum(softmax(x) * w) * np.max(x),
    "in one line of several": lambda x, w: np.sum(
        np.exp(x - x.max(1, keepdims=True)) / np.where(w[:, :1] > 0, 1.0, 3.0)
    ),
}


def shares(function):
    graph = optimise_graph(symtape.record(symtape.grad(function), X, W))
    rows = [node.primitive for node in free_cancelled_shares(graph).nodes]
    return rows.count(ANY_SHARE), rows.count(SHARE)


@pytest.mark.parametrize("name", CANCEL)
def test_maxima_that_cancel_decide_nothing(name):
    free, deciding = shares(CANCEL[name])
    assert free > 0
    assert deciding == 0


@pytest.mark.parametrize("name", DECIDE)
def test_maxima_that_matter_decide(name):
    assert shares(DECIDE[name])[1] > 0


@pytest.mark.parametrize("name", [*CANCEL, *DECIDE])
def test_compiled_gradients_are_those_of_the_tape(name):
    function = (CANCEL | DECIDE)[name]
    compiled, eager = symtape.jit(symtape.grad(function)), symtape.grad(function)
    for x in (X, X[::-1].copy(), np.round(X), np.zeros_like(X)):
        with np.errstate(all="ignore"):
            found, wanted = compiled(x, W), eager(x, W)
        np.testing.assert_allclose(
            found, wanted, 1e-12, 1e-13 * np.nanmax(np.abs(wanted), initial=0.1)
        )


def test_what_comes_before_a_softmax_is_computed_by_vectors():
    pytest.importorskip("llvmlite")
    function = symtape.jit(symtape.grad(CANCEL["softmax"]))
    x = DRAW.normal(size=(60, 50))
    function(x, x)
    assert "tanh" not in function.sources[0]


def test_a_gradient_by_which_is_decided_keeps_its_bits():
    def clipped(x, w):
        g = symtape.grad(CANCEL["softmax"])(x, w)
        return np.sum(np.where(g > 0.01, g, 0.5 * g) ** 2)

    graph = optimise_graph(symtape.record(clipped, X, W))
    rows = [node.primitive for node in free_cancelled_shares(graph).nodes]
    assert rows.count(ANY_SHARE) == 0 < rows.count(SHARE)
