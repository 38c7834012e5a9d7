"""Code that cannot be followed: what it may lose, and what it may not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

import verify
from tests.packing import all_left
from verify import Verdict


def of_numbers(rule):
    """In numbers that no tape follows."""

    def claimed(x):
        return np.array(rule(*all_left(x))).reshape(np.shape(x))

    return claimed


@of_numbers
def by_its_square(x):
    return 1 - math.tanh(x) ** 2


@pytest.mark.parametrize("x", [0.5, 2.0, 4.0, 7.0, 12.0])
def test_terms_that_cancel_are_allowed_for(x):
    assert verify.gradient(np.tanh, by_its_square, at=[x]).verdict is Verdict.CORRECT


@pytest.mark.parametrize("x", [18.0, 19.0, 60.0, 300.0])
def test_where_they_leave_no_digits_the_value_is_inaccurate_and_not_wrong(x):
    result = verify.gradient(np.tanh, by_its_square, at=[x])
    assert result.verdict is Verdict.INACCURATE, str(result)
    assert "could not be followed" in result.witness.message


def legendre(x):
    return special.eval_legendre(8, x)


@of_numbers
def by_recurrence(x):
    before, now = 1.0, x
    for n in range(1, 8):
        before, now = now, ((2 * n + 1) * x * now - n * before) / (n + 1)
    return 8 * (x * now - before) / (x * x - 1)


def polynomial(x):
    return (6435 * x**8 - 12012 * x**6 + 6930 * x**4 - 1260 * x**2 + 35) / 128


@pytest.mark.parametrize("x", [0.1, 0.5, 0.9, 0.99, 0.9999])
def test_a_recurrence_is_not_wrong(x):
    result = verify.gradient(polynomial, by_recurrence, at=[x])
    assert result.verdict in (Verdict.CORRECT, Verdict.INACCURATE), str(result)


@pytest.mark.parametrize("x", [26.5, 27.2, 38.4])
def test_what_underflows_is_allowed_for(x):
    def rule(x):
        return -2 * x * math.exp(-x * x)

    result = verify.gradient(lambda x: np.exp(-x * x), of_numbers(rule), at=[x])
    assert result.verdict is Verdict.CORRECT, str(result)


STATIONARY = {
    "i0": (np.i0, 8e-18),
    "sine": (lambda x: np.sin(x) ** 3, np.pi / 2),
    "cosine": (lambda x: np.exp(np.cos(x)), np.pi),
    "a bell": (lambda x: np.exp(-((x * 3 - 0.3) ** 2)), 0.1),
    "squares": (lambda m: np.sum((np.array([1.1, 1.2, 1.3]) - m) ** 2 / 2), 1.2),
    "Bessel": (special.j0, 3.8317059702075125),
    "log-gamma": (special.gammaln, 1.4616321449683623),
    "a cosh less its square": (lambda x: np.cosh(x) - x * x / 2, 1e-6),
    "beside each other": (lambda x: np.sum((x - 0.1) ** 2 * np.cos(x)), np.array([0.1, 0.1])),
}


@pytest.mark.parametrize("followed", [True, False])
@pytest.mark.parametrize("case", STATIONARY)
def test_a_gross_claim_at_a_stationary_point_is_wrong(case, followed):
    """Rounding may cost all of a value that is nothing but rounding, and not a tenth."""
    function, x = STATIONARY[case]

    def gross(x):
        return 0.1 + 0 * x

    claimed = gross if followed else (lambda x: np.full(np.shape(x), 0.1)[()])
    result = verify.gradient(function, claimed, at=[x])
    assert result.verdict is Verdict.WRONG, str(result)
    assert "inf" not in result.witness.message
    assert math.isfinite(result.witness.worst.allowed)


@pytest.mark.parametrize("case", STATIONARY)
def test_and_the_tape_is_not(case):
    function, x = STATIONARY[case]
    result = verify.gradient(function, at=[x])
    assert result.verdict in (Verdict.CORRECT, Verdict.UNDECIDED), str(result)
    assert "inf of the value" not in str(result.explain())


def test_a_gross_fault_is_wrong_beside_values_that_cancel():
    def scaled(x):
        return 1.5 * (1 - math.tanh(x) ** 2)

    result = verify.gradient(np.tanh, of_numbers(scaled), at=[4.0])
    assert result.verdict is Verdict.WRONG


GIVEN = {
    "an input": (lambda x: np.exp(-x), 1.0, 25.0),
    "a part of an input": (lambda x: np.sum(np.exp(-x[:1])), 1.0, np.array([25.0])),
    "a constant": (lambda x: np.exp(-x) * 32.0, 32.0, 25.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("off", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("case", GIVEN)
def test_what_the_function_is_given_excuses_nothing(case, off):
    """Of a derivative that is tiny by itself, from which nothing as large is subtracted."""
    function, factor, x = GIVEN[case]
    lie = of_numbers(lambda x: -factor * math.exp(-x) * (1 + off))
    result = verify.gradient(function, lie, at=[x])
    assert result.verdict.fails, str(result)
    right = of_numbers(lambda x: -factor * math.exp(-x))
    assert verify.gradient(function, right, at=[x]).verdict is Verdict.CORRECT


CONSTANT = {
    "units": (lambda x: 1e16 * x[0] + x[1], np.array([1e16, 1.0])),
    "fewer units": (lambda x: 1e10 * x[0] + x[1], np.array([1e10, 1.0])),
    "thirds": (lambda x: x[0] / 3 + 0.1 * x[1], np.array([1 / 3, 0.1])),
    "weights": (lambda x: np.array([0.3, -7e8]) @ x, np.array([0.3, -7e8])),
}


@pytest.mark.slow
@pytest.mark.parametrize("off", [1e290, 1e-290, -1.0, 1.4, 1.00001, 1 + 1e-9])
@pytest.mark.parametrize("case", CONSTANT)
def test_a_constant_answer_is_a_program_and_judged_entry_by_entry(case, off):
    function, right = CONSTANT[case]
    at = [[1.0, 2.0], [0.3, -5.0]]
    assert verify.gradient(function, lambda x: right, at=at).verdict is Verdict.CORRECT
    for entry in range(2):
        wrong = np.where(np.arange(2) == entry, off * right, right)
        result = verify.gradient(function, lambda x, wrong=wrong: wrong, at=at)
        assert result.verdict is Verdict.WRONG, str(result)
        assert "could not be followed" not in str(result.explain())


MATRIX = np.random.default_rng(0).standard_normal((5, 4))
NODES = np.vander(np.arange(1.0, 9.0), 8)
COMPUTED = {
    "a Gram matrix": ("hessian", lambda x: np.sum((MATRIX @ x) ** 2), 2 * MATRIX.T @ MATRIX, 4),
    "an inverse": ("jacobian", lambda x: np.linalg.solve(NODES, x), np.linalg.inv(NODES), 8),
    "a centring": ("hessian", np.var, 2 / 7 * (np.eye(7) - 1 / 7), 7),
}


@pytest.mark.parametrize("case", COMPUTED)
def test_constants_that_were_computed_are_right_within_their_rounding(case):
    quantity, function, right, count = COMPUTED[case]
    for off, verdict in ((1.0, Verdict.CORRECT), (1.001, Verdict.WRONG), (0.5, Verdict.WRONG)):
        result = verify.derivative(
            quantity, function, lambda x, off=off: off * right, at=[np.ones(count)]
        )
        assert result.verdict is verdict, str(result)


def test_a_value_that_left_is_followed_nowhere_even_where_its_answer_is_the_same_around():
    result = verify.gradient(np.tanh, by_its_square, at=[60.0])
    assert "could not be followed" in str(result)
