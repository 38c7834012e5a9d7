"""Floats on a kink that exact arithmetic is not on: nobody is accused, and nothing is confirmed."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify.verdict import Verdict


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
