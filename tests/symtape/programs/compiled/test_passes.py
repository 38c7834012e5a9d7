"""Passes keep every bit where they say so, and the enclosure in balls where they do not."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

import symtape
from symtape.programs.compiled import planning
from symtape.programs.compiled.numpy_source import NumpySource
from symtape.programs.compiled.passes import PASSES, optimise_graph
from symtape.programs.compiled.rewriting import rewritten
from symtape.programs.compiled.slices import put_sums_of_slices
from symtape.rigorous.enclose import enclose
from verify.strategies import programs

HARD = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324])
BY_NAME = {one.name: one for one in PASSES}


def bits(value):
    """The bits of a result; of nan, that it is one."""
    array = np.asarray(value)
    return np.where(array == array, array, np.nan).tobytes(), array.shape, array.dtype


def names(graph):
    return [node.name for node in graph.nodes if node.name not in ("input", "constant")]


def assert_same(graph, other, *point):
    with np.errstate(all="ignore"):
        for one, two in zip(graph.evaluate(*point), other.evaluate(*point), strict=True):
            assert bits(one) == bits(two)


CONTRACTIONS = {"einsum", "matmul"}
"""Rows that NumPy and BLAS add in another order where an operand lies otherwise in memory."""


def assert_near(graph, other, *point):
    with np.errstate(all="ignore"):
        for one, two in zip(graph.evaluate(*point), other.evaluate(*point), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9 * np.max(np.abs(one)))


def outer(x):
    return np.transpose(x.reshape(2, 4))


EXAMPLES = {
    "fold constants": [(lambda x: x * (np.ones_like(x) * 3.0 + 2.0), {"one", "ones_like"})],
    "zeros and ones as numbers": [(lambda x: x + np.zeros_like(x), {"zeros_like"})],
    "drop what is neutral": [
        (lambda x: +x, {"positive"}),
        (lambda x: x * 1.0, {"multiply"}),
        (lambda x: 1 * x, {"multiply"}),
        (lambda x: x / 1.0, {"divide"}),
        (lambda x: x - 0.0, {"subtract"}),
        (lambda x: x * np.ones(8), {"multiply"}),
    ],
    "cancel signs": [
        (lambda x: np.negative(-x), {"negative"}),
        (lambda x: x * 2 + -x, {"negative"}),
        (lambda x: -x + x * 2, {"negative"}),
        (lambda x: x * 2 - -x, {"negative"}),
        (lambda x: -x * -(x + 1), {"negative"}),
        (lambda x: -x / -(x + 1), {"negative"}),
    ],
    "negate": [(lambda x: x * -1.0, {"multiply"}), (lambda x: -1 * x, {"multiply"})],
    "join moves": [
        (lambda x: outer(x).T.T.T.T + 1, set()),
        (lambda x: x.reshape(2, 4).reshape(4, 2).reshape(8), {"reshape"}),
        (lambda x: np.broadcast_to(x, (8,)) * 2, {"broadcast_to"}),
        (lambda x: x[2:3].reshape(()) * x, {"reshape"}),
        (lambda x: x[..., 2] * x, set()),
        (lambda x: x[2:3].reshape(()).reshape((1, 1)) * x, set()),
        (lambda x: np.sum(np.outer(x, x), axis=1, keepdims=True).reshape(8), {"reshape"}),
    ],
    "stack floats": [
        (lambda x: np.stack([0, x[1], np.array(2.0), -x[2]]) * 2.0, set()),
        (lambda x: np.array([[0, -x[0]], [x[0], 0.0]]), set()),
    ],
    "broadcast late": [
        (lambda x: np.broadcast_to(np.sum(x), (8,)) * x, {"broadcast_to"}),
        (lambda x: x * np.full(8, 3.0), set()),
    ],
    "add before scattering": [
        (symtape.grad(lambda x: np.nansum(x[1:] ** 2 + x[1:])), set()),
    ],
}
"""Functions of 8 numbers, each with the operations that a pass leaves none of."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_pass_does_what_it_says_and_keeps_every_bit(name):
    for function, gone in EXAMPLES[name]:
        graph = symtape.record(function, np.arange(1.0, 9.0))
        before = rewritten(graph, ())
        found = rewritten(graph, [BY_NAME["zeros and ones as numbers"].rule])
        if name != "zeros and ones as numbers":
            before, found = found, rewritten(found, [BY_NAME[name].rule])
        assert str(found) != str(before), name
        assert not gone & set(names(found)), (name, names(found))
        for point in (HARD, np.roll(HARD, 3), np.linspace(-2, 3, 8)):
            assert_same(graph, found, point)


def test_every_pass_has_examples():
    assert set(EXAMPLES) == set(BY_NAME)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * -0.0,
        lambda x: x + 0.0,
        lambda x: x - np.array([0.0, -0.0] * 4),
        lambda x: -(x - x[::-1]),
        lambda x: 0.0 - x,
        lambda x: x.astype(np.float32) * np.float64(1.0),
        lambda x: np.sum(x) * np.ones(8),
    ],
)
def test_what_would_change_a_bit_or_a_dtype_is_left(function):
    graph = symtape.record(function, np.arange(1.0, 9.0))
    for point in (HARD, -HARD):
        assert_same(graph, optimise_graph(graph), point)


def test_common_subexpressions_are_computed_once_and_dead_values_never():
    graph = symtape.record(lambda x: np.sin(x * 2.0) + np.sin(2.0 * x), 1.0)
    assert names(optimise_graph(graph)).count("sin") == 1
    pair = symtape.record(lambda x: (np.exp(x), np.sin(x)), 1.0)
    alone = dataclasses.replace(pair, outputs=pair.outputs[:1])
    assert names(optimise_graph(alone)) == ["exp"]


def chain(x):
    """Slices that overlap, where it matters that 0.0 is added everywhere else."""
    return np.nansum(x[1:] * -0.0) + np.nansum(x[:-2] * x[2:]) + np.nansum(x * 3) + x[2] * x[2]


@pytest.mark.parametrize("function", [chain, lambda x: np.nansum(x[1:] * x[:-1] * x[0])])
def test_slices_are_added_without_zeros_and_keep_every_bit(function):
    gradient = symtape.record(symtape.grad(function), np.arange(1.0, 9.0))
    found = optimise_graph(gradient)
    assert "sum_of_slices" in names(found)
    for point in (HARD, np.roll(HARD, 1), -HARD, np.linspace(-1, 1, 8)):
        assert_same(gradient, found, point)


def test_the_slices_are_a_program_that_balls_and_tapes_read():
    gradient = symtape.record(symtape.grad(chain), np.arange(1.0, 9.0))
    found = optimise_graph(gradient)
    x = np.linspace(-1, 2, 8)
    for one, two in zip(enclose(gradient, [x], 200), enclose(found, [x], 200), strict=True):
        assert all(a.overlaps(b) for a, b in zip(one.ravel(), two.ravel(), strict=True))
    second = [symtape.differentiate(graph).evaluate(x)[0] for graph in (gradient, found)]
    np.testing.assert_allclose(*second, rtol=1e-14)


def test_a_slice_of_a_number_is_added_as_a_number():
    for function in (lambda x: np.sin(x) * x[...], lambda x: x[...] * x[()], lambda x: x[()] ** x):
        gradient = symtape.record(symtape.grad(function), np.array(1.5))
        (found,) = NumpySource(optimise_graph(gradient), "f")(np.float64(1.25))
        assert type(found) is np.float64
        assert bits(found) == bits(gradient.evaluate(1.25)[0])


def test_an_index_is_told_from_one_of_another_type():
    gradient = symtape.record(symtape.grad(lambda x: x[-1] * x[np.int32(-1)]), HARD)
    assert_same(gradient, optimise_graph(gradient), np.linspace(-1, 1, 8))


def check_random(program):
    """Each pass alone, all together, and the code made of them."""
    with np.errstate(all="ignore"):  # slopes are infinite at some points
        derivative = symtape.differentiate(program.graph)
    for graph in (program.graph, derivative):
        alike = assert_near if CONTRACTIONS & set(names(graph)) else assert_same
        for one in PASSES:
            alike(graph, rewritten(graph, [one.rule]), *program.point)
        alike(graph, rewritten(graph, (), last=put_sums_of_slices), *program.point)
        best = optimise_graph(graph)
        alike(graph, best, *program.point)
        with patch.object(planning, "SMALLEST", 1):
            run = NumpySource(best, "program")
        for _ in range(2):
            alike(graph, _Written(run), *program.point)


class _Written(NamedTuple):
    """Code, asked as a graph is."""

    run: NumpySource

    def evaluate(self, *point):
        return self.run(*map(_plain, point))


def _plain(x):
    return np.ascontiguousarray(x) if np.ndim(x) else np.float64(x)


@pytest.mark.long
@given(programs())
@settings(max_examples=60, derandomize=True, deadline=None)
def test_random_programs_keep_every_bit(program):
    check_random(program)


@pytest.mark.campaign
@given(programs())
@settings(max_examples=20_000, derandomize=True, deadline=None)
def test_many_random_programs_keep_every_bit(program):
    check_random(program)
