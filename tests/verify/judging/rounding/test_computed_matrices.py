"""Matrices that code computes, where what they multiply cancels to nothing at symmetric points."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.fft

import verify
from verify import Verdict

N = 8
AT = np.arange(N)
WEIGHTS = np.arange(1.0, 6.0)
ALL = np.arange(1.0, 9.0)
TURNS = 2 * np.pi * np.outer(np.arange(5), AT) / N
LINE = np.linspace(-1, 1, N)


def quadratic(matrix, weights):
    """The gradient of a weighted sum of squares of what a matrix makes of its argument."""
    return lambda x: 2 * np.real(np.conj(matrix()).T @ (weights * (matrix() @ x)))


def fourier():
    return np.exp(-2j * np.pi * np.outer(AT, AT) / N)


def sines_apart(x, weights=WEIGHTS):
    cosines, sines = np.cos(TURNS), np.sin(TURNS)
    return 2 * (cosines.T @ (weights * (cosines @ x)) + sines.T @ (weights * (sines @ x)))


def fourth_power(x):
    power = np.cos(TURNS) @ x, np.sin(TURNS) @ x
    return 2 * sines_apart(x, WEIGHTS * (power[0] ** 2 + power[1] ** 2))


def logarithm(x):
    power = np.cos(TURNS) @ x, np.sin(TURNS) @ x
    return sines_apart(x, WEIGHTS / (1 + power[0] ** 2 + power[1] ** 2))


def cosines():
    return 2 * np.cos(np.pi * np.outer(AT, 2 * AT + 1) / (2 * N))


def by_angle(angle):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return lambda x: np.sum(ALL[:4] * (x.reshape(4, 2) @ turn.T)[:, 0] ** 2)


def by_exponential(angle):
    z = np.exp(1j * angle)

    def slope(x):
        pairs = x.reshape(4, 2)
        along = 2 * ALL[:4] * (z.real * pairs[:, 0] - z.imag * pairs[:, 1])
        return np.stack([z.real * along, -z.imag * along], 1).ravel()

    return slope


def quadrature(x):
    nodes, weights = np.polynomial.legendre.leggauss(5)
    return np.sum(weights * np.sin(np.vander(nodes, N, increasing=True) @ x))


def by_formula(x):
    inner, outer = (np.sqrt(5 + sign * 2 * np.sqrt(10 / 7)) / 3 for sign in (-1, 1))
    nodes = np.array([-outer, -inner, 0, inner, outer])
    most, least = ((322 + sign * 13 * np.sqrt(70)) / 900 for sign in (1, -1))
    weights = np.array([least, most, 128 / 225, most, least])
    powers = np.vander(nodes, N, increasing=True)
    return powers.T @ (weights * np.cos(powers @ x))


def differences():
    whole = np.diag(np.ones(N - 1), 1) - 2 * np.eye(N) + np.diag(np.ones(N - 1), -1)
    return whole[1:-1] / 0.1**2


RIGHT = {
    "a spectrum, claimed by a matrix": (
        lambda x: np.sum(WEIGHTS * np.abs(np.fft.rfft(x)) ** 2),
        quadratic(lambda: fourier()[:5], WEIGHTS),
    ),
    "a spectrum, claimed by sines": (
        lambda x: np.sum(WEIGHTS * np.abs(np.fft.rfft(x)) ** 2),
        sines_apart,
    ),
    "a whole spectrum": (
        lambda x: np.sum(ALL * np.abs(np.fft.fft(x)) ** 2),
        quadratic(fourier, ALL),
    ),
    "a matrix, claimed by its transform": (
        lambda x: np.sum(ALL * np.abs(fourier() @ x) ** 2),
        lambda x: 2 * N * np.real(np.fft.ifft(ALL * np.fft.fft(x))),
    ),
    "the square of a spectrum": (
        lambda x: np.sum(WEIGHTS * np.abs(np.fft.rfft(x)) ** 4),
        fourth_power,
    ),
    "the logarithm of a spectrum": (
        lambda x: np.sum(WEIGHTS * np.log1p(np.abs(np.fft.rfft(x)) ** 2)),
        logarithm,
    ),
    "cosines": (lambda x: np.sum(ALL * scipy.fft.dct(x) ** 2), quadratic(cosines, ALL)),
    "a stencil": (
        lambda x: np.sum(((x[2:] - 2 * x[1:-1] + x[:-2]) / 0.1**2) ** 2),
        quadratic(differences, np.ones(N - 2)),
    ),
    "powers": (
        lambda x: np.sum((np.vander(LINE / 3, increasing=True) @ x) ** 2),
        quadratic(lambda: np.stack([(LINE / 3) ** k for k in AT], 1), 1.0),
    ),
    "Chebyshev": (
        lambda x: np.sum((np.cos(np.outer(np.arccos(LINE), AT)) @ x) ** 2),
        quadratic(lambda: np.polynomial.chebyshev.chebvander(LINE, N - 1), 1.0),
    ),
    "a quadrature": (quadrature, by_formula),
    "a right angle": (by_angle(np.pi / 2), by_exponential(np.pi / 2)),
    "half of a right angle": (by_angle(np.pi / 4), by_exponential(np.pi / 4)),
}

SYMMETRIC = [
    [1, 0, 1, 0, 1, 0, 1, 0],
    [1, 1, 1, 1, 1, 1, 1, 1],
    [1, -1, 1, -1, 1, -1, 1, -1],
    [0, 0, 0, 0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0, 0, 0],
    [1, 0, 0, 0, 1, 0, 0, 0],
    [1, 2, 2, 1, 1, 2, 2, 1],
    [1, 0, -1, 0, 1, 0, -1, 0],
    [0, 1, 0, -1, 0, 1, 0, -1],
    [1, 0, 0, 1, -1, 0, 0, -1],
]
GENERIC = np.array([1.3, 0.2, -0.7, 0.4, 2.2, -1.1, 0.6, 0.9])


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_right_claims_are_not_accused_where_terms_cancel(name):
    function, slope = RIGHT[name]
    for x in SYMMETRIC:
        result = verify.gradient(function, slope, at=[np.array(x, dtype=float)])
        assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.campaign
@pytest.mark.parametrize("name", RIGHT)
def test_right_claims_are_accused_at_no_point_of_a_grid(name):
    function, slope = RIGHT[name]
    for x in itertools.islice(itertools.product([0.0, 1.0, -1.0], repeat=N), 0, None, 53):
        result = verify.gradient(function, slope, at=[np.array(x)])
        assert result.verdict is Verdict.CORRECT, str(result)


FAULTS = {
    "a thousandth": lambda g, at: g * np.where(at == AT, 1.001, 1.0),
    "a sign": lambda g, at: g * np.where(at == AT, -1.0, 1.0),
    "nothing": lambda g, at: g * np.where(at == AT, 0.0, 1.0),
    "a billionth": lambda g, at: g * np.where(at == AT, 1 + 1e-9, 1.0),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", RIGHT)
def test_faults_beside_computed_matrices_are_not_excused(name, fault):
    function, slope = RIGHT[name]
    for at in (1, 4):
        wrong = verify.gradient(
            function, lambda x, at=at: FAULTS[fault](slope(x), at), at=[GENERIC]
        )
        assert wrong.verdict is not Verdict.CORRECT, str(wrong)
