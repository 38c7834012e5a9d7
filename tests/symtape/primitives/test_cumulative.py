from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape
from symtape.primitives.cumulative import RECURRENCE

FEW = settings(max_examples=20, derandomize=True, deadline=None)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3)


@FEW
@given(data=st.data(), shape=SHAPES)
def test_cumsum_along_any_axis(data, shape, values, assert_affine):
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    assert_affine(lambda x: np.cumsum(x, axis), values(shape))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "scan",
    [
        lambda x: x.cumsum(1),
        lambda x: np.add.accumulate(x, axis=1),
        lambda x: np.cumulative_sum(x, axis=0, include_initial=True),
        lambda x: np.cumulative_sum(x, axis=-1),
        lambda x: np.nancumsum(x, axis=1),
    ],
)
def test_other_ways_to_a_running_sum(scan, dtype, values, assert_affine):
    assert_affine(scan, values((2, 3), dtype))


def leave_out(x, i, j, k):
    """Product of ``x[:k + 1]`` without its elements i and j; 0 if they are not all there."""
    if i == j or max(i, j) > k:
        return 0.0
    return float(np.prod([x[m] for m in range(k + 1) if m not in (i, j)]))


@pytest.mark.parametrize(
    "point", [[2.0, -3.0, 0.5, 4.0], [2.0, 0.0, 0.5, 4.0], [0.0, -3.0, 0.0, 4.0], [0.0], [0.0] * 3]
)
def test_cumprod_is_right_at_zeros_to_second_order(point):
    x, n = symtape.constant(point), range(len(point))
    with symtape.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = np.cumprod(x)
        jacobian = tape.jacobian(y, x)
    second = outer.jacobian(jacobian, x)
    first = [[leave_out(point, i, -1, k) for i in n] for k in n]
    np.testing.assert_array_equal(jacobian.numpy(), first)
    np.testing.assert_array_equal(
        second.numpy(), [[[leave_out(point, i, j, k) for j in n] for i in n] for k in n]
    )


@FEW
@given(data=st.data(), shape=hnp.array_shapes(min_dims=1, max_dims=3, max_side=3))
def test_cumprod_along_any_axis(data, shape, values, assert_jacobians_agree):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = values(shape)
    tensor = symtape.constant(x)
    with symtape.GradientTape() as tape:
        tape.watch(tensor)
        y = np.cumprod(tensor, axis)
    np.testing.assert_array_equal(y.numpy(), np.cumprod(x, axis))
    gradient = np.moveaxis(tape.gradient(y, tensor).numpy(), axis, -1)
    lines = np.moveaxis(x, axis, -1)
    for place in np.ndindex(lines.shape[:-1]):
        line, n = lines[place], range(lines.shape[-1])
        np.testing.assert_array_equal(
            gradient[place], [sum(leave_out(line, i, -1, k) for k in n) for i in n]
        )
    assert_jacobians_agree(lambda x: np.cumprod(x, axis), x)


@pytest.mark.parametrize(
    "scan",
    [
        lambda x: np.cumprod(x),
        lambda x: x.cumprod(0),
        lambda x: np.cumulative_prod(x, axis=1, include_initial=True),
        lambda x: np.nancumprod(x, axis=1),
        lambda x: np.multiply.accumulate(x, axis=1),
    ],
)
def test_other_ways_to_a_running_product(scan, assert_jacobians_agree):
    x = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, 1.0]], np.float32)
    y = scan(symtape.constant(x))
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y.numpy(), scan(x))
    assert_jacobians_agree(scan, x, rtol=1e-5)


@pytest.mark.parametrize("shape", [(4,), (2, 3), (0,)])
def test_the_recurrence_has_exact_derivatives(shape, values, assert_affine):
    a, b = values(shape), values(shape) + 1
    assert_affine(lambda b: RECURRENCE(a, b), b)
    if shape == (4,):
        # Linear in each element of a as well, so differences of whole numbers are exact.
        x = symtape.constant(a)
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = RECURRENCE(x, b)
        found = tape.jacobian(y, x).numpy()
        for i, unit in enumerate(np.eye(4)):
            np.testing.assert_array_equal(found[:, i], RECURRENCE(a + unit, b) - RECURRENCE(a, b))


def test_a_matrix_needs_an_axis():
    with pytest.raises(ValueError, match="axis= is needed for an array of shape"):
        np.cumulative_sum(symtape.constant(np.ones((2, 2))))
