"""Ties in exact arithmetic that floats do not see, and orders that floats turn."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.symbolic.walk import shadow
from verify import Verdict
from verify.judging.kinks.boundaries import RoundedChoice
from verify.judging.kinks.exact_order import apply_exact_order

WHOLE = np.array([1.0, 2.0, -3.0])
WEIGHTS = np.array([1.0, 2.0, 3.0])


def ordered(function, *point):
    graph = symtape.record(function, *point)
    form = shadow(graph, point)
    return form, apply_exact_order(form, point)


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


@pytest.mark.long
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


@pytest.mark.slow
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
    assert "chooses differently in floats" in found.points[0].message


BOUND = 0.9999
LEVELLED = {
    "minimum": lambda s: np.minimum(s, BOUND),
    "where": lambda s: np.where(s < BOUND, s, BOUND),
    "where below or at": lambda s: np.where(s <= BOUND, s, BOUND),
    "if": lambda s: s if s < BOUND else BOUND + 0 * s,
    "python's min": lambda s: min(s, BOUND) + 0 * s,
    "clip": lambda s: np.clip(s, 0, BOUND),
    "absolute": lambda s: BOUND - np.abs(s - BOUND),
    "rectifier": lambda s: np.maximum(s - BOUND, 0) + 1,
    "max": lambda s: np.max(np.stack([s, BOUND + 0 * s])),
    "sort": lambda s: np.sort(np.stack([s, BOUND + 0 * s]))[0],
    "argmin": lambda s: (lambda v: v[np.argmin(v)])(np.stack([s, BOUND + 0 * s])),
    "argsort": lambda s: (lambda v: v[np.argsort(v)[0]])(np.stack([s, BOUND + 0 * s])),
    "median": lambda s: np.median(np.stack([s, BOUND + 0 * s, 1.0])),
    "interp": lambda s: np.interp(s, [0.0, 0.5, BOUND, 2.0], [0.0, 1.0, 2.0, 2.5]),
}


def on_the_circle():
    """Points whose distance is the bound in floats, and a little more or less in truth."""
    found, turn = [], 0.1
    while len(found) < 4:
        turn += 0.173
        across = BOUND * np.cos(turn)
        for up in BOUND * np.sin(turn) + np.spacing(1.0) / 2 * np.arange(-4, 5):
            if np.sqrt(across**2 + up**2) == BOUND:
                found.append((across, up))
                break
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", LEVELLED)
@pytest.mark.parametrize("point", on_the_circle())
def test_a_tie_that_is_one_in_floats_alone_is_a_kink_for_whoever_moves_across_it(name, point):
    levelled = LEVELLED[name]

    def distance(a, b):
        return levelled(np.sqrt(a**2 + b**2))

    found = verify.gradient(distance, at=[point])
    assert found, found.points[0].message
    assert not found.points[0].conflict
    right = symtape.grad(distance, argnums=(0, 1))
    for lie in (lambda a, b: tuple(3 + s for s in right(a, b)), lambda a, b: (np.nan, 0.0)):
        assert not verify.gradient(distance, lie, at=[point])


@pytest.mark.slow
@pytest.mark.parametrize("name", LEVELLED)
@pytest.mark.parametrize("point", on_the_circle())
def test_and_no_conflict_of_oracles_for_whoever_holds_still(name, point):
    levelled = LEVELLED[name]

    def scaled(x, a, b):
        return x**2 * levelled(np.sqrt(a**2 + b**2)) + x

    def derivative(x, a, b, two=2):
        return two * x * levelled(np.sqrt(a**2 + b**2)) + 1

    at = [(1.3, *point)]
    assert verify.gradient(scaled, at=at, argnums=0).verdict is Verdict.CORRECT
    assert verify.gradient(scaled, derivative, at=at, argnums=0).verdict is Verdict.CORRECT
    wrong = verify.gradient(scaled, lambda *x: derivative(*x, two=2.001), at=at, argnums=0)
    assert wrong.verdict is Verdict.WRONG


@pytest.mark.long
def test_a_search_walks_to_ties_of_a_lens_without_a_conflict():
    def potential(x, y, a, b):
        level = np.minimum(np.sqrt(a**2 + b**2), BOUND)
        ratio = (1 - level) / (1 + level)
        return np.sqrt(1 + ratio * x**2 + y**2 / ratio)

    wide, narrow = verify.box(0.5, 3), verify.box(0.1, 1)
    over = (wide, wide, narrow, narrow)
    for argnums in ((0, 1), None):
        found = verify.gradient(potential, over=over, argnums=argnums, effort=0.3)
        assert found, found
        assert not found.coverage.conflicts


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


@pytest.mark.parametrize("x", [[0.0, 1e-250, 2e-250], [0.0, 5e-324, 1e-323]])
def test_an_underflow_behind_a_kink_of_the_function_accuses_nobody(x):
    """A 3/2-norm: abs is at 0, and beyond it the sum of powers is 0.0 in floats alone."""

    def norm(x):
        return np.sum(np.abs(x) ** 1.5) ** (1 / 1.5)

    def slope(x):
        relative = x / np.max(x)
        return np.sqrt(relative) / np.sum(relative**1.5) ** (1 / 3)

    result = verify.gradient(norm, claimed=slope, at=[x])
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert "underflowed" in result.points[0].message


def test_a_kink_without_underflow_behind_it_is_judged_as_before():
    def norm(x):
        return np.sum(np.abs(x) ** 1.5) ** (1 / 1.5)

    wrong = verify.gradient(norm, claimed=lambda x: np.ones(3), at=[[0.0, 1.0, 2.0]])
    assert wrong.verdict is Verdict.WRONG
