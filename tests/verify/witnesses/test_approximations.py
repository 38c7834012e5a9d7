"""A branch as good as the derivative is no fault; a formula that is off by 1e-40 is one."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify.verdict import Verdict


def cosine(x):
    """Of small x by three terms, right to half a unit; of others by NumPy."""
    small = np.abs(x) < 1e-4
    return np.where(small, 1 - x**2 / 2, np.cos(np.where(small, 1.0, x)))


def by_if(x):
    return 1 - x**2 / 2 if abs(x) < 1e-4 else np.cos(x)


def coarse(x):
    """One term too few."""
    return np.where(np.abs(x) < 1e-4, 1.0, np.cos(x))


@pytest.mark.parametrize("claimed", [cosine, by_if])
@pytest.mark.parametrize("x", [1e-5, 9e-5, 0.5])
def test_a_series_that_no_float_can_tell_is_correct(claimed, x):
    result = verify.gradient(np.sin, at=[x], claimed=claimed)
    assert result.verdict is Verdict.CORRECT, str(result)
    assert ("is an approximation" in result.witness.message) == (x < 1e-4)


def test_a_series_that_floats_can_tell_is_wrong():
    assert verify.gradient(np.sin, at=[9e-5], claimed=coarse).verdict is Verdict.WRONG


@pytest.mark.parametrize("fault", [1e-12, 1e-20, 1e-40])
def test_a_single_formula_is_held_to_exact_arithmetic(fault):
    result = verify.gradient(np.sin, at=[0.5], claimed=lambda x: np.cos(x) + fault * np.cos(x))
    assert result.verdict is Verdict.WRONG


@pytest.mark.parametrize("tiny", [0, 1e-40])
def test_branches_of_the_function_itself_are_held_to_exact_arithmetic(tiny):
    def huber(x):
        return np.where(np.abs(x) < 1.0, x**2 / 2, np.abs(x) - 0.5)

    def slope(x):
        right = np.where(np.abs(x) < 1.0, x, np.sign(x))
        return right + right * (tiny * (1 + x * x))

    verdict = verify.gradient(huber, at=[0.3, -1.7], claimed=slope).verdict
    assert verdict is (Verdict.WRONG if tiny else Verdict.CORRECT)
