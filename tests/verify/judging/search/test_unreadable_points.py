"""A point at which a program cannot be recorded is a point, and not the end of a search."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import verify
from symtape.errors import NotTraceable, Unreadable, Unsupported
from verify import Verdict

ERRORS = pytest.mark.parametrize("error", [Unreadable, NotTraceable, Unsupported])


def refusing(error, where):
    def function(x):
        if where(x[0]):
            raise error("an operation cannot be read")
        return np.sum(x**2)

    return function


@pytest.mark.long
@pytest.mark.slow
@ERRORS
@pytest.mark.parametrize("factor", [2.0, 2.1])
def test_a_search_goes_on_where_one_side_cannot_be_read(error, factor):
    function = refusing(error, lambda a: a > 0.51)
    result = verify.gradient(
        function, lambda x: factor * x, over=verify.box(-1, 1, shape=2), effort=0.1
    )
    assert (result.verdict is Verdict.WRONG) == (factor != 2.0), str(result)
    assert result.coverage.judged > 10


def test_a_search_goes_on_where_the_first_point_cannot_be_read():
    seen = []

    def first(a):
        seen.append(a)
        return len(seen) == 1

    result = verify.gradient(
        refusing(Unreadable, first), lambda x: 2.1 * x, over=verify.box(-1, 1, shape=2), effort=0.1
    )
    assert result.verdict is Verdict.WRONG, str(result)
    assert result.sampled is None


@ERRORS
def test_other_points_that_are_given_are_judged(error):
    at = [np.array([1.0, 2.0]), np.array([0.25, 2.0])]
    result = verify.gradient(refusing(error, lambda a: a > 0.5), lambda x: 2.1 * x, at=at)
    assert [point.verdict for point in result.points] == [Verdict.UNDECIDED, Verdict.WRONG]


def test_a_function_that_cannot_be_read_anywhere_is_refused():
    function = refusing(Unreadable, lambda a: a > -2)
    for where in ({"over": verify.box(-1, 1, shape=2)}, {"at": [np.array([1.0, 2.0])]}):
        with pytest.raises(Unreadable, match="cannot be read"):
            verify.gradient(function, lambda x: 2 * x, **where)


@pytest.mark.long
def test_a_root_of_matrices_has_a_verdict_over_a_box():
    result = verify.gradient(
        lambda a: np.sum(scipy.linalg.sqrtm(a)), over=verify.box(0.5, 2, shape=(2, 2)), effort=0.1
    )
    assert result.verdict is not Verdict.WRONG, str(result)


def test_a_rule_is_replayed_where_it_has_a_value_alone():
    at = [np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[0.5, 2.0], [2.0, 0.5]])]
    result = verify.gradient(lambda a: np.sum(scipy.linalg.sqrtm(a)), at=at)
    assert [point.verdict for point in result.points] == [Verdict.CORRECT, Verdict.UNDECIDED]


def test_a_claim_that_answers_nowhere_is_not_called_at_every_point():
    calls = []

    def claim(x):
        calls.append(x)
        raise RuntimeError("no rule for this")

    result = verify.gradient(np.sin, claim, over=[-1, 1])
    assert result.verdict is Verdict.WRONG
    assert "no rule for this" in result.message
    assert len(calls) < 200 < result.coverage.tried


def test_a_claim_that_answers_somewhere_is_called_everywhere():
    calls = []

    def claim(x):
        calls.append(x)
        if abs(x) < 0.999:
            return np.cos(x)
        raise RuntimeError("too far")

    result = verify.gradient(np.sin, claim, over=[-1, 1])
    assert result.verdict is Verdict.WRONG
    assert "too far" in result.message
    assert len(calls) >= 200
