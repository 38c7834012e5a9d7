"""Operations on int64 in loops have the bits of NumPy's."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape

pytest.importorskip("llvmlite", reason="llvmlite is missing; pip install 'symtape[llvm]'")

from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.integers import INTEGERS

OPERATIONS = {
    "add": lambda j, k: j + k,
    "add a number": lambda j, k: j + 7,
    "subtract": lambda j, k: j - 3 * k,
    "negative": lambda j, k: -j,
    "maximum": np.maximum,
    "minimum": lambda j, k: np.minimum(j, 2),
    "clip": lambda j, k: np.clip(j, -1, 3),
    "remainder": lambda j, k: j % 5,
    "floor_divide": lambda j, k: j // 3,
    "where": lambda j, k: np.where(j > k, j, k + 1),
    "compared": lambda j, k: np.where((j <= k) & (j != 4) | (k >= 2) ^ (j < 0) | (k == j), j, -k),
    "of truths": lambda j, k: j + (j > k).astype(int),
}
LEFT_TO_NUMPY = {
    "by zero": lambda j, k: np.where(k > 0, j % np.where(k > 0, k, 1), 0),
    "a power": lambda j, k: j * j + k**2,
    "small": lambda j, k: (j.astype(np.int32) + 1).astype(int),
    "with truths": lambda j, k: j + (j > k),
}


def programs_of(operation):
    """What takes whole numbers in, computes with them, and mixes them with floats."""

    def function(x, y):
        j, k = np.floor(x).astype(int), y.astype(int)
        for _ in range(2):
            j = operation(j, k)
        return np.sin(x) * j + np.where(j > y, j, 0.5 * k) * (x - j) / (1 + (k - j) ** 2)

    return function


def compile_loops(function, *args):
    graph = symtape.record(function, *args)
    return graph, FusedSource(graph, "f", exact=True)


@pytest.mark.parametrize("name", [*OPERATIONS, *LEFT_TO_NUMPY])
@settings(deadline=None, max_examples=15, derandomize=True)
@given(size=st.sampled_from([1, 2, 5, 8, 9, 40]), seed=st.integers(0, 2**32 - 1))
def test_results_are_those_of_numpy_to_the_bit(name, size, seed):
    random = np.random.default_rng(seed)
    function = programs_of({**OPERATIONS, **LEFT_TO_NUMPY}[name])
    x, y, z, w = random.uniform(-9, 9, (4, size))
    graph, program = compile_loops(function, x, y)
    for args in ((x, y), (z, w), (1e17 * x, -1e17 * y), (np.full(size, 2.0**60), y)):
        (expected,), (found,) = graph.evaluate(*args), program(*args)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_call_of_numpy_is_left(name):
    x, y = np.linspace(-4, 4, 12), np.linspace(3, -2, 12)
    _, program = compile_loops(programs_of(OPERATIONS[name]), x, y)
    assert not {"row_", "np."} & set(re.findall(r"row_|np\.", program.source)), program.source


@pytest.mark.parametrize("name", OPERATIONS)
def test_whole_numbers_are_results(name):
    def function(x, y):
        return OPERATIONS[name](np.floor(x).astype(int), y.astype(int)), np.sin(x)

    x, y = np.linspace(-4, 4, 12), np.linspace(3, -2, 12)
    found = symtape.jit(function)(x, y)
    assert found[0].dtype == INTEGERS
    assert np.array_equal(found[0], function(x, y)[0])


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e300, -1e300, 2.0**63, -(2.0**63)])
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_what_no_integer_holds_is_what_numpy_makes_of_it(number):
    _, program = compile_loops(lambda x: np.maximum(x.astype(int), 1) + x, np.ones(9))
    x = np.full(9, number)
    (found,) = program(x)
    np.testing.assert_array_equal(found, np.maximum(x.astype(int), 1) + x)


def test_choices_between_truths_and_floats():
    x = np.linspace(-1.0, 2.0, 9)
    graph, program = compile_loops(lambda x: np.where(x > 0, x > 1, np.sin(x)) + x, x)
    assert program(x)[0].tobytes() == graph.evaluate(x)[0].tobytes()


def test_positions_of_an_image():
    def shifted(image, rows, columns):
        j, k = np.floor(rows).astype(int), np.floor(columns).astype(int)
        n, m = image.shape
        above, left = rows - j, columns - k
        j, k = np.clip(j, 0, n - 2), k % (m - 1)
        upper = image[j, k] * (1 - left) + image[j, k + 1] * left
        return np.sum((upper * (1 - above) + image[j + 1, k] * above) ** 2)

    random = np.random.default_rng(2)
    image, rows, columns = random.normal(size=(9, 7)), *random.uniform(-2, 8, (2, 30))
    slopes = symtape.grad(shifted, (0, 1, 2))
    compiled = symtape.jit(slopes)
    for shift in (0.0, 0.7):
        found, expected = (f(image, rows + shift, columns - shift) for f in (compiled, slopes))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)
