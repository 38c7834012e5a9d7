"""Cotangents that several operations share, or that slices add to, are changed for nobody else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.numeric import batch
from symtape.primitives.indexing import add_at

SIZE = 6
INDICES = (
    slice(1, None),
    slice(None, -1),
    slice(None, None, 2),
    slice(None, None, -1),
    2,
    -1,
    Ellipsis,
    (slice(2, 4),),
    (None, slice(1, 3)),
    np.array([0, 0, 3]),
    np.array([1, 0, 0, 1, 0, 1], bool),
)

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["slice", "add", "square", "turn", "alias"]),
        st.integers(0, 20),
        st.integers(0, 20),
        st.integers(0, len(INDICES) - 1),
    ),
    min_size=2,
    max_size=9,
)


def program(steps):
    """A function of a vector by slices of what it has, sums of them, and names for one value."""

    def function(x):
        vectors, total = [x], 0.0
        for kind, first, second, which in steps:
            a, b = vectors[first % len(vectors)], vectors[second % len(vectors)]
            if kind == "slice":
                part = a[INDICES[which]]
                total = total + np.sum(part * (part + which)) + np.sum(a[INDICES[which]])
            elif kind == "add":
                vectors.append(a + b)
            elif kind == "square":
                vectors.append(a * b)
            elif kind == "turn":
                vectors.append(a[::-1] - b)
            else:
                vectors.append(+a)
        return total + np.sum(vectors[-1])

    return function


@pytest.mark.long
@given(STEPS)
@settings(derandomize=True, max_examples=150, deadline=None)
def test_the_sweep_agrees_with_the_recorded_one_and_with_forward_mode(steps):
    """On small whole numbers nothing rounds, so that an entry counted twice is seen at once."""
    function = program(steps)
    x = np.array([1.0, -2.0, 0.0, 3.0, 1.0, -1.0])
    before = x.copy()
    gradient = symtape.grad(function)(x)
    # Recorded, every sum is an array of its own, and so is every array of zeros.
    with symtape.GradientTape():
        watched = symtape.constant(x)
        recorded = symtape.grad(function)(watched).numpy()
    pushed = [symtape.jvp(function, (x,), (unit,))[1] for unit in np.eye(SIZE)]
    np.testing.assert_array_equal(gradient, recorded)
    np.testing.assert_array_equal(gradient, pushed)
    np.testing.assert_array_equal(gradient, symtape.grad(function)(x))
    np.testing.assert_array_equal(x, before)


@given(STEPS)
@settings(derandomize=True, max_examples=60, deadline=None)
def test_rows_of_a_jacobian_are_the_gradients_of_its_outputs(steps):
    function = program(steps)

    def outputs(x):
        return np.stack([function(x), function(x[::-1]), np.sum(x[1:] * x[:-1]) + function(2 * x)])

    x = np.array([1.0, -2.0, 0.0, 3.0, 1.0, -1.0])
    rows = [symtape.grad(lambda x, k=k: outputs(x)[k])(x) for k in range(3)]
    np.testing.assert_array_equal(symtape.jacobian(outputs)(x), rows)


def test_slices_are_added_where_they_are_taken_once():
    for index in INDICES:
        total = np.zeros(SIZE)
        part = np.zeros(SIZE)[index] + 1.0
        expected = np.zeros(SIZE)
        np.add.at(expected, index, part)
        if add_at(total, index, part):
            np.testing.assert_array_equal(total, expected)
        else:
            assert isinstance(index, np.ndarray)
            np.testing.assert_array_equal(total, 0.0)
    assert not add_at(np.zeros(SIZE, np.float32), slice(2), np.ones(2))
    assert not batch.add_to(np.zeros(SIZE), slice(2), batch.Batch(np.ones((1, 2))))
