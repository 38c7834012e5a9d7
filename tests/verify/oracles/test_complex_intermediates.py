"""Real functions of real arguments that go through complex numbers are decided by enclosures."""

import numpy as np
import pytest

import verify
from verify import Verdict

MATRIX = np.array([[2, 1j], [0.3, 1.0]])


def impedance(w):
    """Of a resistor, a coil and a capacitor, in parallel with another resistor."""
    z = 1.0 + 1j * w * 0.5 + 1 / (1j * w * 2.0)
    return np.abs(1 / (1 / z + 0.25))


def impedance_slope(w):
    z, dz = 1.0 + 1j * w * 0.5 + 1 / (1j * w * 2.0), 0.5j - 1 / (1j * w**2 * 2.0)
    y = 1 / (1 / z + 0.25)
    return np.real(np.conj(y) * (y**2 / z**2 * dz)) / np.abs(y)


def solved(x):
    return np.sum(np.abs(np.linalg.solve(MATRIX * x + 1, np.array([1j, 2.0]))) ** 2)


def solved_slope(x):
    a = MATRIX * x + 1
    s = np.linalg.solve(a, np.array([1j, 2.0]))
    return -2 * np.real(np.sum(np.conj(s) * np.linalg.solve(a, MATRIX @ s)))


CLAIMS = {
    "size of an exponential": (lambda x: np.abs(np.exp((1 + 2j) * x)), np.exp),
    "phase": (
        lambda x: np.real(np.exp(1j * x) * (0.5 + 2j)),
        lambda x: -0.5 * np.sin(x) - 2 * np.cos(x),
    ),
    "real root": (lambda x: np.real(np.sqrt(x + 0j)), lambda x: 0.5 / np.sqrt(x)),
    "imaginary root": (lambda x: np.imag(np.sqrt(0j - x)), lambda x: 0.5 / np.sqrt(x)),
    "cube": (lambda x: np.imag((x * 1j + 2) ** 3), lambda x: 12 - 3 * x * x),
    "logarithm": (lambda x: np.imag(np.log(x * 1j - 0.2)), lambda x: -0.2 / (x * x + 0.04)),
    "logarithm of a negative": (lambda x: np.real(np.log(-x + 0j)), lambda x: 1 / x),
    "power": (
        lambda x: np.real((x * 1j) ** 0.5),
        lambda x: np.sqrt(0.5) / (2 * np.sqrt(x)),
    ),
    "impedance": (impedance, impedance_slope),
    "solve": (solved, solved_slope),
    "polynomial": (
        lambda x: np.abs(np.polyval([1, 2j, -1], x + 1j)) ** 2,
        lambda x: 2 * np.real(np.conj((x + 1j) ** 2 + 2j * (x + 1j) - 1) * (2 * (x + 1j) + 2j)),
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_right_claims_are_correct(name):
    function, slope = CLAIMS[name]
    result = verify.gradient(function, slope, at=[0.7, 1.9])
    assert result.verdict is Verdict.CORRECT
    assert result.sampled is None


@pytest.mark.parametrize("name", CLAIMS)
def test_a_lie_of_1e_12_is_wrong(name):
    function, slope = CLAIMS[name]
    result = verify.gradient(function, lambda x: slope(x) * (1 + 1e-12), at=[0.7])
    assert result.verdict is Verdict.WRONG
    assert result.sampled is None


def test_second_derivatives():
    function = lambda x: np.real(np.exp(1j * x) * (0.5 + 2j))  # noqa: E731
    right = lambda x: -0.5 * np.cos(x) + 2 * np.sin(x)  # noqa: E731
    assert verify.hessian(function, right, at=[0.7]).verdict is Verdict.CORRECT
    wrong = verify.hessian(function, lambda x: right(x) * (1 + 1e-12), at=[0.7])
    assert wrong.verdict is Verdict.WRONG


CUTS = {
    "log": lambda x: np.imag(np.log(-1.0 + 1j * (x - 1))),
    "sqrt": lambda x: np.imag(np.sqrt(-1.0 + 1j * (x - 1))),
    "power": lambda x: np.imag((-1.0 + 1j * (x - 1)) ** 0.3),
    "arcsin": lambda x: np.imag(np.arcsin(2.0 + 1j * (x - 1))),
    "arctan": lambda x: np.real(np.arctan(2j + (x - 1))),
    "sqrt at 0": lambda x: np.real(np.sqrt(x - 1 + 0j)),
    "abs at 0": lambda x: np.abs((1 + 1j) * (x - 1)),
}


@pytest.mark.parametrize("name", CUTS)
def test_branch_cuts_are_kinks(name):
    result = verify.gradient(CUTS[name], lambda x: x * 0.0, at=[1.0])
    assert result.verdict is Verdict.KINK


@pytest.mark.campaign
def test_a_needle_in_complex_code_is_found():
    def function(x):
        return np.real(np.exp(1j * x) / (1 + 1j * x))

    def slope(x):
        z = np.exp(1j * x) * (1j / (1 + 1j * x) - 1j / (1 + 1j * x) ** 2)
        return np.real(z) + np.where(np.abs(x - 2.34375) < 1e-3, 1e-3, 0.0)

    found = verify.gradient(function, slope, over=[-4, 4], seed=0)
    assert found.verdict is Verdict.WRONG
    right = verify.gradient(function, lambda x: slope(x) * 1.0, over=[-4, 2])
    assert right.verdict is Verdict.CORRECT
