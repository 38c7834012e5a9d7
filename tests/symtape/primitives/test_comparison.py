import numpy as np
import pytest

import symtape
from symtape.primitives import comparison, steps
from symtape.primitives.primitive import Primitive

ROWS = {
    row.name: row
    for module in (comparison, steps)
    for row in vars(module).values()
    if isinstance(row, Primitive) and not any(row.rules)
}
A = np.array([[0.5, -1.0, 2.0], [0.5, 3.0, -2.0]])
B = np.array([0.5, 2.0, -3.0])


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_is_not_differentiable_but_replayed_by_a_recording(row):
    first = row.example[0] if isinstance(row.example[0], tuple) else row.example
    params = row.example[1] if isinstance(row.example[0], tuple) else {}
    arrays = [np.asarray(x) for x in first]
    tensors = [symtape.constant(x) for x in arrays]
    with symtape.GradientTape() as tape:
        for tensor in tensors:
            if tensor.dtype.kind == "f":
                tape.watch(tensor)
        y = row(*tensors, **params) * 1.0
    assert y.dtype == np.float64
    watched = [tensor for tensor in tensors if tensor.dtype.kind == "f"]
    assert tape.gradient(y, watched) == [None] * len(watched)
    np.testing.assert_array_equal(y.numpy(), row.evaluate(*arrays, **params) * 1.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a > 1.0,
        lambda a, b: (a > 0) & ~(b > 0) | (a > b) ^ (b > 1),
        lambda a, b: np.logical_xor(a > 0, np.logical_not(b > 0)),
        lambda a, b: np.logical_and(a, b > 0),
        lambda a, b: np.isclose(a, b),
        lambda a, b: np.any(a > b),
        lambda a, b: np.all(a > b, axis=1, keepdims=True),
        lambda a, b: np.any(a, axis=0, where=a > 0),
        lambda a, b: np.all(a, where=a > 0),
        lambda a, b: (a > b).any(axis=-1),
        lambda a, b: np.count_nonzero(a > b, axis=1),
        lambda a, b: np.argmax(a),
        lambda a, b: np.argmax(a, keepdims=True),
        lambda a, b: np.argmin(a, axis=1, keepdims=True),
        lambda a, b: a.argmin(axis=0),
    ],
)
def test_on_tensors_and_in_replays_as_on_arrays(function):
    expected = function(A, B)
    found = function(symtape.constant(A), symtape.constant(B)).numpy()
    np.testing.assert_array_equal(found, expected)
    assert np.shape(found) == np.shape(expected)
    graph = symtape.record(lambda a, b: function(a, b) * 1.0, A, B)
    np.testing.assert_array_equal(graph.evaluate(-A, B + 1)[0], function(-A, B + 1) * 1.0)


@pytest.mark.parametrize("function", [np.allclose, np.array_equal])
def test_of_whole_arrays(function):
    a = symtape.constant(A)
    assert function(a, A) is True
    assert function(a, A + 1) is False


def test_isclose_has_nan_equal_on_request():
    a = symtape.constant([np.nan, 1.0, np.inf])
    assert np.isclose(a, a).numpy().tolist() == [False, True, True]
    assert np.isclose(a, a, equal_nan=True).numpy().tolist() == [True, True, True]


@pytest.mark.parametrize(
    ("row", "point", "expected"),
    [
        (steps.FLOOR, [1.0, 1.5, 0.0], [True, False, True]),
        (steps.TRUNC, [1.0, 1.5, 0.0], [True, False, False]),
        (steps.RINT, [1.0, 1.5, 0.0], [False, True, False]),
        (steps.SIGN, [1.0, -1.5, 0.0], [False, False, True]),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_kinks_are_where_it_jumps(row, point, expected):
    point = np.array(point)
    np.testing.assert_array_equal(row.kinks(point), expected)
    jumps = row.evaluate(point - 2.0**-40) != row.evaluate(point + 2.0**-40)
    np.testing.assert_array_equal(jumps, expected)


@pytest.mark.parametrize("name", ["any", "all", "argmax", "argmin"])
def test_writing_into_an_array_is_refused(name):
    with pytest.raises(TypeError, match="out"):
        getattr(np, name)(symtape.constant(A), out=np.zeros(()))
