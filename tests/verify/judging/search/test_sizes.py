"""Searches over arrays without entries, with one, and with axes of either size."""

import warnings

import numpy as np
import pytest

import verify
from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.verdict import Verdict

UNIT = verify.box(-1, 1)
PAIR = verify.broadcasting(UNIT, UNIT)
SMALL = verify.box(-1, 1, shape=[(0,), (1,), (1, 1), (0, 3), (3, 0), (1, 0)])
SQUARE = verify.box(-1, 1, shape=[(0, 0), (1, 1), (2, 2)])


def searched(function, over, quantity, claimed=None):
    region = region_of(function, over)
    case = Case("case", "case", function, (), quantity, claimed, over=region)
    return verify_case(case, effort=0.05)


@pytest.mark.long
@pytest.mark.parametrize(
    ("function", "over", "quantity"),
    [
        (lambda x, b: np.sum(x * b), PAIR, "gradient"),
        (lambda x, b: x * b, PAIR, "jacobian"),
        (lambda x, b: np.sum(x * x * b), PAIR, "hessian"),
        (np.prod, SMALL, "gradient"),
        (np.linalg.norm, SMALL, "gradient"),
        (lambda x: np.sum(np.cumsum(x) ** 2), SMALL, "gradient"),
        (lambda x: np.exp(x).T, SMALL, "jacobian"),
        (lambda x: np.sum(x, axis=0), SMALL, "jacobian"),
        (lambda x: x @ x, SQUARE, "jacobian"),
        (np.linalg.det, SQUARE, "gradient"),
    ],
)
def test_empty_and_single_axes_are_searched_like_others(function, over, quantity):
    result = searched(function, over, quantity)
    assert result.verdict in (Verdict.CORRECT, Verdict.KINK)
    assert not result.coverage.undecided


def test_a_claim_that_forgets_an_empty_axis_is_found():
    def forgets(x, b):
        return b * np.ones_like(x), x * np.ones_like(b)

    result = searched(lambda x, b: np.sum(x * b), PAIR, "gradient", forgets)
    assert result.verdict is Verdict.WRONG
    assert "shape" in result.witness.message


def test_what_numpy_warns_of_stays_inside_the_search(capfd):
    def claimed(x):
        warnings.warn("of the user's own", UserWarning, stacklevel=2)
        return np.where(x == 0, 1.0, x / x) * np.cos(x)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = searched(np.sin, [-9, 9], "gradient", claimed)
    assert result.verdict is Verdict.CORRECT
    assert not seen
    assert not capfd.readouterr().err
