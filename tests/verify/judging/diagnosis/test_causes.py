"""Simple mistakes are recognised, and nothing is made up."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from verify.judging.diagnosis.causes import likely_cause


def said(*parts):
    return str(likely_cause(*parts))


A = np.array([[1.0, 2.0], [3.0, 5.0]])
V = np.array([1.0, 2.0, 5.0])

CAUSES = [
    ([-A], [A], "the sign is wrong"),
    ([3 * A], [A], "3 times too large"),
    ([A / 4], [A], "4 times too small"),
    ([-A / 4], [A], "4 times too small and of the wrong sign"),
    ([0 * A], [A], "all of it is zero"),
    ([A.T], [A], "transposed"),
    ([np.roll(V, 1)], [V], "the entries are off by one index"),
    ([np.roll(A, 1, 1)], [A], "the entries are off by one index, along axis 1"),
    ([A * np.nan], [A], "4 of 4 entries are not finite"),
    ([np.array(np.inf)], [np.array(1.0)], "what is claimed is not finite"),
    ([V * [1, 1, 2]], [V], "1 of 3 entries is wrong: it is 2 times too large"),
    ([V * [1, -1, -1]], [V], "2 of 3 entries are wrong: the sign is flipped"),
    ([V * [1, 0, 1]], [V], "1 of 3 entries is wrong: it is zero here"),
    ([V + np.array([0, 7, 1])], [V], "2 of 3 entries are wrong"),
    ([V, A[0]], [V, 2 * A[0]], "only the part by y is wrong: it is 2 times too small"),
    ([V, V + 1], [V, V], "only the part by y is wrong"),
    ([2 * V, V], [V, 2 * V], "the derivatives by the two arguments are exchanged"),
    ([V + np.array([3, 1, 2])], [V], ""),
    ([V * (1 + 1e-10)], [V], ""),
    ([np.zeros((0, 3))], [np.zeros((0, 3))], ""),
]


@pytest.mark.parametrize(("claimed", "exact", "words"), CAUSES)
def test_a_simple_mistake_is_recognised(claimed, exact, words):
    assert said(claimed, exact, ["x", "y"][: len(exact)]) == words


@settings(deadline=None, derandomize=True)
@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=5), st.floats(1.5, 100.0))
def test_any_factor_is_recognised(entries, factor):
    exact = np.array(entries)
    assert said([factor * exact], [exact]).endswith(" times too large")
    assert said([exact], [exact]) == ""


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
    assert said([np.array(factor * 0.7)], [np.array(0.7)]) == words


ONE = np.array(1.0)


@pytest.mark.parametrize(
    ("here", "elsewhere", "words"),
    [
        ((3.4 * ONE, ONE), [(6.8 * ONE, 2 * ONE)], "3.4 times too large"),
        ((2 * ONE, ONE), [(3 * ONE, 2 * ONE)], ""),
        ((3.40822 * ONE, ONE), [(3 * ONE, 3 * ONE)], ""),
        ((2 * ONE, ONE), [(3 * ONE, 3 * ONE)], "2 times too large"),
        ((0 * ONE, 1e-9 * ONE), [(ONE, ONE)], "zero here, and right elsewhere"),
        ((0 * ONE, ONE), [(0 * ONE, 2 * ONE)], "all of it is zero"),
        ((0 * ONE, ONE), [(1e-9 * ONE, 1e-9 * ONE)], "all of it is zero"),
        ((np.diag(V), np.ones((3, 3)) + np.diag(V - 1)), [], "only the diagonal is filled"),
        ((np.tril(A), A), [], "zero above the diagonal"),
    ],
)
def test_a_mistake_has_to_explain_the_other_points_too(here, elsewhere, words):
    claimed, exact = here
    found = said([claimed], [exact], ["x"], [([c], [e]) for c, e in elsewhere])
    assert found.startswith(words) if words else found == ""


def changed(shape, at, change):
    exact = np.random.default_rng(0).normal(size=shape)
    claimed = exact.copy()
    claimed[at] = change(exact[at])
    return claimed, exact


def doubled(entries):
    return 2 * entries


TALL, SQUARE = (3, 7), (4, 4)


@pytest.mark.parametrize(
    ("shape", "at", "words"),
    [
        (TALL, np.s_[:, 2], "3 of 21 entries are wrong, all in column 2"),
        (TALL, np.s_[1], "7 of 21 entries are wrong, all in row 1"),
        (TALL, np.s_[:, [1, 4]], "6 of 21 entries are wrong, all in columns 1, 4"),
        (TALL, np.s_[:2, 1:3], "4 of 21 entries are wrong, all in the block [0:2, 1:3]"),
        (SQUARE, np.diag_indices(4), "4 of 16 entries are wrong, all on the diagonal"),
        (SQUARE, np.triu_indices(4, 1), "6 of 16 entries are wrong, all above the diagonal"),
        (SQUARE, np.tril_indices(4), "10 of 16 entries are wrong, all in the lower triangle"),
        (SQUARE, ([0, 1, 3], [0, 2, 1]), "3 of 16 entries are wrong"),
        (SQUARE, np.s_[1, 2], "1 of 16 entries is wrong"),
    ],
)
def test_entries_that_are_a_row_or_a_triangle_are_called_so(shape, at, words):
    claimed, exact = changed(shape, at, doubled)
    each = "it" if words.startswith("1 of") else "each"
    assert said([claimed], [exact]) == f"{words}: {each} is 2 times too large"
    claimed, exact = changed(shape, at, lambda entries: entries + 1 + entries**2)
    assert said([claimed], [exact]) == words


def test_an_entry_that_is_zero_and_claimed_to_be_does_not_hide_its_column():
    claimed, exact = changed(TALL, np.s_[:, 2], doubled)
    claimed[1, 2] = exact[1, 2] = 0
    words = "2 of 21 entries are wrong, all in column 2"
    assert said([claimed], [exact]).startswith(words)


@settings(deadline=None)
@given(flags=hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=5)))
def test_what_is_named_is_just_what_is_wrong(flags):
    exact = np.random.default_rng(1).normal(size=flags.shape)
    words = said([np.where(flags, exact + 1 + exact**2, exact)], [exact])
    i, j = np.indices(flags.shape)
    regions = {
        "all on the diagonal": i == j,
        "all above": i < j,
        "all below": i > j,
        "all off the diagonal": i != j,
        "all in the upper": i <= j,
        "all in the lower": i >= j,
    }
    for name, region in regions.items():
        if name in words:
            assert np.array_equal(flags, region)
    if found := re.match(r"only (row|column)s? ([\d, ]+) \(", words):
        numbers = [int(each) for each in found[2].split(",")]
        assert np.array_equal(flags, np.isin(i if found[1] == "row" else j, numbers))
