"""Ordinals number the floats in their order, without gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.regions.ordinals import distance, from_ordinal, largest, neighbour, ordinal

DTYPES = (np.float64, np.float32, np.float16)


@st.composite
def floats_of_a_dtype(draw):
    dtype = draw(st.sampled_from(DTYPES))
    width = np.finfo(dtype).bits
    return dtype(draw(st.floats(allow_nan=False, width=width)))


@given(floats_of_a_dtype())
def test_from_ordinal_inverts_ordinal(x):
    back = from_ordinal(ordinal(x), x.dtype)
    assert back == x
    assert back.dtype == x.dtype


@given(floats_of_a_dtype(), st.data())
def test_order_is_kept(x, data):
    y = x.dtype.type(data.draw(st.floats(allow_nan=False, width=np.finfo(x.dtype).bits)))
    assert (ordinal(x) < ordinal(y)) == (x < y)
    assert distance(x, y) == abs(ordinal(x) - ordinal(y))


@given(floats_of_a_dtype())
def test_next_floats_are_neighbours(x):
    if np.isfinite(x):
        with np.errstate(over="ignore", under="ignore"):
            above = np.nextafter(x, x.dtype.type(np.inf))
        assert ordinal(above) == ordinal(x) + 1
        assert neighbour(x) == above


def test_float16_is_numbered_without_gaps():
    finite = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = finite[np.isfinite(finite)]
    last = largest(np.float16)
    assert set(ordinal(finite).tolist()) == set(range(-last, last + 1))


def test_both_zeros_are_at_zero_and_tails_do_not_overflow():
    most = np.finfo(np.float64).max
    assert ordinal(-0.0) == ordinal(0.0) == 0
    assert distance(-most, most) == 2 * largest(np.float64)
    far = distance(np.array([-most, 1.0]), np.array([most, 1.0]))
    assert far.tolist() == [2 * largest(np.float64), 0]
    assert neighbour(most, 10) == np.inf


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ordinal(np.nan), ValueError, "nan"),
        (lambda: ordinal(np.array([1])), TypeError, "int64"),
        (lambda: from_ordinal(1, np.complex128), TypeError, "complex128"),
        (lambda: from_ordinal(2**40, np.float16), ValueError, "float16"),
        (lambda: distance(np.float32(1), 1.0), TypeError, "float32"),
    ],
)
def test_what_has_no_ordinal_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
