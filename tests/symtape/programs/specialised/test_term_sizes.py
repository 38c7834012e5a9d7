"""Sums that cancel may be off by the last digits of their terms, and a program by no more."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.special import logsumexp

import symtape
from symtape.errors import NotTraceable
from symtape.programs.specialised import recording
from symtape.programs.specialised.recording import term_sizes
from symtape.rigorous import floats

DRAW = np.random.default_rng(0)
TERMS = DRAW.normal(size=2000)
TERMS -= TERMS.mean()

SUMS = {
    "a sum": lambda x: np.sum(x),
    "of products": lambda x: np.sum(x * x - 1.0),
    "scaled": lambda x: np.sum(x) / 7.0,
    "of sums": lambda x: np.sum(x[:1000]) + np.sum(x[1000:]),
    "moved": lambda x: np.reshape(-np.sum(x, keepdims=True), ()),
}


@pytest.mark.parametrize("name", SUMS)
def test_another_order_of_a_sum_is_near(name):
    graph = symtape.record(SUMS[name], TERMS)
    (size,) = term_sizes(graph, (TERMS,))
    eps = np.finfo(float).eps
    for _ in range(20):
        order = np.concatenate([DRAW.permutation(1000), 1000 + DRAW.permutation(1000)])
        gap = abs(SUMS[name](TERMS[order]) - SUMS[name](TERMS))
        assert gap <= 32 * eps * size
    assert size <= 3.0 * np.sum(TERMS * TERMS + 1.0)


def test_sizes_do_not_grow_with_the_turns_of_a_loop():
    def turns(x):
        for _ in range(200):
            x = np.stack([0.8 * x[0] - 0.6 * x[1], 0.6 * x[0] + 0.8 * x[1]])
        return x

    graph = symtape.record(turns, np.array([1.0, 0.0]))
    (size,) = term_sizes(graph, graph.at)
    assert size < 3.0


@pytest.mark.parametrize("off", [1e-9, 1e-6, 1e-3])
def test_a_function_that_is_another_one_by_more_is_refused(off):
    """At each call it gives another number, by more than the last digits of its terms."""

    def f(x):
        return np.sum(x * x - 1.0) + off * random.Random().randrange(10**6)

    with pytest.raises(NotTraceable, match="the recording is not the function"):
        symtape.compile(f, TERMS)


def test_terms_that_say_nothing_are_left_to_balls(monkeypatch):
    def lost(x):
        return (1e30 * np.sum(x)) - 1e30 * np.sum(x) + np.sum(x)

    graph = symtape.record(lost, TERMS)
    (size,) = recording._sizes(graph, (TERMS,), [np.asarray(1.0)])
    assert size <= 2.0**20


def test_long_sums_in_another_order_need_no_balls(monkeypatch):
    """NumPy adds along the first axis one by one, and the recording sums what was broadcast."""
    monkeypatch.setattr(floats, "may_return", lambda *given: pytest.fail("balls were asked"))

    def f(p, x):
        return -np.mean(logsumexp(-0.5 * (x[:, None] - p) ** 2 - np.log1p(p**2), axis=1))

    x = np.random.default_rng(7).normal(size=50_000)
    symtape.compile(symtape.grad(f), np.array([-1.0, 0.0, 2.0]), x)
