"""What is computed of the elements that a mask picks is computed of all, and chosen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.programs.compiled.masks import compute_under_masks
from symtape.programs.compiled.passes import optimise_graph
from tests.symtape.programs.compiled.in_balls import faults

pytest.importorskip("llvmlite", reason="llvmlite is missing; pip install 'symtape[llvm]'")


def doses(x, y):
    level = np.zeros_like(x)
    for start in (0.25, 0.5):
        given_now = x > start
        level[given_now] += np.exp(y[given_now] - start) * x[given_now]
    return np.sum(level**2)


def roots(x, y):
    return np.sum(np.sqrt(x[x > 0.2] - 0.2) * y[x > 0.2]) + np.sum(y)


def rows(x, y):
    table = np.outer(x, y)
    return np.sum(np.sum(np.exp(table[x > 0.2]) * y, axis=0) ** 2)


def entries(x, y):
    table = np.outer(x, y)
    return np.sum(np.cos(table[table > 0.1]) * 3.0) * np.mean(table[table > 0.1])


def known(x, y):
    return np.sum((x[y > 0.2] - np.arange(np.count_nonzero(y > 0.2))) ** 2)


def both(x, y):
    return np.sum(x[x > 0.2]) * np.sum(x[y > 0.2]) + np.sum(x[x > 0.2] - 2 * y[x > 0.2]) ** 2


def decided(x, y):
    return np.sum(y[x > 0.2] ** 2) if np.sum(y[x > 0.2]) > 0.3 else np.sum(x * y)


FUNCTIONS = (doses, roots, rows, entries, known, both, decided)


@pytest.mark.parametrize("function", FUNCTIONS)
@settings(deadline=None, max_examples=20, derandomize=True)
@given(size=st.integers(2, 12), seed=st.integers(0, 2**32 - 1))
def test_values_are_those_of_the_recording(function, size, seed):
    random = np.random.default_rng(seed)
    x, y = random.uniform(-0.5, 1.0, size), random.uniform(-0.5, 1.0, size)
    x[0] = y[0] = 0.9
    graph = optimise_graph(symtape.record(symtape.value_and_grad(function, (0, 1)), x, y))
    with np.errstate(all="ignore"):
        found = compute_under_masks(graph).evaluate(x, y)
    for one, other in zip(found, graph.evaluate(x, y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_programs_agree_with_the_tape_and_warn_of_nothing(function):
    random = np.random.default_rng(5)
    slopes = symtape.value_and_grad(function, (0, 1))
    for size in (7, 900):
        compiled = symtape.jit(slopes)
        for _ in range(3):
            x, y = random.uniform(-0.5, 1.0, size), random.uniform(-0.5, 1.0, size)
            (value, found), (expected, wanted) = compiled(x, y), slopes(x, y)
            np.testing.assert_allclose(value, expected, rtol=1e-12)
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_lie_in_the_balls_of_the_recording(function):
    x, y = np.array([0.9, -0.2, 0.45, 0.6]), np.array([0.7, 0.3, -0.1, 0.55])
    graph = symtape.record(symtape.grad(function), x, y)
    assert faults(graph, [x, y], ("auto",)) == []


def names(function, x):
    graph = compute_under_masks(optimise_graph(symtape.record(symtape.grad(function), x)))
    return [node.name for node in graph.nodes]


def test_few_of_many_are_picked():
    def f(x):
        return np.sum(np.exp(x[x > 0]))

    x = np.linspace(-1, 1, 4000)
    assert "getitem_by" not in names(f, x)
    assert "getitem_by" in names(f, x - 0.9)


def test_a_sum_that_decides_is_that_of_numpy():
    def f(x):
        return np.sum(x[x > 0]) if np.sum(x[x > 0]) > 0.3 else np.sum(x)

    assert "getitem_by" in names(f, np.linspace(-1, 1, 40))
