"""Findings are ranked by consequence: a wrong sign before a wrong zero in a far tail."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.judging.diagnosis.stated import severity
from verify.model.result import Entry, PointOutcome
from verify.model.verdict import Verdict


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
