"""Recordings that are used again: whether a point takes the recorded path, alone and among many."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from verify import Verdict
from verify.judging.search.tracks import Track


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
