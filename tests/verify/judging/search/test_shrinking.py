"""The witness of a search is the simplest ordinary point that fails."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify.model.grade import is_extreme
from verify.model.verdict import Verdict

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])

TRANSPOSED = {
    "linear": (lambda x: A @ x, lambda x: A.T),
    "sine": (lambda x: A @ np.sin(x), lambda x: (A * np.cos(x)).T),
    "square": (lambda x: A @ x**2, lambda x: 2 * (A * x).T),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSPOSED)
@pytest.mark.parametrize("bound", [1e150, np.inf])
def test_an_ordinary_point_beats_an_extreme_one(name, bound):
    function, claim = TRANSPOSED[name]
    region = verify.box(-bound, bound, shape=(3,))
    result = verify.jacobian(function, claimed=claim, over=region)
    assert result.verdict is Verdict.WRONG
    assert not is_extreme(result.witness.x)
    assert result.witness.note == ""
    assert "transposed" in result.witness.message
    assert "outside the ordinary range" not in str(result)


@pytest.mark.parametrize("order", [1, -1])
def test_of_points_that_are_given_an_ordinary_one_is_the_witness(order):
    points = [np.array([1e-101, 0.0, 0.0]), np.array([1.0, 1.0, 1.0])][::order]
    result = verify.jacobian(lambda x: A @ x, claimed=lambda x: A.T, at=points)
    assert not result.notes
    np.testing.assert_array_equal(result.witness.x[0], np.ones(3))
    np.testing.assert_array_equal(result.worst.x[0], np.ones(3))
