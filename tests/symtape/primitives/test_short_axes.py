"""Reductions and running totals along short axes give the bits that NumPy gives."""

import numpy as np
import pytest

from symtape.primitives.axes import accumulate_array, reduce_array

SHAPES = [
    ((4096, 2), 1),
    ((300, 7), 1),
    ((64, 64, 3), 2),
    ((64, 64, 3), 1),
    ((100, 10, 10), 1),
    ((40, 40, 2, 4), 2),
    # Too short, or nothing to gain.
    ((5, 3), 1),
    ((300, 8), 1),
    ((0, 3), 1),
    ((300, 0, 2), 1),
    ((300, 1), 1),
    ((3,), 0),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64, np.bool_])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("ufunc", [np.add, np.maximum, np.minimum])
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_reductions_are_those_of_numpy(ufunc, shape, axis, keepdims, dtype):
    x = (np.random.default_rng(7).normal(size=shape) * 10).astype(dtype)
    if not shape[axis] and ufunc is not np.add:
        pytest.skip("NumPy refuses it")
    result = reduce_array(ufunc, x, (axis,), keepdims)
    expected = ufunc.reduce(x, axis=axis, keepdims=keepdims)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape", [(4096, 3), (200, 4, 4), (200, 20, 4)])
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0])
@pytest.mark.parametrize("ufunc", [np.add, np.maximum, np.minimum])
def test_what_is_not_finite_and_the_sign_of_zero_are_kept(ufunc, special, shape):
    x = np.full(shape, -0.0)
    x[::7, 1] = special
    result, expected = reduce_array(ufunc, x, (1,), False), ufunc.reduce(x, axis=1)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


@pytest.mark.parametrize("ufunc", [np.add, np.maximum, np.minimum])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [(1,), (3,), (5,), (3, 5), (0, 5)])
def test_arrays_that_lie_otherwise_in_memory(ufunc, keepdims, axis):
    x = np.random.default_rng(1).normal(size=(9, 27, 27, 16)).transpose(0, 3, 1, 2)
    x = x[:, :, :26, :26].reshape((9, 16, 13, 2, 13, 2))
    wanted = ufunc.reduce(x, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(reduce_array(ufunc, x, axis, keepdims), wanted)
    tall = np.random.default_rng(1).normal(size=(3, 4096)).T
    wanted = ufunc.reduce(tall, axis=1, keepdims=keepdims)
    np.testing.assert_array_equal(reduce_array(ufunc, tall, (1,), keepdims), wanted)


def test_the_argument_is_not_written_into():
    x = np.ones((4096, 3))
    reduce_array(np.add, x, (1,), False)
    assert (x == 1).all()


LONG_SHAPES = [
    ((2000, 7), 1),
    ((7, 2000), 0),
    ((30, 5, 40, 30), 1),
    # Nothing to gain.
    ((20, 5), 1),
    ((2000, 70), 1),
    ((2000, 20, 2), 1),
    ((0, 3), 0),
    ((2000, 0), 1),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int8, np.bool_])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply])
@pytest.mark.parametrize(("shape", "axis"), LONG_SHAPES)
def test_running_totals_are_those_of_numpy(ufunc, shape, axis, dtype):
    given = (np.random.default_rng(7).normal(size=shape) * 10).astype(dtype)
    for x in (given, np.flip(given, axis), given.T.copy().T):
        with np.errstate(over="ignore"):
            result, expected = accumulate_array(ufunc, x, axis), ufunc.accumulate(x, axis)
        assert result.dtype == expected.dtype
        assert result.tobytes() == expected.tobytes()
        if x.size:
            assert result.strides == expected.strides


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply])
def test_running_totals_keep_what_is_not_finite_and_the_sign_of_zero(ufunc, special):
    x = np.full((4, 2000), -0.0)
    x[1, ::7] = special
    with np.errstate(invalid="ignore"):
        result, expected = accumulate_array(ufunc, x, 0), ufunc.accumulate(x, 0)
    assert result.tobytes() == expected.tobytes()
