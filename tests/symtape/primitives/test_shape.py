from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
FEW = settings(max_examples=20, derandomize=True, deadline=None)

MOVES = [
    ("reshape", lambda x: np.reshape(x, (3, 4)), (2, 6)),
    ("reshape with -1", lambda x: np.reshape(x, (3, -1)), (2, 6)),
    ("reshape in Fortran's order", lambda x: np.reshape(x, (3, 4), order="F"), (2, 6)),
    ("reshape to a scalar", lambda x: np.reshape(x, ()), (1, 1)),
    ("ravel", np.ravel, (2, 3)),
    ("ravel in Fortran's order", lambda x: np.ravel(x, order="F"), (2, 3)),
    ("method reshape", lambda x: x.reshape(3, 2), (2, 3)),
    ("method flatten", lambda x: x.flatten(), (2, 3)),
    ("method transpose", lambda x: x.transpose(2, 0, 1), (2, 3, 1)),
    ("T", lambda x: x.T, (2, 3)),
    ("mT", lambda x: x.mT, (2, 3, 1)),
    ("permute_dims", lambda x: np.permute_dims(x, (1, 0)), (2, 3)),
    ("matrix_transpose", np.matrix_transpose, (2, 2, 3)),
    ("swapaxes", lambda x: np.swapaxes(x, 0, -1), (2, 1, 3)),
    ("moveaxis", lambda x: np.moveaxis(x, (0, 2), (-1, 0)), (2, 1, 3)),
    ("rollaxis", lambda x: np.rollaxis(x, 2, 1), (2, 1, 3)),
    ("squeeze", np.squeeze, (1, 2, 1)),
    ("squeeze of an axis", lambda x: np.squeeze(x, -1), (1, 2, 1)),
    ("expand_dims", lambda x: np.expand_dims(x, (0, -1)), (2, 3)),
    ("atleast_1d", np.atleast_1d, ()),
    ("atleast_2d", np.atleast_2d, (3,)),
    ("atleast_3d", np.atleast_3d, (3,)),
    ("broadcast_to", lambda x: np.broadcast_to(x, (2, 2, 3)), (2, 1)),
    ("broadcast_to of a scalar", lambda x: np.broadcast_to(x, (2, 3)), ()),
    ("broadcast_to in large", lambda x: np.broadcast_to(x, (5000, 1))[:3], (1,)),
    ("broadcast_arrays", lambda x: np.broadcast_arrays(x, np.ones((2, 3)))[0], (3,)),
    ("meshgrid", lambda x: np.meshgrid(x, np.arange(2.0))[0], (3,)),
    ("meshgrid by ij", lambda x: np.meshgrid(np.arange(2.0), x, indexing="ij")[1], (3,)),
    ("copy", np.copy, (2, 2)),
]


@pytest.mark.parametrize(("name", "move", "shape"), MOVES, ids=[m[0] for m in MOVES])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_moves_are_exact_to_second_order(name, move, shape, dtype, values, assert_affine):
    assert_affine(move, values(shape, dtype))


@FEW
@given(data=st.data(), shape=SHAPES)
def test_transpose_of_any_order(data, shape, values, assert_affine):
    axes = data.draw(st.permutations(range(len(shape))))
    assert_affine(lambda x: np.transpose(x, axes), values(shape))


@FEW
@given(shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_broadcasting_of_any_shape(shapes, values, assert_affine):
    assert_affine(lambda x: np.broadcast_to(x, shapes.result_shape), values(shapes.input_shapes[0]))


@FEW
@given(data=st.data(), shape=SHAPES)
def test_expand_dims_then_squeeze(data, shape, values, assert_affine):
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    assert_affine(lambda x: np.expand_dims(x, axis), values(shape))
    assert_affine(lambda x: np.squeeze(np.expand_dims(x, axis), axis), values(shape))


def test_shape_ndim_size_are_plain():
    x = symtape.constant(np.ones((2, 3)))
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)


@pytest.mark.parametrize("like", [np.zeros_like, np.ones_like, lambda x: np.full_like(x, 2.5)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_filled_arrays_are_constant(like, dtype):
    x = symtape.constant(np.ones((2, 3), dtype))
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = like(x)
        z = np.sum(x * y)
    np.testing.assert_array_equal(y.numpy(), like(np.ones((2, 3), dtype)))
    assert y.dtype == dtype
    np.testing.assert_array_equal(tape.gradient(z, x).numpy(), y.numpy())


def test_full_like_follows_its_value():
    x = symtape.constant(3.0)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.full_like(np.zeros((2, 3)) * x, x)
    assert y.shape == (2, 3)
    assert tape.gradient(y, x).numpy() == 6


@pytest.mark.parametrize(
    ("there", "differentiable"),
    [(np.float32, True), (np.float16, True), (np.int64, False), (bool, False)],
)
def test_a_cast_is_cut_by_integers_alone(there, differentiable):
    x = symtape.constant([1.5, -2.0])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = x.astype(there)
        z = np.sum(y.astype(np.float64) * [2.0, 3.0])
    np.testing.assert_array_equal(y.numpy(), np.array([1.5, -2.0]).astype(there))
    gradient = tape.gradient(z, x)
    if differentiable:
        assert gradient.dtype == np.float64
        np.testing.assert_array_equal(gradient.numpy(), [2.0, 3.0])
    else:
        assert gradient is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.reshape(x, (4, 2)), "cannot reshape array of size 6"),
        (lambda x: np.reshape(x, (4, -1)), "cannot reshape an array of 6 elements"),
        (lambda x: np.ravel(x, order="K"), "order='K' depends on how an array lies in memory"),
        (lambda x: np.squeeze(x, 0), "axis 0: its length is 2, expected 1"),
        (lambda x: np.transpose(x, (0,)), "does not name each of the 2 axes"),
        (lambda x: np.moveaxis(x, (0, 1), 0), "equally many axes"),
    ],
)
def test_errors_say_what_was_given(call, words):
    with pytest.raises(ValueError, match=words):
        call(symtape.constant(np.ones((2, 3))))
