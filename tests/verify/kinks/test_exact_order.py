"""Ties in exact arithmetic that floats do not see, and orders that floats turn."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.symbolic.shadow import shadow
from verify import Verdict
from verify.kinks.boundaries import RoundedChoice
from verify.kinks.exact_order import in_exact_order

WHOLE = np.array([1.0, 2.0, -3.0])
WEIGHTS = np.array([1.0, 2.0, 3.0])


def ordered(function, *point):
    graph = symtape.record(function, *point)
    form = shadow(graph, point)
    return form, in_exact_order(graph, form, point)


TIED = {
    "max": lambda x: np.max(np.sinc(x)),
    "min": lambda x: np.min(np.sinc(x)),
    "sort": lambda x: np.sort(np.sinc(x)) @ WEIGHTS,
    "median": lambda x: np.median(np.sinc(x)),
    "maximum": lambda x: np.sum(np.maximum(np.sinc(x), np.sinc(2 * x))),
    "absolute": lambda x: np.sum(np.abs(np.sinc(x))),
}


@pytest.mark.parametrize("name", TIED)
def test_a_tie_is_seen(name):
    form, found = ordered(TIED[name], WHOLE)
    assert not isinstance(found, RoundedChoice)
    assert any(not np.array_equal(a, b) for a, b in zip(form.values, found.values, strict=True))
    assert verify.gradient(TIED[name], at=[WHOLE]).verdict is Verdict.KINK


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("lie", [lambda g: 10 + g, lambda g: g * np.nan])
def test_lies_at_a_tie_are_wrong(name, lie):
    right = symtape.grad(TIED[name])
    result = verify.gradient(TIED[name], claimed=lambda x: lie(right(x)), at=[WHOLE])
    assert result.verdict is Verdict.WRONG


@pytest.mark.parametrize("name", TIED)
def test_away_from_ties_nothing_is_touched(name):
    form, found = ordered(TIED[name], WHOLE + 0.25)
    assert found is form


SMOOTH = {
    "maximum": lambda x: np.maximum(np.log(np.exp(x)), x),
    "max": lambda x: np.max(np.stack([np.sin(x) ** 2 + np.cos(x) ** 2 + x, 1 + x])),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_where_the_pieces_agree_there_is_a_derivative(name):
    points = [0.3, 0.7, 1.1]
    assert verify.gradient(SMOOTH[name], at=points).verdict is Verdict.CORRECT


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("factor", [-1.0, 2.0, 3.0, 1 + 1e-6])
def test_and_lies_about_it_are_refuted(name, factor):
    right = symtape.grad(SMOOTH[name])
    for point in (0.3, 0.7, 1.1):
        result = verify.gradient(SMOOTH[name], claimed=lambda x: factor * right(x), at=[point])
        assert result.verdict.fails


def test_an_order_that_floats_turn_is_nobodys_fault():
    def turned(x):
        return np.maximum((0.1 * x + 0.2 * x) - 0.3 * x, 4e-17 * x)

    found = verify.gradient(turned, at=[1.0])
    assert found.verdict is Verdict.UNDECIDED
    assert "chooses otherwise in floats" in found.points[0].message
