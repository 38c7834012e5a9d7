"""Constants of mixed units: each is excused of its own last digits, whatever stands beside it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.special import ndtr

import verify
from verify import Verdict

K = np.array([2.998e8, 6.674e-11])
SIGN = np.array([1.0, -1.0])
AT = [np.array([1.3, 0.7])]
GENERATOR = np.random.default_rng(0)
TIMES = np.column_stack([1.7e9 + GENERATOR.uniform(0, 1e5, 20), GENERATOR.standard_normal(20)])
TARGETS = GENERATOR.standard_normal(20)


def energy(x):
    return np.sum(K * x**2)


SECOND = {
    "ten times": lambda x: 2 * K[1] * 10 * x,
    "zero": lambda x: 0 * x,
    "three times": lambda x: 6 * K[1] * x,
    "of another sign": lambda x: -2 * K[1] * x,
    "another function": lambda x: 1e-9 * np.sin(x),
    "a thousandth": lambda x: 2 * K[1] * x * 1.001,
    "a part in a million": lambda x: 2 * K[1] * x * 1.000001,
    "a part in 1e12": lambda x: 2 * K[1] * x * (1 + 1e-12),
}


@pytest.mark.parametrize("name", SECOND)
def test_an_entry_in_other_units_is_held_to_its_own_digits(name):
    def claim(x):
        return np.array([2 * K[0] * x[0], SECOND[name](x[1])])

    result = verify.gradient(energy, claim, at=AT)
    assert result.verdict is Verdict.WRONG, str(result)
    assert result.witness.worst.index == (1,)


def test_the_right_claim_of_mixed_units_is_correct():
    assert verify.gradient(energy, lambda x: 2 * K * x, at=AT).verdict is Verdict.CORRECT


OTHERS = {
    "jacobian": (lambda x: K * np.sin(x), lambda x: np.diag(K * np.cos(x) * SIGN)),
    "hessian": (energy, lambda x: np.diag(2 * K * SIGN) + 0 * x[:, None]),
    "hvp": (energy, lambda x, v: 2 * K * SIGN * v),
    "vjp": (lambda x: K * np.sin(x), lambda x, g: K * np.cos(x) * SIGN * g),
    "jvp": (lambda x: K * np.sin(x), lambda x, t: K * np.cos(x) * SIGN * t),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("quantity", OTHERS)
def test_other_derivatives_are_held_to_each_unit_too(quantity):
    function, claim = OTHERS[quantity]
    result = verify.derivative(quantity, function, claim, over=verify.box(-2, 2, shape=2))
    assert result.verdict is Verdict.WRONG, str(result)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("unit", [1.0, 1e6, 1e9])
def test_a_column_of_time_stamps_hides_no_other_column(unit, dtype):
    data, targets = (TIMES * [unit, 1.0]).astype(dtype), TARGETS.astype(dtype)
    at = [np.array([1 / data[0, 0], 0.4], dtype)]

    def squares(w):
        return np.sum((data @ w - targets) ** 2)

    def slope(w, rows=slice(None)):
        return 2 * (data[rows].T @ (data[rows] @ w - targets[rows]))

    assert verify.gradient(squares, slope, at=at).verdict is Verdict.CORRECT
    for wrong in (lambda w: slope(w) * SIGN.astype(dtype), lambda w: slope(w, slice(1, None))):
        assert verify.gradient(squares, wrong, at=at).verdict is Verdict.WRONG


def test_weights_of_1e16_hide_no_others():
    weights = np.array([1e16, 1.0])
    result = verify.gradient(
        lambda x: np.sum(weights * x), lambda x: np.array([1e16, 1.4]) + 0 * x, at=AT
    )
    assert result.verdict is Verdict.WRONG, str(result)


def test_complex_constants_are_held_to_each_unit():
    factors = np.array([2.998e8 + 1j, 6.674e-11 - 2e-11j])
    result = verify.gradient(
        lambda x: np.sum(np.real(factors * x * x * (1 + 2j))),
        lambda x: 2 * np.real(factors * (1 + 2j)) * x * np.array([1, 3]),
        at=AT,
    )
    assert result.verdict is Verdict.WRONG, str(result)


def cancelling(x):
    return 0.6 * x + 1e15 * (x * 0.3 - x * 0.1 - x * 0.2)


@pytest.mark.parametrize("value", [0.789, 0.6, 1.0, 0.0, -0.5])
def test_a_check_without_power_is_not_correct(value):
    for claim in (lambda x: value, lambda x: value + 0 * x):
        assert verify.gradient(cancelling, claim, at=[0.3]).verdict is not Verdict.CORRECT


def black_scholes(strike, rate):
    """A call price by its volatility, and vega by its textbook identity."""

    def price(s):
        d = (np.log(100 / strike) + rate + 0.5 * s**2) / s
        return 100 * ndtr(d) - strike * np.exp(-rate) * ndtr(d - s)

    def vega(s):
        d = (np.log(100 / strike) + rate + 0.5 * s**2) / s
        return 100 * np.exp(-0.5 * d**2) / np.sqrt(2 * np.pi)

    return price, vega


@pytest.mark.slow
@pytest.mark.parametrize("strike", [95.0, 99.0, 99.9, 110.0])
@pytest.mark.parametrize("rate", [0.0, 0.02])
def test_the_logarithm_of_a_quotient_carries_what_it_amplifies(strike, rate):
    price, vega = black_scholes(strike, rate)
    right = verify.gradient(price, vega, at=[0.05, 0.1, 0.2, 1.0])
    assert right.verdict is Verdict.CORRECT, str(right)
    wrong = verify.gradient(price, lambda s: vega(s) * (1 + 1e-12), at=[0.05, 0.2, 1.0])
    assert wrong.verdict is Verdict.WRONG, str(wrong)


def by_matrix(x):
    """The gradient of ``sum(abs(rfft(x))**2)`` by a matrix whose zeros are residues."""
    count = len(x)
    turns = np.outer(np.arange(count // 2 + 1), np.arange(count))
    matrix = np.exp(-2j * np.pi * turns / count)
    return 2 * np.real(matrix.conj().T @ (matrix @ x))


@pytest.mark.parametrize("size", [4e-12, 1.0])
def test_residues_of_a_computed_matrix_are_no_fault(size):
    def power(x):
        return np.sum(np.abs(np.fft.rfft(x)) ** 2)

    at = [size * np.eye(8)[0], size * np.arange(1.0, 9)]
    right = verify.gradient(power, by_matrix, at=at)
    assert right.verdict is Verdict.CORRECT, str(right)
    wrong = verify.gradient(power, lambda x: by_matrix(x) * (1 + 1e-9), at=at)
    assert wrong.verdict is Verdict.WRONG, str(wrong)


LEFT, RIGHT, WEIGHTS = np.random.default_rng(3).standard_normal((3, 3, 3)) + 4 * np.eye(3)
ADJOINT = scipy.linalg.solve_sylvester(LEFT.T, RIGHT.T, WEIGHTS)


@pytest.mark.long
def test_an_array_that_scipy_computed_is_excused_of_that_and_no_more():
    def function(q):
        return np.sum(WEIGHTS * scipy.linalg.solve_sylvester(LEFT, RIGHT, q))

    at = [np.arange(9.0).reshape(3, 3) / 4]
    right = verify.gradient(function, lambda q: ADJOINT + 0 * q, at=at)
    assert right.verdict is Verdict.CORRECT, str(right)
    for place in np.ndindex(3, 3):
        other = ADJOINT.copy()
        other[place] *= 1 + 1e-10
        wrong = verify.gradient(function, lambda q, other=other: other + 0 * q, at=at)
        assert wrong.verdict is Verdict.WRONG, str(wrong)
