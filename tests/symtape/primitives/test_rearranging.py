from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

FEW = settings(max_examples=20, derandomize=True, deadline=None)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=3)

MOVES = [
    ("flip of all", np.flip, (2, 3)),
    ("fliplr", np.fliplr, (2, 3)),
    ("flipud", np.flipud, (2, 3)),
    ("rot90", np.rot90, (2, 3)),
    ("rot90 twice", lambda x: np.rot90(x, 2), (2, 3)),
    ("rot90 back", lambda x: np.rot90(x, -1, axes=(1, 2)), (1, 2, 3)),
    ("rot90 not at all", lambda x: np.rot90(x, 4) * 1, (2, 3)),
    ("roll of all", lambda x: np.roll(x, 2), (2, 3)),
    ("roll of two axes", lambda x: np.roll(x, (1, -2), axis=(0, 1)), (2, 3)),
    ("roll one axis twice", lambda x: np.roll(x, (1, 1), axis=(1, 1)), (2, 3)),
    ("roll by one number", lambda x: np.roll(x, 1, axis=(0, 1)), (2, 3)),
    ("repeat of all", lambda x: np.repeat(x, 2), (2, 3)),
    ("repeat along", lambda x: np.repeat(x, 3, axis=-1), (2, 2)),
    ("repeat unequally", lambda x: np.repeat(x, [2, 0, 1], axis=1), (2, 3)),
    ("method repeat", lambda x: x.repeat(2, 0), (2, 2)),
    ("tile", lambda x: np.tile(x, 2), (2, 2)),
    ("tile to more axes", lambda x: np.tile(x, (2, 1, 2)), (2,)),
    ("tile fewer axes", lambda x: np.tile(x, (2,)), (1, 2, 2)),
    ("resize up", lambda x: np.resize(x, (2, 4)), (3,)),
    ("resize down", lambda x: np.resize(x, 2), (3,)),
]


@pytest.mark.parametrize(("name", "move", "shape"), MOVES, ids=[m[0] for m in MOVES])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_moves_are_exact_to_second_order(name, move, shape, dtype, values, assert_affine):
    assert_affine(move, values(shape, dtype))


@FEW
@given(data=st.data(), shape=SHAPES)
def test_flip_of_any_axes(data, shape, values, assert_affine):
    axes = data.draw(hnp.valid_tuple_axes(len(shape)))
    assert_affine(lambda x: np.flip(x, axes), values(shape))


@FEW
@given(data=st.data(), shape=SHAPES, shift=st.integers(-4, 4))
def test_roll_of_any_axes(data, shape, shift, values, assert_affine):
    axes = data.draw(hnp.valid_tuple_axes(len(shape), min_size=1))
    assert_affine(lambda x: np.roll(x, shift, axes), values(shape))


@FEW
@given(reps=st.lists(st.integers(0, 3), max_size=3), shape=SHAPES)
def test_tile_of_any_shape(reps, shape, values, assert_affine):
    assert_affine(lambda x: np.tile(x, tuple(reps)), values(shape))
