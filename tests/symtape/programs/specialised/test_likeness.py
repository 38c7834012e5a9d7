"""Arguments that are like others have the key of those, and no other arguments are."""

from __future__ import annotations

import copy

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from symtape.programs.specialised.arguments import taken_apart, to_contiguous
from symtape.programs.specialised.likeness import Likeness

NUMBERS = st.sampled_from([0.5, np.float64(2.0), np.float32(1.5), np.int64(2), 1j])
ARRAYS = st.sampled_from(
    [
        np.ones(2),
        np.array(3.0),
        np.ones((2, 3)).T,
        np.ones(2, np.float32),
        np.ones(2, complex),
        np.arange(3),
        np.arange(3, dtype=np.int32),
        np.arange(6).reshape(2, 3).T,
        np.array([True, False, True]),
        np.array(["a", "b"]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.zeros((0, 2), int),
    ]
)
WORDS = st.sampled_from([None, True, 1, 0, False, "w", b"w", 2**70])
TREES = st.recursive(
    NUMBERS | ARRAYS | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["a", "b", 1]), inner, max_size=3)
    ),
    max_leaves=5,
)
ARGUMENTS = st.tuples(
    st.lists(TREES, max_size=2).map(tuple), st.dictionaries(st.sampled_from("xy"), TREES)
)


@given(ARGUMENTS, ARGUMENTS)
def test_what_is_alike_has_one_key(before, others):
    """Also of trees that differ in one part."""
    likeness = Likeness(*copy.deepcopy(before))
    for args, kwargs in (before, others, (before[0][::-1], before[1])):
        numbers = likeness.take_numbers(args, kwargs)
        if numbers is not None:
            key, found = taken_apart(args, kwargs)
            assert key == taken_apart(*before)[0]
            for one, other in zip(numbers, map(to_contiguous, found), strict=True):
                assert type(one) is type(other)
                np.testing.assert_array_equal(one, other)


@given(ARRAYS, st.integers(0, 5))
def test_an_array_of_other_integers_is_unlike(array, place):
    """A program holds for their values; what is in an array of floats does not matter."""
    likeness = Likeness((array.copy(),), {})
    changed = array.copy()
    if changed.size:
        flat = changed.reshape(-1)
        flat[place % flat.size] = not flat[place % flat.size] if flat.dtype == bool else 0
        changed = flat.reshape(changed.shape)
    if likeness.take_numbers((changed,), {}) is not None:
        assert array.dtype.kind in "fc" or np.array_equal(array, changed)


def test_the_plain_ones_are_alike():
    """Parameters in dicts, arrays of integers and words, by position and by name."""
    args = ({"w": np.ones(2), "b": [0.5, (np.arange(3), "text")]}, 3, None)
    likeness = Likeness(args, {"seed": 1})
    found = likeness.take_numbers(copy.deepcopy(args), {"seed": 1})
    assert found is not None
    assert len(found) == 2
    assert likeness.take_numbers(args, {"seed": 2}) is None
