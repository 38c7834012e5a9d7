"""Fourier, cosine and sine transforms are read with exact roots of unity."""

import numpy as np
import pytest
import scipy.fft

import verify
from tests.symtape.complex_calls import weighted
from tests.symtape.fourier_calls import CALLS, TRIGONOMETRIC
from verify import Verdict

TRANSFORMS = {name: (np.fft, call) for name, call in list(CALLS.items())[::2]}
TRANSFORMS |= {name: (scipy.fft, call) for name, call in list(TRIGONOMETRIC.items())[::3]}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_tape_is_right(name):
    module, (made, x) = TRANSFORMS[name]
    assert verify.gradient(weighted(made(module)), at=[x]).verdict is Verdict.CORRECT


REAL = [name for name in TRIGONOMETRIC if "fft" not in name and "complex" not in name]


@pytest.mark.parametrize("name", REAL)
def test_zeros_of_a_jacobian_hold_what_libraries_leave_of_them(name):
    made, x = TRIGONOMETRIC[name]
    assert verify.jacobian(made(scipy.fft), at=[x]).verdict is Verdict.CORRECT


def energy(x):
    """Of what a low pass leaves."""
    spectrum = np.fft.rfft(x) * np.array([1.0, 1.0, 0.5, 0.0, 0.0])
    return np.sum(np.fft.irfft(spectrum, n=8) ** 2)


def energy_slope(x):
    mask = np.array([1.0, 1.0, 0.5, 0.0, 0.0])
    return 2 * np.fft.irfft(np.fft.rfft(x) * mask**2, n=8)


POINT = np.array([0.5, -1.25, 2.0, 0.75, -0.3, 1.1, 0.2, -0.6])


def test_a_gradient_by_hand():
    assert verify.gradient(energy, energy_slope, at=[POINT]).verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "lie",
    [
        lambda x: energy_slope(x) * (1 + 1e-12),
        lambda x: energy_slope(x) + 1e-11 * np.arange(8.0),
        lambda x: 2 * np.fft.irfft(np.fft.rfft(x) * np.array([1.0, 1, 0.5, 0, 0]), n=8),
        lambda x: energy_slope(x) / np.sqrt(8),
    ],
)
def test_lies_are_wrong(lie):
    assert verify.gradient(energy, lie, at=[POINT]).verdict is Verdict.WRONG


def test_parseval_by_hand():
    def function(x):
        return np.sum(np.abs(np.fft.fft(x)) ** 2)

    assert verify.gradient(function, lambda x: 16 * x, at=[POINT]).verdict is Verdict.CORRECT
    assert verify.gradient(function, lambda x: 2 * x, at=[POINT]).verdict is Verdict.WRONG
    second = verify.hessian(function, lambda x: 16 * np.eye(8), at=[POINT])
    assert second.verdict is Verdict.CORRECT
