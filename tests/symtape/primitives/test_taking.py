from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape

AT = np.array([[1, 0], [1, 1]])

MOVES = [
    ("take", lambda x: np.take(x, [3, 0, 3]), (2, 3)),
    ("take along an axis", lambda x: np.take(x, AT, axis=1), (2, 2)),
    ("take one", lambda x: np.take(x, 1, axis=-1), (2, 2)),
    ("take around", lambda x: np.take(x, [-7, 8], mode="wrap"), (2, 3)),
    ("take to the edge", lambda x: np.take(x, [-7, 8], mode="clip"), (2, 3)),
    ("method take", lambda x: x.take([1, 1], axis=0), (2, 3)),
    ("take_along_axis", lambda x: np.take_along_axis(x, AT, 1), (2, 3)),
    ("take_along_axis flat", lambda x: np.take_along_axis(x, AT[0], None), (2, 3)),
    ("compress", lambda x: np.compress([True, False, True], x, axis=1), (2, 3)),
    ("compress short", lambda x: np.compress([False, True], x), (2, 3)),
    ("extract", lambda x: np.extract(np.array([[1, 0, 1], [0, 0, 1]]), x), (2, 3)),
    ("delete", lambda x: np.delete(x, [0, 2]), (2, 2)),
    ("delete a slice", lambda x: np.delete(x, slice(1, None), axis=1), (2, 3)),
    ("delete the last", lambda x: np.delete(x, -1, axis=0), (2, 3)),
    ("insert a number", lambda x: np.insert(x, 1, 9.0), (3,)),
    ("insert its own", lambda x: np.insert(x, [0, 3], x[:2]), (3,)),
    ("insert a row", lambda x: np.insert(x, 1, x[0] * 2, axis=0), (2, 3)),
    ("insert a column", lambda x: np.insert(x, 1, x[:, 0] * 2, axis=1), (2, 3)),
    ("insert columns", lambda x: np.insert(x, [1, 1], x[:, :2] * 2, axis=1), (2, 3)),
]


@pytest.mark.parametrize(("name", "move", "shape"), MOVES, ids=[m[0] for m in MOVES])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_moves_are_exact_to_second_order(name, move, shape, dtype, values, assert_affine):
    assert_affine(move, values(shape, dtype))


@settings(max_examples=25, derandomize=True, deadline=None)
@given(data=st.data(), shape=hnp.array_shapes(min_dims=1, max_dims=3, max_side=3))
def test_take_along_any_axis(data, shape, values, assert_affine):
    axis = data.draw(st.integers(0, len(shape) - 1))
    count = data.draw(st.integers(0, 4))
    at = data.draw(
        hnp.arrays(
            np.int64,
            (*shape[:axis], count, *shape[axis + 1 :]),
            elements=st.integers(-shape[axis], shape[axis] - 1),
        )
    )
    assert_affine(lambda x: np.take_along_axis(x, at, axis), values(shape))
    assert_affine(lambda x: np.take(x, at.ravel(), axis), values(shape))


def test_searches_are_numpys_and_constant():
    data = np.array([[0.0, 2.0], [3.0, 0.0]])
    x = symtape.constant(data)
    for found, expected in zip(np.nonzero(x), np.nonzero(data), strict=True):
        np.testing.assert_array_equal(found.numpy(), expected)
    np.testing.assert_array_equal(np.argwhere(x).numpy(), np.argwhere(data))
    np.testing.assert_array_equal(np.flatnonzero(x).numpy(), np.flatnonzero(data))
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x[np.nonzero(x)])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), data != 0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: np.take(x, 0, mode="fold"), ValueError, "mode='fold'"),
        (lambda x: np.take(x, 0, out=np.zeros(())), TypeError, "out=..."),
        (lambda x: np.take_along_axis(x, np.array([0]), 0), ValueError, "as many axes"),
    ],
)
def test_errors_say_what_was_given(call, error, words):
    with pytest.raises(error, match=words):
        call(symtape.constant(np.ones((2, 3))))


OWN_PLACES = {
    "the largest": lambda x: np.delete(x, np.argmax(x)),
    "from behind": lambda x: np.delete(x, np.argmax(x) - 3),
    "several": lambda x: np.delete(x, np.argsort(x)[:2]),
    "by a mask": lambda x: np.delete(x, x > 1.5),
    "a row": lambda x: np.delete(np.outer(x, x), np.argmin(x), axis=0),
    "of a constant": lambda x: np.delete(np.arange(3.0), np.argmax(x)) * x[0],
    "an insertion": lambda x: np.insert(np.arange(3.0), np.argmax(x), x[0]),
}


@pytest.mark.parametrize("name", OWN_PLACES)
def test_places_that_values_choose(name):
    move = OWN_PLACES[name]
    for point in ([3.0, 1.0, 2.0], [0.5, 1.0, 2.0], [-1.0, 4.0, 1.75]):
        x = np.array(point)
        jacobian = symtape.jacobian(move)(x)
        for k, step in enumerate(1e-6 * np.eye(3)):
            slope = (move(x + step) - move(x - step)) / 2e-6
            np.testing.assert_allclose(jacobian[..., k], slope, atol=1e-8)


def test_deleting_beyond_the_end_is_refused():
    with pytest.raises(IndexError):
        symtape.grad(lambda x: np.sum(np.delete(x, np.argmax(x) + 3)))(np.array([1.0, 3.0]))


@pytest.mark.parametrize("trim", ["fb", "f", "b", "FB"])
@pytest.mark.parametrize("given", [[0, 0, 3, 1, 0, 2, 0], [0, 0], [1, 2], [], [0, 5]])
def test_trimming_zeros(given, trim):
    array = np.array(given, dtype=float)
    x = symtape.constant(array)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.trim_zeros(x, trim)
    expected = np.trim_zeros(array, trim)
    np.testing.assert_array_equal(y.numpy(), expected)
    jacobian = tape.jacobian(y, x).numpy()
    np.testing.assert_array_equal(jacobian @ array, expected)
    np.testing.assert_array_equal(jacobian.sum(axis=1), np.ones(len(expected)))


def test_trimming_a_matrix_is_refused():
    with pytest.raises(ValueError, match="expected a vector"):
        np.trim_zeros(symtape.constant([[0.0, 1.0]]))
