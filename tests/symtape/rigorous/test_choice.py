"""Decisions between balls: certain ones are right, uncertain ones are hulls."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.rigorous import ball

COMPARISONS = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}

CORNERS = st.integers(-6, 6)


@st.composite
def intervals(draw: Any) -> tuple[list[float], arb]:
    """A ball with dyadic ends and the numbers in it to try."""
    middle, radius = draw(CORNERS), draw(st.sampled_from([0, 0, 1, 2]))
    return sorted({middle - radius, middle, middle + radius}), arb(middle, radius)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(COMPARISONS))
@given(a=intervals(), b=intervals())
@settings(deadline=None, derandomize=True)
def test_a_certain_comparison_holds_for_all_values(name: str, a: Any, b: Any) -> None:
    found = getattr(ball, name)(a[1], b[1])
    outcomes = {COMPARISONS[name](x, y) for x, y in itertools.product(a[0], b[0])}
    assert found is None or outcomes == {found}
    if a[1].is_exact() and b[1].is_exact():
        assert found is not None


def test_comparisons_with_the_unknown_are_undecided() -> None:
    for name in COMPARISONS:
        assert getattr(ball, name)(arb("nan"), arb(1)) is None


@pytest.mark.parametrize("name", ["logical_and", "logical_or"])
def test_connectives_are_kleenes(name: str) -> None:
    plain = {"logical_and": operator.and_, "logical_or": operator.or_}
    worlds = {True: [True], False: [False], None: [True, False]}
    for a, b in itertools.product(worlds, worlds):
        outcomes = {plain[name](x, y) for x in worlds[a] for y in worlds[b]}
        expected = outcomes.pop() if len(outcomes) == 1 else None
        assert getattr(ball, name)(a, b) is expected
    assert [ball.logical_not(a) for a in worlds] == [False, True, None]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@given(a=intervals(), b=intervals())
@settings(deadline=None, derandomize=True)
def test_extremes_hold_what_they_may_be(name: str, a: Any, b: Any) -> None:
    plain = max if "max" in name else min
    found = getattr(ball, name)(a[1], b[1])
    values = [plain(x, y) for x, y in itertools.product(a[0], b[0])]
    assert all(found.contains(arb(value)) for value in values)
    assert found.lower() >= min(values) - 1e-6
    assert found.upper() <= max(values) + 1e-6


def test_where_undecided_is_the_hull() -> None:
    both = ball.where(None, arb(1), arb(3))
    assert both.contains(arb(1))
    assert both.contains(arb(3))
    assert ball.where(True, 1, arb(3)) == 1
    assert ball.where(np.bool_(False), 1, arb(3)) == 3
    assert ball.where(arb(0, 1), 1, 3).contains(arb(2))
    assert ball.where(arb(0.5), 1, 3) == 1


@given(balls=st.lists(intervals(), min_size=1, max_size=5), data=st.data())
@settings(deadline=None, derandomize=True)
def test_sort_holds_the_sorted_values(balls: list[Any], data: Any) -> None:
    array = np.array([b for _, b in balls], dtype=object)
    values = sorted(data.draw(st.sampled_from(numbers)) for numbers, _ in balls)
    found = ball.sort(array)
    assert all(b.contains(arb(v)) for b, v in zip(found, values, strict=True))
    if all(b.is_exact() for b in array):
        assert [float(b) for b in found] == values


def test_sort_takes_axes() -> None:
    array = np.array([[arb(3), arb(1)], [arb(2), arb(5)]], dtype=object)
    assert np.vectorize(float)(ball.sort(array, 0)).tolist() == [[2, 1], [3, 5]]
    assert np.vectorize(float)(ball.sort(array, None)).tolist() == [1, 2, 3, 5]
    assert not ball.sort(np.array([arb("nan"), arb(1)], dtype=object))[1].is_finite()


def test_steps_at_undecided_places_are_hulls() -> None:
    assert ball.floor(arb(1, 0.25)).contains(arb(0))
    assert ball.floor(arb(1, 0.25)).contains(arb(1))
    assert ball.rint(2.5) == 2
    assert ball.heaviside(0.0, 0.5) == 0.5
    assert ball.heaviside(arb(0, 1), 0.5).contains(arb(1))
    for sign in (1, -1):
        assert ball.copysign(arb(2), arb(0)).contains(arb(2 * sign))
        assert ball.remainder(arb(6, 0.25), 3.0 * sign).contains(arb(0.2 if sign > 0 else -0.2))
    assert ball.remainder(arb(6, 0.25), 3.0).contains(arb(2.9))
    assert ball.fmod(arb(-6, 0.25), 3.0).contains(arb(-2.9))
    assert not ball.remainder(arb(6, 0.25), arb(0, 1)).is_finite()
    assert ball.remainder(6.0, 3.0) == 0
    assert ball.signbit(arb(0)) is None


def test_a_number_that_was_only_moved_is_equal_to_itself():
    x, other = arb("0.1 +/- 1e-20"), arb("0.1 +/- 1e-20")
    assert ball.equal(x, x) is True
    assert ball.not_equal(x, x) is False
    assert ball.equal(x, other) is None
    assert ball.equal(ball.maximum(x, arb(0)), x) is True
    unknown = arb("nan")
    assert ball.equal(unknown, unknown) is not True
