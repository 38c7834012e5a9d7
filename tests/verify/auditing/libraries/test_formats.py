"""Formats: bfloat16 beside NumPy's own, with one meaning of an ulp."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from verify.auditing.libraries.exact import Exact
from verify.auditing.libraries.formats import FORMATS

NUMBERED = [FORMATS["bfloat16"], FORMATS["float16"]]


@pytest.mark.parametrize("form", NUMBERED, ids=lambda form: form.name)
@given(k=st.integers(-31000, 31000))
def test_floats_of_a_format_are_numbered_in_order(form, k):
    one, two = form.decode_ordinal([k, k + 1]).astype(float)
    assert one < two
    assert form.ordinal(one) == k
    assert float(form.round_numbers(one)) == one


@given(st.floats(-1e38, 1e38))
def test_rounding_to_bfloat16_is_to_a_nearest(x):
    form = FORMATS["bfloat16"]
    near = float(form.round_numbers(x))
    k = int(form.ordinal(near))
    others = form.decode_ordinal([k - 1, k + 1]).astype(float)
    # Through float32, as hardware does it, so that a tie may go either way by a float32's ulp.
    slack = abs(x) * 2.0**-23 + 2.0**-149
    assert abs(x - near) <= np.abs(x - others).min() + slack


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_an_ulp_of_one_is_what_the_format_says(form):
    above = float(form.decode_ordinal(int(form.ordinal(1.0)) + 1))
    assert above - 1.0 == 2.0 ** (1 - form.digits)
    exact = Exact.take_middles([arb(1), arb(form.least_normal), arb(form.greatest) * 4, arb("nan")])
    claimed = np.array([above, form.least_normal + form.least, np.inf, 0.0])
    assert np.array_equal(exact.ulps(claimed, form), [1.0, 1.0, 0.0, np.nan], equal_nan=True)


def test_a_lost_value_is_infinitely_far_off():
    exact = Exact.take_middles([arb(1), arb(1), arb(0), arb("1e-400")])
    ulps = exact.ulps(np.array([np.nan, np.inf, 0.0, 0.0]), FORMATS["float64"])
    assert ulps[0] == ulps[1] == np.inf
    assert ulps[2] == 0
    assert ulps[3] < 1e-70
