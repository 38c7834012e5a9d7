"""How many digits it takes until a difference quotient is settled."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import symtape
from verify.model.quantity import Quantity
from verify.oracles.recheck.differences import Functional, settle_quotient
from verify.oracles.recheck.evaluation import NotRechecked


def test_a_zero_whose_roundings_do_not_cancel_takes_no_more_than_1000_digits() -> None:
    x = np.array([0.3, 1.7])
    graph = symtape.record(lambda x: np.sum(np.log1p(x * x)), x)
    found, digits = settle_quotient(Functional(graph, Quantity("hessian"), [x], 0, (0, 1)), None)
    assert found.value == 0
    assert digits <= 1000


@pytest.mark.parametrize("y", [-1e5, -1e12, -1e300])
def test_a_tail_of_too_many_digits_is_left_alone(y: float) -> None:
    graph = symtape.record(special.ndtri_exp, y)
    with pytest.raises(NotRechecked, match=r"a tail of .* digits"):
        settle_quotient(Functional(graph, Quantity("gradient"), [y], 0, ()), None)
