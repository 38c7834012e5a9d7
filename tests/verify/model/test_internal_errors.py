"""An error inside symtape is symtape's: in words of its own, with its traceback, and no verdict."""

from __future__ import annotations

import json

import numpy as np
import pytest

import symtape
import verify
from symtape.errors import NotTraceable
from verify import Verdict
from verify.judging import judge
from verify.model.internal_errors import is_internal

HOLED = np.array([1.0, 0.0, 2.0])


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def moffat(p):
    y, x = np.mgrid[0:4, 0:4].astype(float)
    squared = (x - p[1]) ** 2 + (y - p[2]) ** 2
    return np.sum(p[0] * (1 + squared / p[3] ** 2) ** (-p[4]))


def bell(p):
    y, x = np.mgrid[0:3, 0:3].astype(float)
    return np.sum(p[0] * np.exp(-((x - p[1]) ** 2 + (y - p[1]) ** 2) / (2 * p[2] ** 2)))


DIVIDING = {
    "by a constant with a hole": lambda x: np.sum(np.where(HOLED == 0, 0.0, x / HOLED)),
    "by a constant with a hole, twice": lambda x: np.sum(np.where(HOLED > 0, x**2 / HOLED, 0.0)),
    "of remainders": lambda x: np.sum(np.where(HOLED > 0, np.sin(x) / HOLED, x)),
    "of lost elements": lambda x: np.sum(np.where(HOLED > 0, np.abs(x - 1) ** 3 / HOLED, 0.0)),
}


@pytest.mark.parametrize("function", DIVIDING.values(), ids=DIVIDING)
@pytest.mark.parametrize("derivative", [verify.gradient, verify.hessian])
def test_a_series_is_divided_by_0_and_nothing_is_known_of_it(function, derivative):
    result = derivative(function, at=[np.array([1.0, 2.0, 3.0])])
    assert result.verdict is not Verdict.UNDECIDED, str(result)


@pytest.mark.long
@pytest.mark.parametrize(
    ("function", "size"), [(moffat, 5), pytest.param(bell, 3, marks=pytest.mark.campaign)]
)
def test_profiles_are_searched_where_their_width_is_0(function, size):
    claim = symtape.grad(function)
    result = verify.gradient(function, claim, over=verify.box(-1, 2, shape=(size,)), effort="quick")
    assert not any(point.traceback for point in result.points), str(result)


ELEMENTWISE = (
    np.sin, np.exp, np.log, np.sqrt, np.abs, np.square, np.reciprocal, np.cbrt, np.sinc, np.sign,
    np.sort, np.cumsum, lambda x: x**-1, lambda x: x**2.5, lambda x: x / np.std(x),
    lambda x: x - np.max(x), lambda x: x / np.linalg.norm(x), lambda x: np.hypot(x, np.flip(x)),
    lambda x: np.prod(x) / x, lambda x: np.where(HOLED == 0, 0.0, x / HOLED), lambda x: x**HOLED,
    lambda x: np.median(x) * x, lambda x: HOLED**x, lambda x: np.arctan2(x, np.flip(x)),
)  # fmt: skip
POINTS = (
    np.zeros(3), np.ones(3), np.array([0.0, 1.0, -1.0]), np.array([1e-300, 0.0, 5e-324]),
    np.full(3, 2.0), np.array([-1.0, -2.0, 0.5]),
)  # fmt: skip


def program(seed):
    """A function of three numbers, made by chance, and a special point of it."""
    random = np.random.default_rng(seed)
    first, second, third = (ELEMENTWISE[k] for k in random.integers(len(ELEMENTWISE), size=3))

    def function(x):
        a = first(x)
        return np.sum(third(np.where(a > x, second(a), a / x)) * np.array([1.0, 2.0, 3.0]))

    return function, POINTS[random.integers(len(POINTS))]


LATER = [pytest.param(seed, marks=pytest.mark.campaign) for seed in range(60, 240, 6)]


@pytest.mark.parametrize("seed", [*range(0, 60, 6), *LATER])
def test_programs_made_by_chance_meet_no_such_error(seed):
    for number in range(seed, seed + 6):
        function, at = program(number)
        for derivative in (verify.gradient, verify.hessian):
            result = derivative(function, at=[at])
            assert not any(point.traceback for point in result.points), (number, str(result))


def test_what_is_of_unknown_order_is_unsupported():
    def ordered(x):
        return np.median(np.log(np.prod(x - 2) / (x - 2)) * x)

    result = verify.gradient(ordered, at=[np.full(3, 2.0)])
    assert not any(point.traceback for point in result.points)


@pytest.fixture
def broken(monkeypatch):
    """An oracle that fails where the first number is positive."""
    confirmed = judge.confirm_by_jets
    scope = {"__name__": "symtape.rigorous.planted", "np": np, "confirmed": confirmed}
    code = (
        "def planted(graph, x, *rest):\n"
        "    if np.ravel(x[0])[0] > 0:\n"
        "        raise ZeroDivisionError('power series division')\n"
        "    return confirmed(graph, x, *rest)\n"
    )
    exec(compile(code, "symtape/rigorous/planted.py", "exec"), scope)
    monkeypatch.setattr(judge, "confirm_by_jets", scope["planted"])


def test_it_is_told_as_what_it_is_with_what_replays_it(broken):
    result = verify.gradient(np.sin, np.cos, at=[0.5, -0.5])
    assert result.verdict is Verdict.UNDECIDED
    assert not result
    assert [point.verdict for point in result.points] == [Verdict.UNDECIDED, Verdict.CORRECT]
    assert result.message.startswith("an error inside symtape (ZeroDivisionError in ")
    assert "planted.py:3: power series division" in result.message
    assert "cannot be recorded" not in str(result)
    assert "replay     verify.assert_gradient(sin, cos, at=[0.5])" in str(result)
    assert "Traceback (most recent call last)" in result.explain()
    kept = json.loads(result.to_json())
    assert kept["points"][0]["traceback"].endswith("ZeroDivisionError: power series division")
    assert kept["replay"] == "verify.assert_gradient(sin, cos, at=[0.5])"


@pytest.mark.long
def test_a_search_goes_on_and_is_not_called_correct(broken):
    result = verify.gradient(np.sin, np.cos, over=[-1, 1])
    assert result.verdict is Verdict.UNDECIDED
    assert not result
    assert result.coverage.judged > result.coverage.undecided > 0
    assert "an error inside symtape" in str(result)
    assert "by samples alone: CORRECT" in str(result)


def test_a_wrong_claim_is_found_all_the_same(broken):
    result = verify.gradient(np.sin, lambda x: 2 * np.cos(x), at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "an error inside symtape" in result.message


def raises(x):
    raise RuntimeError("of its own")


def test_what_the_function_raises_is_its_own():
    with pytest.raises(RuntimeError, match="of its own"):
        verify.gradient(raises, np.cos, at=[0.5])


def test_what_an_operation_of_the_users_raises_is_told_as_that(monkeypatch):
    def reading(*args):
        raise ZeroDivisionError("mine")

    # It stands for a reading that is called when the oracles ask for it.
    monkeypatch.setattr(judge, "confirm_by_jets", reading)
    result = verify.gradient(np.sin, np.cos, at=[0.5])
    assert result.verdict is Verdict.UNDECIDED
    assert "an operation of sin that is not symtape's own raised ZeroDivisionError" in str(result)
    assert not any(point.traceback for point in result.points)


def test_words_of_symtape_are_no_internal_error():
    assert not is_internal(NotTraceable("in words"))
