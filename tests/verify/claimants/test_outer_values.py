"""Claims that hold no trace of their arguments are judged by what they read from around them."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verify
from tests.packing import left
from verify.claimants.claim import claim_of
from verify.claimants.outer_values import add_outer_values
from verify.judging import judge
from verify.model.case import Case

X = np.array([-1.3, -0.2, 0.4, 1.7, 2.9])
MODEL = {"rate": 1.4, "phase": [0.31]}


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


def by_containers(a):
    return a * np.exp(-X * MODEL["rate"] - MODEL["phase"][0])


def test_numbers_in_containers_defaults_and_partials_are_arguments():
    def claimed(a, x=X, *, shift=0.5):
        return np.exp(-MODEL["rate"] * x - shift)

    derivative = functools.partial(claimed, shift=0.31)
    case = Case("", "", by_containers, ((0.5,),), "jacobian", derivative)
    claim, at = add_outer_values(claim_of(case), (0.5,))
    assert [np.shape(value) for value in at].count(X.shape) == 2
    assert {0.31, 1.4} <= {float(value) for value in at if np.ndim(value) == 0}
    assert np.array_equal(claim.derivative(*at), derivative(0.5))
    moved = [value + 1 if k else value for k, value in enumerate(at)]
    assert not np.array_equal(claim.derivative(*moved), derivative(0.5))
    assert np.array_equal(claim.function(*at), by_containers(0.5))


HOLDS_ITSELF = {"rate": 1.4}
HOLDS_ITSELF["self"] = [HOLDS_ITSELF, (HOLDS_ITSELF,)]


def test_containers_that_hold_themselves_are_copied_once():
    def function(a):
        return a * np.exp(-X * HOLDS_ITSELF["rate"])

    case = Case("", "", function, ((0.5,),), "jacobian", lambda a: function(1.0))
    claim, at = add_outer_values(claim_of(case), (0.5,))
    assert [float(value) for value in at if np.ndim(value) == 0] == [0.5, 1.4, 1.4]
    assert np.array_equal(claim.derivative(*at), function(1.0))
    assert not np.array_equal(claim.derivative(*at[:-1], at[-1] + 1), function(1.0))
    assert np.array_equal(claim.derivative(*at), function(1.0))


def test_a_claim_that_no_tape_follows_is_opened_once(monkeypatch):
    opened = []

    def counting(*given):
        opened.append(given)
        return add_outer_values(*given)

    monkeypatch.setattr(judge, "add_outer_values", counting)
    factor = 1 + 2.0**-40
    found = verify.gradient(np.exp, at=[0.5], claimed=lambda x: factor * np.exp(left(x)))
    assert found.verdict is verify.Verdict.WRONG
    assert len(opened) == 1


@pytest.mark.parametrize("derivative", [lambda a: 1.0, lambda a: 2 * a])
def test_a_claim_that_reads_nothing_has_no_further_arguments(derivative):
    case = Case("", "", lambda a: a * X[0], ((0.5,),), "gradient", derivative)
    assert add_outer_values(claim_of(case), (0.5,)) is None
