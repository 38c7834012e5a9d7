"""Claims in float32 and float16 are judged in their own ulps, as floats really behave."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify import Verdict

SINGLE, HALF = np.float32, np.float16


def gaussian(x):
    return np.exp(-x * x / 2)


def slope(x):
    return -x * np.exp(-x * x / 2)


def cast(dtype, function=slope):
    """The derivative in float64, rounded to `dtype` at the end, by code that is not followed."""

    def claimed(x):
        return np.asarray(function(np.float64(float(x)))).astype(dtype)[()]

    return claimed


def answer(value):
    """A claim that always says the same."""
    return lambda x: value


RIGHT = {
    "float32, rounded at the end": (gaussian, 1.5, cast(SINGLE)),
    "float16, rounded at the end": (gaussian, 1.5, cast(HALF)),
    "float32, all the way": (gaussian, SINGLE(1.5), slope),
    "float16, all the way": (gaussian, HALF(1.5), slope),
    "float32 of the tape": (gaussian, SINGLE(1.5), None),
    "float16 of the tape": (gaussian, HALF(1.5), None),
    "float32, gone below the range": (gaussian, 15.0, answer(SINGLE(0))),
    "float32, minus zero": (gaussian, 15.0, answer(SINGLE(-0.0))),
    "float64, minus zero": (lambda x: x * x, 0.0, answer(-0.0)),
    "float32, a subnormal number": (lambda x: x * 1e-40, 1.0, answer(SINGLE(1e-40))),
    "float16, a subnormal number": (lambda x: x * 1e-6, 1.0, answer(HALF(1e-6))),
    "float16, the least number": (lambda x: x * 5e-8, 1.0, answer(HALF(6e-8))),
    "float32, beyond the range": (lambda x: x * 1e50, 1.0, answer(SINGLE(np.inf))),
    "float16, beyond the range": (lambda x: x * -1e6, 1.0, answer(HALF(-np.inf))),
    "float32, the greatest": (lambda x: x * 3.4028234e38, 1.0, answer(np.finfo(SINGLE).max)),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_what_its_format_can_hold_is_right(kind):
    function, x, claimed = RIGHT[kind]
    result = verify.gradient(function, at=[x], claimed=claimed)
    assert result.verdict is Verdict.CORRECT, str(result)


LIES = {
    "float32 zero, and the truth is a normal number": (lambda x: x * 1.3e-16, answer(SINGLE(0))),
    "float16 zero, and the truth is a normal number": (lambda x: x * 1e-4, answer(HALF(0))),
    "float16 zero, and the truth is subnormal": (lambda x: x * 3e-6, answer(HALF(0))),
    "float32 zero, and the truth is subnormal": (lambda x: x * 1e-40, answer(SINGLE(0))),
    "float64 zero, and the truth is subnormal": (lambda x: x * 1e-310, answer(0.0)),
    "float32 infinity within the range": (lambda x: x * 1e38, answer(SINGLE(np.inf))),
    "float16 infinity within the range": (lambda x: x * 6e4, answer(HALF(np.inf))),
    "the wrong infinity": (lambda x: x * 1e50, answer(SINGLE(-np.inf))),
    "the greatest number for one far beyond": (
        lambda x: x * 1e50, answer(np.finfo(SINGLE).max),
    ),
    "nan beyond the range": (lambda x: x * 1e50, answer(SINGLE(np.nan))),
    "float32, off by 1e-4": (lambda x: x * 3, answer(SINGLE(3.0003))),
    "float16, off by a hundredth": (lambda x: x * 3, answer(HALF(3.03))),
    "float16, the sign": (lambda x: x * 3, answer(HALF(-3))),
    "float32 in disguise": (lambda x: x * 0.1, answer(np.float64(SINGLE(0.1)))),
}  # fmt: skip


@pytest.mark.parametrize("kind", LIES)
def test_what_its_format_would_not_have_made_of_the_truth_is_not(kind):
    function, claimed = LIES[kind]
    result = verify.gradient(function, at=[1.0], claimed=claimed)
    assert result.verdict.fails, str(result)


def test_what_a_format_loses_on_the_way_is_inaccurate():
    def one_minus_square(x):
        y = np.tanh(x)
        return 1 - y * y

    result = verify.gradient(np.tanh, at=[SINGLE(9.5)], claimed=one_minus_square)
    assert result.verdict is Verdict.INACCURATE, str(result)


@pytest.mark.parametrize("dtype", [np.float64, SINGLE, HALF])
def test_the_power_of_a_check_is_in_the_ulps_of_the_claim(dtype):
    point = verify.gradient(np.sin, at=[dtype(0.5)]).points[0]
    assert point.verdict is Verdict.CORRECT
    size = float(point.power.rpartition("above ")[2].split()[0])
    assert size < 16 * np.finfo(dtype).eps


def test_outside_the_range_of_its_own_arguments_a_derivative_is_outside():
    assert verify.gradient(lambda x: x * HALF(6e4) * HALF(2), at=[HALF(0.5)]).verdict in (
        Verdict.OUTSIDE,
        Verdict.CORRECT,
    )
