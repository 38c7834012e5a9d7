"""What floats may return at their limits: nearly equal entries, results that would be subnormal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import verify
from verify.verdict import Verdict

ONE_ULP_APART = [-2.999999999999999, -2.9999999999999996, -2.9999999999999996]


def deviation(x):
    return np.std(x, ddof=1)


def deviation_slopes(x):
    return (x - np.mean(x)) / (2 * np.std(x, ddof=1))


@pytest.mark.parametrize("claimed", [None, deviation_slopes], ids=["tape", "by hand"])
def test_an_entry_that_is_stationary_to_first_order_is_not_accused(claimed):
    result = verify.gradient(deviation, claimed=claimed, at=[ONE_ULP_APART])
    assert result.verdict is Verdict.UNDECIDED, str(result)


@pytest.mark.parametrize("x", [[1.0, 2.0, 4.0], [1.0, 1.0 + 1e-9, 1.0 - 1e-9]])
def test_a_fault_among_entries_that_are_apart_is_found(x):
    result = verify.gradient(deviation, claimed=lambda x: -deviation_slopes(x), at=[x])
    assert result.verdict is Verdict.WRONG, str(result)


@pytest.mark.parametrize(
    ("function", "claim", "x"),
    [
        (special.expit, lambda x: special.expit(x) * special.expit(-x), 720.0),
        (lambda x: np.logaddexp(0, x), special.expit, -720.0),
    ],
)
def test_a_function_of_scipy_may_give_0_for_what_would_be_subnormal(function, claim, x):
    result = verify.gradient(function, claimed=claim, at=[x])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert float(claim(x)) == 0.0


def test_a_zero_for_a_normal_number_is_found():
    result = verify.gradient(special.expit, claimed=lambda x: 0 * x, at=[700.0])
    assert result.verdict in (Verdict.WRONG, Verdict.INACCURATE)
