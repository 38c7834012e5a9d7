"""Floats on a kink that exact arithmetic is not on: nobody is accused, and nothing is confirmed."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify.model.verdict import Verdict


def root_of_square(x):
    return np.sqrt(x * x)


@pytest.mark.parametrize("x", [1e-170, -1e-170, 5e-324])
def test_a_right_derivative_is_not_accused_where_the_function_underflows(x):
    result = verify.gradient(root_of_square, claimed=np.sign, at=[x])
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert "underflowed" in result.points[0].message


def test_the_kink_itself_is_one():
    assert verify.gradient(root_of_square, claimed=np.sign, at=[0.0]).verdict is Verdict.KINK


def test_beside_it_the_wrong_sign_is_wrong():
    result = verify.gradient(root_of_square, claimed=lambda x: -np.sign(x), at=[1e-150])
    assert result.verdict is Verdict.WRONG


@pytest.mark.parametrize("x", [[0.0, 1e-250, 2e-250], [0.0, 5e-324, 1e-323]])
def test_an_underflow_behind_a_kink_of_the_function_accuses_nobody(x):
    """A 3/2-norm: abs is at 0, and beyond it the sum of powers is 0.0 in floats alone."""

    def norm(x):
        return np.sum(np.abs(x) ** 1.5) ** (1 / 1.5)

    def slope(x):
        relative = x / np.max(x)
        return np.sqrt(relative) / np.sum(relative**1.5) ** (1 / 3)

    result = verify.gradient(norm, claimed=slope, at=[x])
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert "underflowed" in result.points[0].message


def test_a_kink_without_underflow_behind_it_is_judged_as_before():
    def norm(x):
        return np.sum(np.abs(x) ** 1.5) ** (1 / 1.5)

    wrong = verify.gradient(norm, claimed=lambda x: np.ones(3), at=[[0.0, 1.0, 2.0]])
    assert wrong.verdict is Verdict.WRONG
