"""Simple mistakes are recognised, and nothing is made up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.diagnosis.causes import likely_cause

A = np.array([[1.0, 2.0], [3.0, 5.0]])
V = np.array([1.0, 2.0, 5.0])

CAUSES = [
    ([-A], [A], "the sign is wrong"),
    ([3 * A], [A], "3 times too large"),
    ([A / 4], [A], "4 times too small"),
    ([-A / 4], [A], "4 times too small and of the wrong sign"),
    ([0 * A], [A], "zero"),
    ([A.T], [A], "transposed"),
    ([np.roll(V, 1)], [V], "the entries are off by one index"),
    ([np.roll(A, 1, 1)], [A], "the entries are off by one index, along axis 1"),
    ([A * np.nan], [A], "4 of 4 entries are not finite"),
    ([np.array(np.inf)], [np.array(1.0)], "not finite"),
    ([V * [1, 1, 2]], [V], "only 1 of 3 entries is off: 2 times too large"),
    ([V * [1, -1, -1]], [V], "only 2 of 3 entries are off: each of the wrong sign"),
    ([V * [1, 0, 1]], [V], "only 1 of 3 entries is off: zero"),
    ([V + np.array([0, 7, 1])], [V], "only 2 of 3 entries are off"),
    ([V, A[0]], [V, 2 * A[0]], "only the part by y is off: 2 times too small"),
    ([V, V + 1], [V, V], "only the part by y is off"),
    ([2 * V, V], [V, 2 * V], "the derivatives by the two arguments are exchanged"),
    ([V + np.array([3, 1, 2])], [V], ""),
    ([V * (1 + 1e-10)], [V], ""),
    ([np.zeros((0, 3))], [np.zeros((0, 3))], ""),
]


@pytest.mark.parametrize(("claimed", "exact", "words"), CAUSES)
def test_a_simple_mistake_is_recognised(claimed, exact, words):
    assert likely_cause(claimed, exact, ["x", "y"][: len(exact)]) == words


@settings(deadline=None, derandomize=True)
@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=5), st.floats(1.5, 100.0))
def test_any_factor_is_recognised(entries, factor):
    exact = np.array(entries)
    assert likely_cause([factor * exact], [exact]).endswith(" times too large")
    assert likely_cause([exact], [exact]) == ""


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (2.0, "2 times too large"),
        (-1.0, "the sign is wrong"),
        (np.pi / 180, "π/180 of what it should be: degrees for radians"),
        (3.40822, ""),
        (1e5, ""),
    ],
)
def test_a_single_entry_tells_only_by_a_factor_that_means_something(factor, words):
    assert likely_cause([np.array(factor * 0.7)], [np.array(0.7)]) == words


ONE = np.array(1.0)


@pytest.mark.parametrize(
    ("here", "elsewhere", "words"),
    [
        ((3.4 * ONE, ONE), [(6.8 * ONE, 2 * ONE)], "3.4 times too large"),
        ((2 * ONE, ONE), [(3 * ONE, 2 * ONE)], ""),
        ((3.40822 * ONE, ONE), [(3 * ONE, 3 * ONE)], ""),
        ((2 * ONE, ONE), [(3 * ONE, 3 * ONE)], "2 times too large"),
        ((0 * ONE, 1e-9 * ONE), [(ONE, ONE)], "zero here, and right elsewhere"),
        ((0 * ONE, ONE), [(0 * ONE, 2 * ONE)], "zero"),
        ((0 * ONE, ONE), [(1e-9 * ONE, 1e-9 * ONE)], "zero"),
        ((np.diag(V), np.ones((3, 3)) + np.diag(V - 1)), [], "only the diagonal is filled"),
        ((np.tril(A), A), [], "zero above the diagonal"),
    ],
)
def test_a_mistake_has_to_explain_the_other_points_too(here, elsewhere, words):
    claimed, exact = here
    found = likely_cause([claimed], [exact], ["x"], [([c], [e]) for c, e in elsewhere])
    assert found.startswith(words) if words else found == ""
