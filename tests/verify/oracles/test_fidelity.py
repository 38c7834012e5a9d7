"""What a library computes in other steps than those it is read as is followed all the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, signal, special

import verify
from verify.model.verdict import Verdict

OTHER_STEPS = {
    "convolution by transforms": (signal.fftconvolve, (5,), (3,)),
    "convolution by overlapping transforms": (signal.oaconvolve, (7,), (3,)),
    "correlation by transforms": (lambda a, b: signal.correlate(a, b, method="fft"), (4,), (3,)),
    "trend by least squares": (signal.detrend, (6,)),
    "cotangent of degrees": (special.cotdg, (3,)),
    "angles by sines and cosines": (linalg.subspace_angles, (4, 2), (4, 1)),
}


@pytest.mark.parametrize("name", OTHER_STEPS)
def test_other_steps_are_the_same_function(name):
    function, *shapes = OTHER_STEPS[name]
    random = np.random.default_rng(3)
    points = [tuple(random.uniform(-2, 2, shape) for shape in shapes) for _ in range(4)]
    result = verify.jacobian(function, at=points)
    assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize("digits", [8, 10, 12])
def test_what_a_recording_has_lost_is_another_function(digits):
    kept = {}

    def function(x):
        # A cache by place: what is recorded holds the value of the first point as a constant.
        lost = kept.setdefault("x", float(np.sum(np.asarray(x, dtype=float))))
        return np.sum(np.sin(x)) + 10.0**-digits * (np.sum(x) - lost)

    result = verify.gradient(function, lambda x: np.cos(x), at=[np.array([0.5, 0.25])])
    assert result.verdict is not Verdict.CORRECT
