"""Elements that whole numbers of a call look up, and that are added to, in machine code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape

pytest.importorskip("llvmlite", reason="llvmlite is missing; pip install 'symtape[llvm]'")

from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.lookups import Lookup
from symtape.programs.compiled.segments import Segment


def looked_up(x, *numbers):
    return np.sum(x[numbers] * x[numbers])


def looked_up_by_floats(x, *numbers):
    return looked_up(x, *(k.astype(int) for k in numbers))


def fused(function, *args):
    graph = symtape.record(function, *args)
    return graph, FusedSource(graph, "f", exact=False)


def kinds(program):
    for loop in program.loops:
        steps = loop.steps if isinstance(loop, Segment) else ()
        yield type(loop)
        yield from (type(step.kernel) for step in steps)


@settings(deadline=None, max_examples=30)
@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    indexed=st.integers(1, 3),
    count=st.lists(st.integers(1, 7), min_size=1, max_size=2),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_are_those_of_numpy_to_the_bit(shape, indexed, count, seed):
    random = np.random.default_rng(seed)
    indexed = min(indexed, len(shape))
    x = random.normal(size=shape)
    numbers, others = (
        [random.integers(-n, n, count).astype(float) for n in shape[:indexed]] for _ in range(2)
    )
    slopes = symtape.grad(looked_up_by_floats, argnums=0)
    graph, program = fused(slopes, x, *numbers)
    assert Lookup in set(kinds(program))
    for given_numbers in (numbers, others):
        [expected] = graph.evaluate(x, *given_numbers)
        [found] = program(x, *given_numbers)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("beyond", [4, -5, 2**40])
def test_a_number_beyond_an_axis_is_refused_in_words_of_numpy(beyond):
    x, numbers = np.arange(4.0), np.array([0, 3, -4])
    compiled = symtape.jit(symtape.grad(looked_up, argnums=0))
    compiled(x, numbers)
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(x, np.array([0, beyond, 1]))


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([0, 3, -4], np.int32),
        np.array([0, 1, 3, 2, -4])[::2],
        np.array([True, False, True, True]),
        np.array([[0, 1], [2, 3]]).T,
    ],
)
def test_numbers_that_lie_otherwise_are_looked_up_by_numpy(numbers):
    x = np.linspace(0.5, 2.0, 4)
    slopes = symtape.grad(looked_up, argnums=0)
    compiled = symtape.jit(slopes)
    for given_numbers in (np.array([0, 3, -4]), numbers, numbers.copy()):
        np.testing.assert_allclose(compiled(x, given_numbers), slopes(x, given_numbers))


def test_computed_numbers_are_looked_up():
    def blend(image, shift):
        at = np.arange(1.0, 15.0) + shift[0]
        low = np.floor(at).astype(int)
        part = at - low
        return np.sum((image[low] * (1 - part) + image[low + 1] * part) ** 2)

    image, shift = np.sin(np.arange(16.0)), np.array([0.3])
    slopes = symtape.grad(blend, argnums=(0, 1))
    _, program = fused(slopes, image, shift)
    assert Lookup in set(kinds(program))
    compiled = symtape.jit(slopes)
    for move in (0.3, 0.7, -0.9):
        for found, expected in zip(
            compiled(image, shift * 0 + move), slopes(image, shift * 0 + move), strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    "rows",
    [np.array([[0, 0, 0], [1, 1, 1]]), np.array([[0], [1]]), np.array([1, 0, -1]), -1],
    ids=["whole", "column", "row", "number"],
)
def test_numbers_beside_constant_ones_are_looked_up(rows):
    def picked(x, numbers):
        return np.sum(x[rows, numbers.astype(int)] ** 2)

    x, numbers = np.arange(6.0).reshape(2, 3), np.array([[0.0, 1, 2], [2, 1, 0]])
    slopes = symtape.grad(picked, argnums=0)
    _, program = fused(slopes, x, numbers)
    assert Lookup in set(kinds(program))
    compiled = symtape.jit(slopes)
    for given_numbers in (numbers, numbers[::-1] - 1):
        found, expected = compiled(x, given_numbers), slopes(x, given_numbers)
        np.testing.assert_array_equal(found, expected)


def test_numbers_beside_slices_are_looked_up_by_numpy():
    def picked(x, numbers):
        return np.sum(x[:, numbers.astype(int)] ** 2)

    x, numbers = np.arange(6.0).reshape(2, 3), np.array([[0.0, 1, 2], [2, 1, 0]])
    slopes = symtape.grad(picked, argnums=0)
    np.testing.assert_array_equal(symtape.jit(slopes)(x, numbers), slopes(x, numbers))


def test_a_loop_that_looks_numbers_up_is_one_call():
    places, heights = np.linspace(0.0, 4.0, 9), np.cos(np.arange(9.0))

    def settle(start):
        y = start
        for _ in range(30):
            y = y + 0.1 * np.interp(y[0], places, heights) * np.array([1.0, -0.5, 0.2, 0.1])
        return np.sum(y**2)

    slopes = symtape.grad(settle)
    compiled = symtape.jit(slopes)
    for first in (0.3, 1.9, 5.0, -1.0):
        start = np.array([first, 1.0, 2.0, 3.0])
        np.testing.assert_allclose(compiled(start), slopes(start), rtol=1e-13, atol=1e-14)
    (source,) = compiled.sources
    assert source.count("loop") == 1
    assert "row_getitem_by" not in source


def test_an_element_beyond_an_axis_is_refused_in_words_of_numpy():
    table = np.arange(5.0)

    def f(x):
        at = np.sum(x).astype(int)
        return np.sum(np.exp(x)) * table[at]

    compiled = symtape.jit(symtape.grad(f))
    x = np.full(8, 0.5)
    np.testing.assert_allclose(compiled(x), np.exp(x) * 4.0)
    np.testing.assert_allclose(compiled(-x), np.exp(-x) * 1.0)
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(x * 2)
