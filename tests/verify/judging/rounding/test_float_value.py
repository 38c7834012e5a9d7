"""What floats may return at their limits: nearly equal entries, results that would be subnormal."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special

import verify
from verify.judging.rounding.float_value import flush_allowance
from verify.model.verdict import Verdict

ONE_ULP_APART = [-2.999999999999999, -2.9999999999999996, -2.9999999999999996]


def deviation(x):
    return np.std(x, ddof=1)


def deviation_slopes(x):
    return (x - np.mean(x)) / (2 * np.std(x, ddof=1))


@pytest.mark.parametrize("claimed", [None, deviation_slopes], ids=["tape", "by hand"])
def test_an_entry_that_is_stationary_to_first_order_is_not_accused(claimed):
    result = verify.gradient(deviation, claimed=claimed, at=[ONE_ULP_APART])
    assert not result.verdict.fails, str(result)


def cosine(x):
    return (x - np.mean(x)) @ WEIGHTS / np.linalg.norm(x - np.mean(x))


def cosine_slopes(x):
    centred = x - np.mean(x)
    length = np.linalg.norm(centred)
    return (WEIGHTS - centred * (centred @ WEIGHTS) / length**2) / length


WEIGHTS = np.array([1.0, 0.0, -1.0])
TEXTBOOK = {"deviation": (deviation, deviation_slopes), "cosine": (cosine, cosine_slopes)}


@pytest.mark.parametrize("name", TEXTBOOK)
@given(
    base=st.floats(-8, 8),
    steps=st.lists(st.integers(-4, 4), min_size=3, max_size=3).filter(lambda k: len({*k}) > 1),
    exponent=st.integers(-40, 0),
)
@example(base=-3.0, steps=[0, 1, 0], exponent=-25)
@settings(max_examples=30, deadline=None)
def test_what_a_mean_rounds_off_is_no_loss_of_the_code(name, base, steps, exponent):
    # Rounding the mean moves all entries alike, which an entry that is stationary in them shows.
    function, claimed = TEXTBOOK[name]
    result = verify.gradient(function, claimed, at=[base + np.ldexp(steps, exponent)])
    assert not result.verdict.fails, str(result)


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


def test_lost_digits_are_found_beside_an_entry_that_rounds_coarsely():
    # The first entry loses eight digits whatever one does, the second all of its own by 1 - tanh².
    def function(x):
        return np.expm1(x[0] - 3.0) ** 2 + np.tanh(x[1])

    def slopes(x):
        step = np.expm1(x[0] - 3.0)
        return np.array([2 * step * (step + 1), 1 - np.tanh(x[1]) ** 2])

    result = verify.gradient(function, slopes, at=[[3.0 + 2.0**-25, 20.0]])
    assert result.verdict is Verdict.INACCURATE, str(result)


def test_a_zero_for_a_normal_number_is_found():
    result = verify.gradient(special.expit, claimed=lambda x: 0 * x, at=[700.0])
    assert result.verdict.fails


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_underflow_excuses_what_is_below_the_normal_numbers_of_its_own_format(dtype):
    limits = np.finfo(dtype)
    normal = float(limits.smallest_normal)
    sizes = [normal * 2, normal, normal / 2, float(limits.smallest_subnormal), 0.0]
    truth = SimpleNamespace(parts=[np.array([arb(size) for size in sizes], dtype=object)])
    (allowed,) = flush_allowance(truth, float(limits.eps) / 2)
    assert allowed.tolist() == [0, 0, normal, normal, normal]


def gated(x):
    return np.sum(x / (1 + np.exp(-x)))


def by_the_textbook(factor=1.0):
    """The slope of x s(x) as s + x s (1 - s), in steps that no tape can follow."""

    def slope(x):
        gates = [1 / (1 + math.exp(-float(one))) for one in x]
        return np.array(
            [factor * (s + float(one) * s * (1 - s)) for one, s in zip(x, gates, strict=True)]
        )

    return slope


@pytest.mark.parametrize("x", [22.792167956042512, 30.3, 5.0, 35.1])
def test_a_rounding_on_the_way_that_counts_several_times_is_not_called_wrong(x):
    result = verify.gradient(gated, at=[[x]], claimed=by_the_textbook())
    assert result.verdict is Verdict.CORRECT, str(result)


def test_but_what_so_few_steps_cannot_have_lost_is():
    result = verify.gradient(gated, at=[[22.5]], claimed=by_the_textbook(1 + 2.0**-46))
    assert result.verdict is Verdict.WRONG, str(result)
