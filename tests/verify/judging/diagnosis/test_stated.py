"""What is claimed and what is exact: told apart, and each as it is."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verify.judging.diagnosis.stated import describe_both, severity
from verify.model.result import Entry, PointOutcome
from verify.model.verdict import Verdict

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def entry(claimed: float, lower: str, upper: str = "", index: tuple[int, ...] = (1,)) -> Entry:
    return Entry(0, index, claimed, lower, upper or lower, 1e9, 4.0, 1.0)


def numbers(words: str) -> tuple[str, str]:
    claimed, exact = words.split("; ")
    return claimed.rpartition(" is ")[2], exact.rpartition(" is ")[2]


@settings(deadline=None, derandomize=True)
@given(FINITE, FINITE)
def test_both_are_shown_to_digits_that_differ_and_are_right(claimed, exact):
    assume(claimed != exact)
    shown = numbers(describe_both("gradient", entry(claimed, repr(exact))))
    assert shown[0] != shown[1]
    for text, value in zip(shown, (claimed, exact), strict=True):
        size = abs(Decimal(repr(value)))
        assert abs(Decimal(text) - Decimal(repr(value))) <= size * Decimal("1e-6")


TOLD = {
    "an entry": (entry(2.0, "3"), "gradient[1] is 2.0; the exact value is 3.0"),
    "all of it": (entry(2.0, "3", index=()), "the gradient is 2.0; the exact value is 3.0"),
    "close": (
        entry(1.000000001, "1"),
        "gradient[1] is 1.000000001; the exact value is 1.0",
    ),
    "below the last digit": (
        entry(2.718281828459045, "2.7182818284590452353602874713526"),
        "gradient[1] is 2.718281828459045; the exact value is 2.71828182845904524",
    ),
    "no number": (entry(math.nan, "0.25"), "gradient[1] is nan; the exact value is 0.25"),
    "infinite": (entry(-math.inf, "1e-300"), "gradient[1] is -inf; the exact value is 1e-300"),
    "beyond the floats": (
        entry(0.0, "1.5e-400"),
        "gradient[1] is 0.0; the exact value is 1.5e-400",
    ),
    "not known well": (
        entry(9.0, "1.23456789", "1.5"),
        "gradient[1] is 9.0; the exact value is between 1.23456 and 1.5",
    ),
    "not bounded": (
        entry(9.0, "-inf", "1.5"),
        "gradient[1] is 9.0; the exact value is between -inf and 1.5",
    ),
}


@pytest.mark.parametrize("kind", TOLD)
def test_it_is_told_plainly(kind):
    worst, words = TOLD[kind]
    assert describe_both("gradient", worst) == words


def failing(claimed, exact, x=2.0, verdict=Verdict.WRONG):
    relative = abs(claimed - exact) / abs(exact) if exact else np.inf
    worst = Entry(0, (), claimed, repr(exact), repr(exact), 9.0, 1.0, relative)
    return PointOutcome.from_judgement((np.float64(x),), verdict, worst=worst)


RANKED = [
    failing(-1.0, 1.0),
    failing(1.5, 1.0),
    failing(1.0 + 1e-6, 1.0),
    failing(0.0, 1e-20),
    failing(0.0, 1e-300),
]


def test_a_wrong_zero_in_the_tail_does_not_shout_over_a_wrong_sign():
    found = [severity(outcome, 1.0) for outcome in RANKED]
    assert found == sorted(found, reverse=True)
    assert found[0] == 1.0
    assert 0 < found[-1] < found[-2] < 1e-3


def test_what_passes_has_no_severity():
    assert severity(failing(0.0, 1.0, verdict=Verdict.CORRECT)) == 0.0


def test_what_is_not_finite_is_as_grave_as_can_be():
    assert severity(failing(np.nan, 1.0), 1.0) == 1.0
    assert severity(PointOutcome.from_judgement((), Verdict.WRONG, "it raised")) == 1.0


def test_an_inaccurate_rule_is_less_than_a_wrong_one():
    wrong, inaccurate = (
        severity(failing(0.0, 1.0, verdict=verdict), 1.0)
        for verdict in (Verdict.WRONG, Verdict.INACCURATE)
    )
    assert 0 < inaccurate < wrong


finite = st.floats(-1e300, 1e300)


@settings(deadline=None, derandomize=True)
@given(finite, finite, finite, finite)
def test_severity_is_between_nothing_and_everything(claimed, exact, x, value):
    with np.errstate(all="ignore"):
        assert 0 <= severity(failing(claimed, exact, x), value) <= 1
