from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape

FEW = settings(max_examples=20, derandomize=True, deadline=None)

PADS = [
    ("by one number", lambda x: np.pad(x, 1), (2, 3)),
    ("by a pair", lambda x: np.pad(x, (1, 2)), (2, 3)),
    ("with a number", lambda x: np.pad(x, ((1, 0), (2, 1)), constant_values=-4), (2, 3)),
    (
        "with a number a side",
        lambda x: np.pad(x, 1, constant_values=((1, 2), (3, 4))),
        (2, 3),
    ),
    ("with its own", lambda x: np.pad(x, 1, constant_values=x[0, 0] * 2), (2, 3)),
    ("along a ramp", lambda x: np.pad(x, (4, 2), "linear_ramp", end_values=(4, -8)), (3,)),
    ("with the mean", lambda x: np.pad(x, ((1, 0), (0, 1)), "mean"), (2, 4)),
    ("with the mean of some", lambda x: np.pad(x, 1, "mean", stat_length=2), (3, 4)),
    ("by axis", lambda x: np.pad(x, {1: (0, 2)}), (2, 3)),
]


@pytest.mark.parametrize(("name", "pad", "shape"), PADS, ids=[p[0] for p in PADS])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pads_are_exact_to_second_order(name, pad, shape, dtype, values, assert_affine):
    assert_affine(pad, values(shape, dtype))


@pytest.mark.slow
@FEW
@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    widths=st.tuples(*[st.tuples(st.integers(0, 4), st.integers(0, 4))] * 2),
)
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_any_widths(mode, shape, widths, values, assert_affine):
    assert_affine(lambda x: np.pad(x, widths, mode), values(shape))


@pytest.mark.parametrize("mode", ["maximum", "minimum"])
def test_pads_with_an_extreme(mode):
    data = np.array([[3.0, 1.0, 2.0]])
    x = symtape.constant(data)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.pad(x, ((0, 0), (2, 1)), mode)
    np.testing.assert_array_equal(y.numpy(), np.pad(data, ((0, 0), (2, 1)), mode))
    at = np.argmax(data) if mode == "maximum" else np.argmin(data)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [1 + 3 * (np.arange(3) == at)])


def test_a_value_that_is_a_tensor_may_be_infinite():
    x, v = symtape.constant([1.0, 2.0]), symtape.constant(-np.inf)
    with symtape.GradientTape() as tape:
        tape.watch([x, v])
        y = np.pad(x, 1, constant_values=v)
    np.testing.assert_array_equal(y.numpy(), [-np.inf, 1.0, 2.0, -np.inf])
    gradients = tape.gradient(y, [x, v])
    np.testing.assert_array_equal(gradients[0].numpy(), [1.0, 1.0])
    assert gradients[1].numpy() == 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: np.pad(x, -1), ValueError, "pad_width=-1"),
        (lambda x: np.pad(x, 1, "reflect", reflect_type="odd"), TypeError, "reflect_type='even'"),
    ],
)
def test_errors_say_what_was_given(call, error, words):
    with pytest.raises(error, match=words):
        call(symtape.constant(np.ones((2, 3))))
