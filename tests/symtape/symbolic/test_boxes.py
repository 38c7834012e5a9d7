"""Regions in words are what Python makes of the same words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.primitives.domain import Domain
from symtape.primitives.vocabulary import vocabulary
from symtape.symbolic.boxes import boxes, lie_inside

NUMBERS = st.integers(-2, 2)
SIGNS = st.sampled_from(["<", "<=", ">", ">=", "!="])
COMPARED = st.one_of(
    st.tuples(st.sampled_from("ab"), SIGNS, NUMBERS),
    st.tuples(NUMBERS, SIGNS, st.sampled_from("ab")),
    st.tuples(st.just("a"), SIGNS, st.just("b")),
    st.tuples(NUMBERS, st.sampled_from(["<", "<="]), st.just("a"), SIGNS, NUMBERS),
).map(lambda parts: " ".join(map(str, parts)))
WORDS = st.lists(COMPARED, min_size=1, max_size=3).flatmap(
    lambda parts: st.lists(
        st.sampled_from(["and", "or"]), min_size=len(parts), max_size=len(parts)
    ).map(
        lambda joints: " ".join(
            [parts[0], *(f"{j} {p}" for j, p in zip(joints, parts[1:], strict=False))]
        )
    )
)
GRID = np.arange(-3, 3.5, 0.5)


@pytest.mark.long
@settings(max_examples=300, deadline=None, derandomize=True)
@given(WORDS)
def test_ends_are_open_or_closed_as_they_are_written(words):
    a, b = (grid.ravel() for grid in np.meshgrid(GRID, GRID))
    expected = [eval(words, {"a": x, "b": y}) for x, y in zip(a, b, strict=True)]
    np.testing.assert_array_equal(lie_inside(words, ["a", "b"], [a, b]), expected)
    inside = np.broadcast_to(Domain(words, ("a", "b"))(a, b), a.shape)
    np.testing.assert_array_equal(inside, expected)


@pytest.mark.parametrize("row", [row for row in vocabulary() if isinstance(row.domain, Domain)])
def test_a_domain_in_words_is_where_rules_hold_and_nowhere_holds_nan(row):
    assert row.over == row.domain.words
    given = [np.array([np.nan])] * len(row.inputs)
    assert not row.domain(*given).any() or "!=" in row.over


@settings(max_examples=100, deadline=None, derandomize=True)
@given(WORDS)
def test_boxes_have_the_sign_that_their_numbers_have(words):
    numbers = np.arange(-5, 5.01, 0.25)
    for box in boxes(words):
        for name, side in box.items():
            held = {np.sign(x) for x in numbers if _holds(side, x)}
            if held and " - " not in name:
                assert side.sign() in ({None, *held} if len(held) == 1 else {None})


def _holds(side, x):
    low, high = float(side.low), float(side.high)
    return (x > low if side.low_open else x >= low) and (x < high if side.high_open else x <= high)


@pytest.mark.parametrize("row", [row for row in vocabulary() if row.over], ids=lambda row: row.name)
def test_what_rows_say_is_of_their_inputs(row):
    names = {part for box in boxes(row.over) for name in box for part in name.split(" - ")}
    assert names <= set(row.inputs)


@pytest.mark.parametrize("words", ["x", "x == 1", "x >", "x < y < 'a'", "x + 1 > 0", "not x > 0"])
def test_other_words_are_refused(words):
    with pytest.raises(ValueError, match="expected comparisons"):
        boxes(words)
