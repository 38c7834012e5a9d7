from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symtape


@pytest.mark.parametrize("function", [np.logaddexp, np.logaddexp2])
@pytest.mark.parametrize(
    ("a", "b", "shares"),
    [
        (-np.inf, -np.inf, (0.0, 0.0)),
        (-np.inf, 2.0, (0.0, 1.0)),
        (2.0, -np.inf, (1.0, 0.0)),
        (np.inf, 2.0, (1.0, 0.0)),
        (2.0, 2.0, (0.5, 0.5)),
        (5000.0, -5000.0, (1.0, 0.0)),
    ],
)
def test_shares_of_terms_that_are_zero_or_infinite(
    function: Any, a: float, b: float, shares: Any
) -> None:
    assert symtape.grad(function, (0, 1))(a, b) == shares
    if shares != (0.5, 0.5):
        assert np.array_equal(symtape.hessian(function, (0, 1))(a, b), np.zeros((2, 2)))
