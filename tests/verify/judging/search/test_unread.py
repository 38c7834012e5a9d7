"""Claims that balls cannot read, that have no number, or whose arrays change their shapes."""

import numpy as np
import pytest
from scipy import special

import verify
from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.verdict import Verdict

WEIGHTS = np.arange(1.0, 5.0)
FOUR = verify.box(-3, 3, shape=(4,))


@pytest.fixture(autouse=True)
def forgetful(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def searched(function, claim, over):
    region = region_of(function, over)
    case = Case("case", "case", function, (), "gradient", claim, over=region)
    return verify_case(case, effort=0.1)


def half_square(x):
    return np.sum(x * x) / 2


def by_spacing(x):
    return x + (np.spacing(x) - np.spacing(x))


def logarithm_squared(x):
    return np.log1p(x) ** 2 / 2


def by_series(x):
    return x * special.hyp2f1(1, 1, 2, -x) / (1 + x)


UNREAD = [
    (
        "members",
        half_square,
        lambda x: x * (1 + np.isin(x, [1.0, 2.0])),
        lambda x: x * (1 + 0 * np.isin(x, [1.0, 2.0])),
        FOUR,
    ),
    (
        "whole powers of two",
        lambda x: x**3,
        lambda x: 3 * x * x * (1 + (np.frexp(x)[0] == 0.5)),
        lambda x: 3 * x * x * (1 + 0 * np.frexp(x)[0]),
        [0.1, 100],
    ),
    (
        "a table",
        lambda x: np.where(x < 1, x, 2 * x - 1),
        lambda x: np.array([1.0, 2.0, 4.0])[np.digitize(x, [1.0, 3.0])],
        lambda x: np.array([1.0, 2.0])[np.digitize(x, [1.0])],
        [-5, 5],
    ),
    ("spacing", half_square, lambda x: by_spacing(x) * WEIGHTS, by_spacing, FOUR),
    ("hypergeometric", logarithm_squared, lambda x: by_series(x) / x, by_series, [0.125, 0.875]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "right", "over", "function"),
    [
        pytest.param(wrong, right, over, function, id=name)
        for name, function, wrong, right, over in UNREAD
    ],
)
def test_code_without_a_reading_in_balls_is_judged_by_its_values(wrong, right, over, function):
    found = searched(function, wrong, over)
    assert found.verdict is Verdict.WRONG
    assert searched(function, right, over).verdict in (Verdict.CORRECT, Verdict.KINK)


def test_what_such_code_loses_of_its_digits_is_no_wrong_rule():
    """It may itself be less exact than its arguments allow."""

    def coarse(x):
        return by_spacing(x) * (1 + 2.0**-16)

    result = verify.gradient(half_square, claimed=coarse, at=[[1.0, 2.0, 3.0, 4.0]])
    assert result.verdict is Verdict.UNDECIDED
    assert "no reading in balls" in result.points[0].message


def test_where_all_is_zero_nothing_measures_what_is_gross():
    result = verify.gradient(
        half_square, claimed=lambda x: by_spacing(x) + 1e-17, at=[[0.0, 0.0, 0.0, 0.0]]
    )
    assert result.verdict is not Verdict.WRONG


def power_slopes(x, y):
    return y * x ** (y - 1), x**y * np.log(x)


def power_slopes_at_zero_too(x, y):
    return y * x ** (y - 1), np.where(x > 0, x**y * np.log(np.where(x > 0, x, 1.0)), 0.0)


@pytest.mark.long
def test_a_claim_without_a_number_is_found_where_there_is_no_closed_form():
    over = ([0, 4], [1.5, 4])
    found = searched(np.power, power_slopes, over)
    assert found.verdict is Verdict.WRONG
    assert found.witness.x[0] == 0
    right = searched(np.power, power_slopes_at_zero_too, over)
    assert right.verdict in (Verdict.CORRECT, Verdict.KINK)


@pytest.mark.long
def test_arrays_of_a_claim_may_change_their_shapes():
    """How many numbers a mask leaves depends on the point."""

    def twice_where_repeated(x):
        repeated = x[np.concatenate([[False], x[1:] == x[:-1]])]
        return np.cos(x) * np.where(np.isin(x, repeated), 2, 1)

    def total(x):
        return np.sum(np.sin(x))

    over = verify.box(-3, 3, shape=(5,))
    assert searched(total, twice_where_repeated, over).verdict is Verdict.WRONG
    assert searched(total, np.cos, over).verdict is Verdict.CORRECT
