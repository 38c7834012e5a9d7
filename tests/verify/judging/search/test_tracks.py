"""Recordings that are used again: whether a point takes the recorded path, alone and among many."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from verify import Verdict
from verify.judging.search.tracks import Track, Tracks, pieces_of, points_between
from verify.regions import as_region


def of_one(x):
    return np.sum(x * x) if x > 0 else np.sum(x)


def of_a_matrix(x):
    return np.sum(x * x) if x.reshape(1, 1) > 0 else np.sum(x)


def of_a_number(x):
    return np.sum(x * x) if x[0] > 0 else np.sum(x)


def of_none(x):
    return np.sum(x * x) if np.flatnonzero(np.ones(1)).size and x > 0 else np.sum(x)


@pytest.mark.parametrize("function", [of_one, of_a_matrix, of_a_number, of_none])
def test_which_of_many_points_take_the_path(function):
    track = Track(symtape.record(function, np.array([0.5])))
    points = [(np.array([x]),) for x in (0.25, -0.5, 1.0)]
    _, taken = track.followed_by_many(points)
    assert taken.tolist() == [True, False, True]
    assert [track.follow(x) is not None for x in points] == taken.tolist()


def positive(x):
    """A function whose decision is made by as many numbers as there are positive ones."""
    return np.sum(x**2) if x[np.flatnonzero(x > 0)][:1] > 0.125 else np.sum(x)


def test_a_decision_by_no_number_at_all_is_another_path():
    graph = symtape.record(positive, np.array([0.5, 0.25]))
    track = Track(graph)
    # How many entries are positive is a condition of the path as well.
    for x, taken in (([0.75, 0.5], True), ([-1.0, 0.25], False), ([-1.0, -1.0], False)):
        values = graph.values(np.array(x))
        assert track.graph.is_followed_by(values) is taken
        assert graph.is_followed_by(values) is taken
        assert (track.follow((np.array(x),)) is not None) is taken


def test_a_function_that_changes_its_argument_of_one_number_is_judged():
    def turned(x):
        x *= -1
        return np.sum(x * x) if x > -0.5 else np.sum(x)

    over = verify.box(-1, 1, shape=(1,))
    assert verify.gradient(turned, over=over, effort=0.1).verdict in (Verdict.CORRECT, Verdict.KINK)


CELLS = 160
EVEN = np.linspace(0.0, 10.0, CELLS + 1)
UNEVEN = 10 * (EVEN / 10) ** 3
HEIGHTS = np.sin(EVEN) + 2


def cell_of(x, table):
    return np.clip(np.searchsorted(table, x, side="right") - 1, 0, CELLS - 1)


def slopes_of(table):
    return np.diff(HEIGHTS) / np.diff(table)


TABLES = {
    "interp": (
        lambda x: np.interp(x, EVEN, HEIGHTS),
        lambda x, slopes: slopes[cell_of(x, EVEN)],
        slopes_of(EVEN),
    ),
    "uneven cells": (
        lambda x: np.interp(x, UNEVEN, HEIGHTS),
        lambda x, slopes: slopes[cell_of(x, UNEVEN)],
        slopes_of(UNEVEN),
    ),
    "an index by digitize": (
        lambda x: HEIGHTS[np.clip(np.digitize(x, EVEN) - 1, 0, CELLS - 1)] * x**2,
        lambda x, heights: 2 * x * heights[cell_of(x, EVEN)],
        HEIGHTS,
    ),
    "an index by whole numbers": (
        lambda x: HEIGHTS[np.floor(16 * x).astype(int)] * x**2,
        lambda x, heights: 2 * x * heights[np.floor(16 * x).astype(int)],
        HEIGHTS,
    ),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("cell", [1, 53, CELLS - 1])
def test_one_wrong_cell_is_found(name, cell):
    function, claim, numbers = TABLES[name]
    off = numbers.copy()
    off[cell] *= 1.5
    over = verify.box(0, 9.99)
    wrong = verify.gradient(function, lambda x: claim(x, off), over=over)
    assert wrong.verdict is Verdict.WRONG
    assert cell_of(wrong.witness.x[0], UNEVEN if "uneven" in name else EVEN) == cell


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_right_tables_are_not_accused(name):
    function, claim, numbers = TABLES[name]
    right = verify.gradient(
        function, lambda x: claim(x, numbers), over=verify.box(0, 9.99), effort=0.3
    )
    assert not right.verdict.fails


@pytest.mark.parametrize("shape", [(), (2,)])
def test_every_cell_between_two_points_is_met(shape):
    def function(x):
        return np.sum(np.interp(x, UNEVEN, HEIGHTS))

    tracks = Tracks(lambda *x: symtape.record(function, *x))
    ends = [(np.full(shape, 0.0)[()],), (np.full(shape, 9.99)[()],)]
    region = as_region(verify.box(0, 10, shape=shape), ["x"])
    found = [*ends, *points_between(region, tracks, ends)]
    assert {int(cell) for (x,) in found for cell in np.ravel(cell_of(x, UNEVEN))} == set(
        range(CELLS)
    )


def test_pieces_are_told_by_constants_of_their_path():
    def function(x):
        return x * (1 if x < 1 else 2 if x < 2 else 3)

    def pieces(x):
        graph = symtape.record(function, x)
        return pieces_of(graph, graph.values(x))

    assert pieces(0.5) == pieces(0.75)
    assert len({pieces(x) for x in (0.5, 1.5, 2.5)}) == 3
