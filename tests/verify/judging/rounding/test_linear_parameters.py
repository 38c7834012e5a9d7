"""Derivatives by parameters that enter linearly hold no trace of these, and are judged."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import verify

X = np.array([-1.3, -0.2, 0.4, 1.7, 2.9])


def sine(a, w, p):
    return a * np.sin(2 * np.pi * (w * X + p))


def expanded(w, p):
    return np.sin(2 * np.pi * w * X + 2 * np.pi * p)


@settings(max_examples=12, deadline=None)
@given(w=st.floats(0.5, 50), p=st.floats(-1, 1))
def test_what_a_right_claim_loses_to_rounding_is_allowed(w, p):
    found = verify.jacobian(lambda a: sine(a, w, p), at=[0.549], claimed=lambda a: expanded(w, p))
    assert found.verdict is verify.Verdict.CORRECT


@settings(max_examples=12, deadline=None)
@given(
    w=st.floats(0.5, 5), p=st.floats(-1, 1), bits=st.integers(8, 30), sign=st.sampled_from([-1, 1])
)
def test_a_wrong_claim_is_wrong(w, p, bits, sign):
    factor = 1 + sign * 2.0**-bits
    found = verify.jacobian(
        lambda a: sine(a, w, p), at=[0.549], claimed=lambda a: factor * expanded(w, p)
    )
    assert found.verdict is verify.Verdict.WRONG
