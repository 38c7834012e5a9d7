"""Digits that a program loses, though neither the problem nor the tape does."""

import numpy as np
import pytest

import verify
from verify.model.verdict import Verdict


def logistic(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize(
    ("function", "claimed", "x"),
    [
        (np.tanh, lambda x: 1 - np.tanh(x) ** 2, 60.0),
        (np.tanh, lambda x: 1 - np.tanh(x) ** 2, -300.0),
        (logistic, lambda x: logistic(x) * (1 - logistic(x)), 200.0),
    ],
)
def test_a_loss_that_is_the_programs_own_is_inaccurate(function, claimed, x):
    assert verify.gradient(function, at=[x], claimed=claimed).verdict is Verdict.INACCURATE
    assert verify.gradient(function, at=[x]).verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    ("function", "claimed", "x"),
    [
        (lambda x: ((x + 1e20) - 1e20) ** 2, lambda x: 2 * ((x + 1e20) - 1e20), 1.0),
        (lambda x: np.sin(x) ** 2, lambda x: np.sin(2 * x), 1e17),
        (lambda x: np.expm1(x) ** 2 / x, lambda x: np.nan_to_num(1 + x), 1e-170),
    ],
)
def test_what_the_problem_costs_is_not_held_against_a_program(function, claimed, x):
    found = verify.gradient(function, at=[x], claimed=claimed)
    assert found.verdict is not Verdict.INACCURATE


def test_factorisations_are_held_to_the_largest_entry_alone():
    graded = np.array([[-1e-202, 5e-81], [9e-207, -1.7e-178]])
    found = verify.gradient(
        lambda a: np.linalg.slogdet(a)[1], at=[graded], claimed=lambda a: np.linalg.inv(a).T
    )
    assert found.verdict in (Verdict.CORRECT, Verdict.UNDECIDED)


def test_a_masked_entry_below_all_floats_is_no_fault():
    kept = np.array([True, True, False])

    def weights(x):
        scores = np.where(kept, x, -1e9)
        e = np.exp(scores - np.max(scores))
        return e / np.sum(e)

    def jacobian(x):
        p = weights(x)
        return np.diag(p) - np.outer(p, p)

    found = verify.jacobian(weights, at=[[0.5, 1.0, 2.0]], claimed=jacobian)
    assert found.verdict is Verdict.CORRECT


@pytest.mark.parametrize("x", [1e-9, 3.14159265])
def test_a_kink_that_only_rounding_meets_accuses_nobody(x):
    found = verify.gradient(lambda x: np.arccos(np.cos(x)), at=[x], claimed=np.ones_like)
    assert found.verdict is Verdict.UNDECIDED
    assert "by rounding" in found.witness.message
