"""The reverse sweep: broadcasting undone, cotangents added, edges walked or drained."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from symtape import GradientTape, Variable
from symtape.numeric.batch import Batch, basis, unbatch
from symtape.numeric.reverse import WIDTH, drain_edges, sum_to, walk_edges


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3))
@settings(derandomize=True, max_examples=150, deadline=None)
def test_sum_to_is_the_transpose_of_broadcasting(shapes):
    """<broadcast(x), g> = <x, sum_to(g)> on whole numbers, where nothing rounds."""
    shape, result = shapes.input_shapes[0], shapes.result_shape
    rng = np.random.default_rng(0)
    x = rng.integers(-9, 9, shape).astype(float)
    g = rng.integers(-9, 9, result).astype(float)
    back = np.asarray(sum_to(g, shape))
    assert back.shape == shape
    assert np.sum(np.broadcast_to(x, result) * g) == np.sum(x * back)


@pytest.mark.parametrize(
    ("shape", "wide"),
    [
        ((40, 1, 3), (40, 30, 3)),
        ((1, 5), (500, 5)),
        ((8, 1, 1, 4), (8, 9, 7, 4)),
        ((2, 1, 4), (30, 2, 9, 4)),
        ((30, 1, 31), (30, 2, 31)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_large_sums_over_axes_in_the_middle_are_those_of_numpy(shape, wide, dtype):
    g = np.random.default_rng(0).integers(-9, 9, wide).astype(dtype)
    g[(0,) * len(wide)] = np.inf
    back = sum_to(g, shape)
    extra = len(wide) - len(shape)
    axes = tuple(k for k, n in enumerate((*(0,) * extra, *shape)) if n != wide[k])
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, np.add.reduce(g, axis=axes).reshape(shape))


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
@settings(derandomize=True, max_examples=100, deadline=None)
def test_broadcasting_operations_have_gradients_of_the_shapes_of_their_inputs(shapes):
    a, b = (Variable(np.full(shape, 2.0)) for shape in shapes.input_shapes)
    with GradientTape(persistent=True) as tape:
        y = a * b
    for source in (a, b):
        count = y.size / max(source.size, 1)
        g = tape.gradient(y, source)
        assert g.shape == source.shape
        np.testing.assert_array_equal(g.numpy(), np.full(source.shape, 2.0 * count))
        j = tape.jacobian(y, source)
        assert j.shape == y.shape + source.shape
        np.testing.assert_array_equal(np.sum(j.numpy(), axis=tuple(range(y.ndim))), g.numpy())


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_edges_come_last_first_and_whole(count):
    edges = [(number, item) for number in range(count) for item in range(WIDTH)]
    expected = [[(number, item) for item in range(WIDTH)] for number in reversed(range(count))]
    kept = list(edges)
    assert [list(edge)[::-1] for edge in walk_edges(kept)] == expected
    assert kept == edges
    assert [list(edge)[::-1] for edge in drain_edges(kept)] == expected
    assert kept == []


def test_a_long_chain_needs_no_recursion():
    x = Variable(1.0)
    with GradientTape() as tape:
        y = x
        for _ in range(20_000):
            y = y + x
    assert tape.gradient(y, x).numpy() == 20_001.0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30))
@settings(derandomize=True, max_examples=100, deadline=None)
def test_random_graphs_of_sums_count_their_paths(pairs):
    """With additions alone the gradient is the number of paths to the source."""
    x = Variable(1.0)
    paths = [1]
    with GradientTape() as tape:
        values = [x]
        for a, b in pairs:
            i, j = a % len(values), b % len(values)
            values.append(values[i] + values[j])
            paths.append(paths[i] + paths[j])
    assert tape.gradient(values[-1], x).numpy() == paths[-1]


def test_basis_and_unbatch():
    units = basis((2, 2), np.dtype(np.float32))
    assert units.shape == (4, 2, 2)
    assert units.dtype == np.float32
    np.testing.assert_array_equal(units.reshape(4, 4), np.eye(4))
    assert basis((), np.dtype(float)).shape == (1,)
    assert basis((0, 3), np.dtype(float)).shape == (0, 0, 3)
    np.testing.assert_array_equal(unbatch(np.ones(2), 3), np.ones((3, 2)))
    assert unbatch(Batch(units), 4) is units
