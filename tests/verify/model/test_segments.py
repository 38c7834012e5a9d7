"""Segments part a coordinate, count every point once, and tell what differs apart."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.segments import segments
from verify.reporting.tables import label, plain, segment_table

ROWS = st.tuples(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(0) | st.just(math.nan),
    st.sampled_from(".0-!"),
)


@pytest.mark.long
@given(st.lists(ROWS, min_size=1, max_size=120))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_every_point_is_in_one_segment(rows) -> None:
    x, ulps = (np.array([row[k] for row in rows]) for k in (0, 1))
    marks = np.array([row[2] for row in rows])
    found = segments(x, ulps, marks)
    assert 1 <= len(found) <= 10
    assert (found[0].low, found[-1].high) == (x.min(), x.max())
    assert [segment.closed for segment in found] == [False] * (len(found) - 1) + [True]
    for one, next_one in itertools.pairwise(found):
        assert one.high == next_one.low
    for segment in found:
        top = x <= segment.high if segment.closed else x < segment.high
        inside = (x >= segment.low) & top
        known = np.nan_to_num(ulps[inside], nan=math.inf, posinf=math.inf)
        assert segment.count == inside.sum()
        assert segment.max_ulps == pytest.approx(known.max(), rel=1e-3)
        assert segment.within_one == (known <= 1).sum()
        counts = [int((marks[inside] == sign).sum()) for sign in "0-!"]
        assert [segment.zeros, segment.signs, segment.lost] == counts
        worst = known[x[inside] == float.fromhex(segment.worst.hex)]
        assert known.max() in worst


def test_a_tail_that_fails_has_a_row_of_its_own() -> None:
    x = np.linspace(-60, 60, 2401)
    ulps = np.where(np.abs(x) > 20, 9e15, 0.5)
    marks = np.where(np.abs(x) > 20, "0", ".")
    found = segments(x, ulps, marks)
    assert label(found[0]) == "[-60, -20)"
    assert sum(s.zeros for s in found if s.high <= -20) == 800
    assert sum(s.zeros for s in found if s.low >= 20) == 800
    assert all(s.max_ulps == 0.5 for s in found if s.low >= -20 and s.high <= 20)


def test_few_points_are_not_cut_into_many_rows() -> None:
    x = np.linspace(-60, 60, 10)
    assert len(segments(x, np.arange(10.0), np.full(10, "."))) == 1


def test_values_that_are_not_finite_have_a_column_only_where_there_are_any() -> None:
    x, marks = np.arange(1.0, 4.0), np.array([".", ".", "."])
    without = segment_table(segments(x, np.zeros(3), marks))
    marks[1] = "!"
    with_one = segment_table(segments(x, np.array([0.0, math.nan, 0.0]), marks), exactly=True)
    assert "Not finite" not in without.header
    assert with_one.header[-3:] == ("Not finite", "Worst input", "Exactly")
    assert with_one.rows[0][-3:] == ("1", "2.0", "0x1.0000000000000p+1")


def test_the_table_as_text_is_aligned() -> None:
    x = np.linspace(-60, 60, 241)
    lines = plain(segment_table(segments(x, np.exp(np.abs(x)), np.full(241, "."))))
    assert lines[0].split() == [
        *("Segment", "Count", "Max", "ULP", "Median", "ULP", "≤", "1"),
        *("Zeros", "Signs", "Worst", "near"),
    ]
    assert len({len(line) for line in lines}) == 1
    assert all(len(line) <= 90 for line in lines)
