"""What no float shows is nobody's fault: half a unit in the last place of the exact value."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify import Verdict
from verify.reporting import wording


def cosine(x):
    """Of small x by three terms, right to half a unit; of others by NumPy."""
    small = np.abs(x) < 1e-4
    return np.where(small, 1 - x**2 / 2, np.cos(np.where(small, 1.0, x)))


def by_if(x):
    return 1 - x**2 / 2 if abs(x) < 1e-4 else np.cos(x)


def coarse(x):
    """One term too few."""
    return np.where(np.abs(x) < 1e-4, 1.0, np.cos(x))


def of_one_formula(x):
    square = x * x
    return -x / 12 * (1 - square / 15 * (1 - 3 * square / 112 * (1 - square / 67.5)))


@pytest.mark.parametrize("claimed", [cosine, by_if])
@pytest.mark.parametrize("x", [1e-5, 9e-5, 0.5])
def test_a_series_that_no_float_can_tell_is_correct(claimed, x):
    result = verify.gradient(np.sin, at=[x], claimed=claimed)
    assert result.verdict is Verdict.CORRECT, str(result)
    assert ("less than half a unit" in result.witness.message) == (x < 1e-4)


def test_a_series_of_one_formula_is_correct_where_no_float_can_tell():
    def f(x):
        return (1 - np.cos(x)) / x**2

    assert verify.gradient(f, of_one_formula, at=[1e-4]).verdict is Verdict.CORRECT
    assert verify.gradient(f, of_one_formula, at=[1e-4, 0.5]).verdict is Verdict.WRONG


def test_a_series_that_floats_can_tell_is_wrong():
    assert verify.gradient(np.sin, at=[9e-5], claimed=coarse).verdict is Verdict.WRONG


@pytest.mark.parametrize("fault", [1e-12, 4e-15, 3e-16])
def test_a_rule_that_is_off_by_more_than_half_a_unit_is_wrong_where_rounding_hides_it(fault):
    def f(x):
        return np.sum(np.sin(x) * np.exp(x))

    def claimed(x):
        right = np.cos(x) * np.exp(x) + np.sin(x) * np.exp(x)
        return right + right * (fault * (1 + x * x))

    result = verify.gradient(f, claimed, at=[[0.5, 1.25]])
    assert result.verdict is Verdict.WRONG, str(result)
    worst = result.witness.worst
    assert worst.ulps > worst.allowed
    assert worst.ulps > fault * 2**52 / 2


@pytest.mark.parametrize("fault", [1e-17, 1e-20, 1e-40])
def test_what_is_off_by_less_is_nobodys_fault(fault):
    result = verify.gradient(np.sin, at=[0.5], claimed=lambda x: np.cos(x) + fault * np.cos(x))
    assert result.verdict is Verdict.CORRECT, str(result)


def test_what_is_off_by_little_at_one_point_is_found_elsewhere():
    def claimed(x):
        return np.cos(x) + 1e-3 * x**8

    assert verify.gradient(np.sin, claimed, at=[1e-3]).verdict is Verdict.CORRECT
    assert verify.gradient(np.sin, claimed, over=verify.box(-1, 1)).verdict is Verdict.WRONG


def test_beside_an_exact_zero_there_is_no_half_unit():
    def f(x):
        return x[0] * 0.0 + x[1]

    result = verify.gradient(f, lambda x: np.stack([1e-40 * x[1], 1.0 + 0 * x[1]]), at=[[0.5, 2.0]])
    assert result.verdict is Verdict.WRONG, str(result)


def test_a_format_has_its_own_half_unit():
    def claimed(x):
        return np.cos(x) * (1 + 1e-9 * x)

    single = np.float32(0.5)
    assert verify.gradient(np.sin, claimed, at=[0.5]).verdict is Verdict.WRONG
    assert verify.gradient(np.sin, claimed, at=[single]).verdict is Verdict.CORRECT


@pytest.mark.parametrize("tiny", [0, 1e-15])
def test_branches_of_the_function_itself_are_held_to_half_a_unit(tiny):
    def huber(x):
        return np.where(np.abs(x) < 1.0, x**2 / 2, np.abs(x) - 0.5)

    def slope(x):
        right = np.where(np.abs(x) < 1.0, x, np.sign(x))
        return right + right * (tiny * (1 + x * x))

    verdict = verify.gradient(huber, at=[0.3, -1.7], claimed=slope).verdict
    assert verdict is (Verdict.WRONG if tiny else Verdict.CORRECT)


def test_the_numbers_of_a_finding_are_those_of_exact_arithmetic_where_it_made_it():
    result = verify.gradient(np.sin, lambda x: np.cos(x) * (1 + 2**-51 * x), at=[0.5])
    assert result.verdict is Verdict.WRONG
    worst = result.witness.worst
    assert worst.exactly
    assert worst.allowed == 0.5
    assert 1.5 < worst.ulps < 2
    assert "in exact arithmetic the gradient is" in result.witness.message
    (point,) = result.points
    assert wording.error(point).endswith("ulps in exact arithmetic; 0.5 allowed")


def test_a_mask_that_a_claim_returns_counts_as_numbers():
    def clipped(x):
        return np.sum(np.where(np.abs(x) < 1, x, 0 * x))

    at = [np.array([0.5, 2.0])]
    assert verify.gradient(clipped, lambda x: np.abs(x) < 1, at=at).verdict is Verdict.CORRECT
    assert verify.gradient(clipped, lambda x: np.abs(x) > 1, at=at).verdict is Verdict.WRONG
