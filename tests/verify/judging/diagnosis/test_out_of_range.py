"""A right rule that overflows, underflows or cancels is inaccurate, and it is said where."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from verify import Verdict
from verify.judging.diagnosis.out_of_range import find_range_error


def log_sum_exp(x):
    most = np.max(x)
    return most + np.log(np.sum(np.exp(x - most)))


def softmax_by_the_book(z):
    return np.exp(z) / np.sum(np.exp(z)) - np.array([1.0, 0.0])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


CASES = {
    "Bose, by the tape": (
        lambda x: 1 / np.expm1(x),
        None,
        800.0,
        "expm1(800.0) overflows, and its exact value is 2.72637e+347",
    ),
    "Bose, by hand": (
        lambda x: 1 / np.expm1(x),
        lambda x: -np.exp(x) / np.expm1(x) ** 2,
        720.0,
        "exp(720.0) overflows",
    ),
    "sigmoid, by the tape": (sigmoid, None, -720.0, "exp(720.0) overflows"),
    "sigmoid, by hand": (
        sigmoid,
        lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2,
        -400.0,
        "square(5.221469689764144e+173) overflows",
    ),
    "an angle": (
        lambda x: np.arctan2(x[1], x[0]),
        lambda x: np.stack([-x[1], x[0]]) / (x[0] ** 2 + x[1] ** 2),
        [1e-162, 2e-162],
        "square(1e-162) underflows to 0.0, and its exact value is 1.00000e-324",
    ),
    "Lennard-Jones": (
        lambda r: 4 * ((1 / r) ** 12 - (1 / r) ** 6),
        lambda r: -24 * (2 * r**6 / r**13 * (1 / r**6) - r**5 / r**12),
        1e40,
        "power(1e+40, 13) overflows",
    ),
    "Hill": (
        lambda x: 1 / (1 + x**-4.0),
        lambda x: 4 * x**3 / (1 + x**4) ** 2,
        1e50,
        "square(1.0000000000000003e+200) overflows",
    ),
    "cross-entropy": (
        lambda z: log_sum_exp(z) - z[0],
        softmax_by_the_book,
        [800.0, 1.0],
        "exp(800.0) overflows",
    ),
    "a difference": (
        np.tanh,
        lambda x: 1 - np.tanh(x) ** 2,
        25.0,
        "subtract(1, 1.0) loses its digits: it gives 0.0",
    ),
    "float32": (
        sigmoid,
        lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2,
        np.float32(-50.0),
        " overflows in float32",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_right_rule_that_leaves_the_range_is_inaccurate_and_said_where(case):
    function, claimed, x, words = CASES[case]
    result = verify.gradient(function, claimed, at=[x])
    assert result.verdict is Verdict.INACCURATE, str(result)
    assert words in result.witness.message, result.witness.message
    assert f"{__file__.rsplit('/', 1)[1]}:" in result.witness.message
    assert result.witness.op
    assert result.witness.worst.ulps > result.witness.worst.allowed
    assert "is wrong" not in result.witness.message


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][1] is not None])
def test_where_it_stays_in_range_the_same_rule_is_correct(case):
    function, claimed, x, _ = CASES[case]
    near = np.full(np.shape(x), 0.75) + np.arange(np.size(x)).reshape(np.shape(x)) / 8
    assert verify.gradient(function, claimed, at=[near[()]]).verdict is Verdict.CORRECT


def test_what_is_no_number_for_another_reason_is_wrong():
    result = verify.gradient(np.sin, lambda x: np.cos(x) * np.nan, at=[0.5])
    assert result.verdict is Verdict.WRONG
    branch = verify.gradient(
        lambda x: np.where(x > 0, x * x, 0.0),
        lambda x: np.where(x > 0, 2 * x, 0.0) + 0 * np.log(x),
        at=[-1.0],
    )
    assert branch.verdict is Verdict.WRONG


def test_a_wrong_rule_that_overflows_as_well_is_wrong():
    result = verify.gradient(sigmoid, lambda x: -np.exp(-x) / (1 + np.exp(-x)) ** 2, at=[-400.0])
    assert result.verdict is Verdict.WRONG


def test_a_program_that_stays_in_range_has_nothing_to_tell():
    graph = symtape.record(lambda x: np.exp(x) / (1 + np.exp(x)), 1.0)
    assert find_range_error(graph, [2.0]) is None
    found = find_range_error(graph, [800.0])
    assert found is not None
    assert found.op == "exp"


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
