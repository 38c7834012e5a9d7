from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape

SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=3)
FEW = settings(max_examples=40, derandomize=True, deadline=None)
AT = np.array([1, 0, 1])
MASK = np.array([[True, False, True], [False, False, True]])

INDICES = [
    ("integer", 1, (2, 3)),
    ("negative integer", -1, (3,)),
    ("slice", slice(None, None, -1), (3,)),
    ("nothing", (), (2, 2)),
    ("a new axis", (None, Ellipsis, 0), (2, 3)),
    ("array", AT, (2, 3)),
    ("list", [2, 2, 0], (3,)),
    ("empty list", [], (3,)),
    ("array of two axes", np.array([[0, 1], [1, 1]]), (2, 2)),
    ("mask", MASK, (2, 3)),
    ("mask of rows", np.array([False, True]), (2, 3)),
    ("empty mask", np.zeros((2, 3), bool), (2, 3)),
    ("true", True, (2, 3)),
    ("false", False, (2,)),
    ("side by side", (slice(None), AT, AT), (2, 2, 2)),
    ("apart", (AT, slice(None), AT), (2, 2, 2)),
    ("apart by a new axis", (AT, None, AT), (2, 2)),
    ("apart by an ellipsis that is nothing", (AT, Ellipsis, AT), (2, 2)),
    ("integer and array apart", (0, slice(None), AT), (2, 2, 2)),
    ("array and integer at the end", (Ellipsis, AT, 1), (2, 2, 2)),
    ("integer and 0-d array apart", (0, slice(None), np.array(1)), (2, 2, 2)),
    ("mask and array apart", (np.array([True, True]), None, AT[:2]), (2, 2)),
    ("broadcast arrays", (np.array([[0], [1]]), AT), (2, 2)),
    ("outer", np.ix_([0, 1, 1], [2, 0]), (2, 3)),
]


@pytest.mark.parametrize(("name", "index", "shape"), INDICES, ids=[i[0] for i in INDICES])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_indexing_is_exact_to_second_order(name, index, shape, dtype, values, assert_affine):
    assert_affine(lambda x: x[index], values(shape, dtype))


@pytest.mark.parametrize(("name", "index", "shape"), INDICES, ids=[i[0] for i in INDICES])
def test_tensors_in_the_index_are_arrays_there(name, index, shape, values, assert_affine):
    items = index if isinstance(index, tuple) else (index,)

    def pick(x):
        if isinstance(x, np.ndarray):
            return x[index]
        return x[
            tuple(
                symtape.constant(i) if isinstance(i, np.ndarray | int) and i is not True else i
                for i in items
            )
        ]

    assert_affine(pick, values(shape))


@FEW
@given(data=st.data(), shape=SHAPES)
def test_any_basic_index(data, shape, values, assert_affine):
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    assert_affine(lambda x: x[index], values(shape))


@FEW
@given(data=st.data(), shape=SHAPES)
def test_any_mixed_index(data, shape, values, assert_affine):
    entry = [
        st.integers(-n, n - 1)
        | st.just(slice(None))
        | hnp.arrays(
            np.int64,
            data.draw(st.sampled_from([(), (2,), (3, 1)])),
            elements=st.integers(-n, n - 1),
        )
        for n in shape
    ]
    items = [data.draw(e) for e in entry]
    place = data.draw(st.integers(0, len(items)))
    items[place:place] = data.draw(st.sampled_from([[], [None], [Ellipsis]]))
    index = tuple(items)
    arrays = [i.shape for i in items if isinstance(i, np.ndarray)]
    if arrays:
        np.broadcast_shapes(*arrays)
    assert_affine(lambda x: x[index], values(shape))


@FEW
@given(data=st.data(), shape=SHAPES)
def test_any_mask(data, shape, values, assert_affine):
    mask = data.draw(hnp.arrays(bool, shape))
    assert_affine(lambda x: x[mask], values(shape))


@pytest.mark.parametrize(
    ("program", "other"),
    [
        (lambda x: x[np.argmax(x)], [3.0, 1.0, 2.0]),
        (lambda x: x[np.argsort(x)] * [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]),
        (lambda x: np.sum(x[x > 1.5]), [3.0, 1.0, 1.0]),
        (lambda x: x * np.take_along_axis(np.arange(3.0), np.argsort(x), 0), [3.0, 1.0, 2.0]),
    ],
)
def test_a_graph_looks_at_new_data(program, other):
    graph = symtape.record(program, [1.0, 2.0, 3.0])
    assert graph.escapes == ()
    (found,) = graph.evaluate(other)
    np.testing.assert_array_equal(found, program(np.array(other)))


def test_a_slice_may_end_at_a_tensor():
    x = symtape.constant([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x[: symtape.constant(2)].numpy(), [1.0, 2.0])


def test_a_float_tensor_is_no_index():
    x = symtape.constant([1.0, 2.0])
    with pytest.raises(IndexError, match="dtype float64; expected integers or booleans"):
        x[x]


def test_out_of_range_is_numpys_error():
    with pytest.raises(IndexError, match="out of bounds"):
        symtape.constant([1.0, 2.0])[2]
