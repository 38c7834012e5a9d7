"""What a linear map depends on is found by fewer questions than it has arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.transforms.sparsity import probing
from symtape.transforms.sparsity.probing import dependences, dependences_by_axes


def mask_of(linear, size, count):
    found = np.zeros((count, size), bool)
    groups, group, result = dependences(linear, size)
    for one, each in zip(group, result, strict=True):
        found[each, groups == one] = True
    assert groups.shape == (size,)
    return found


masks = st.tuples(
    st.integers(0, 40), st.integers(0, 150), st.floats(0, 0.3), st.integers(0, 2**32 - 1)
).map(lambda drawn: np.random.default_rng(drawn[3]).random(drawn[:2]) < drawn[2])


@pytest.mark.long
@settings(max_examples=200)
@given(masks)
def test_it_is_the_pattern_of_a_matrix(mask):
    matrix = mask.astype(float)
    assert np.array_equal(mask_of(lambda x: x @ matrix.T, mask.shape[1], len(mask)), mask)


@pytest.mark.parametrize("limit", ["_MOST", "_AT_ONCE"])
def test_with_little_room_nothing_is_left_out(limit, monkeypatch):
    monkeypatch.setattr(probing, limit, 50)
    mask = np.random.default_rng(0).random((60, 300)) < 0.05
    found = mask_of(lambda x: x @ mask.T.astype(float), 300, 60)
    assert not np.any(mask & ~found)
    assert limit == "_MOST" or np.array_equal(found, mask)


def test_of_blocks_few_questions_are_asked():
    asked = []

    def blocks(x):
        asked.append(len(x))
        return np.cumsum(x.reshape(len(x), -1, 4), axis=-1).reshape(x.shape)

    groups, elements, results = dependences(blocks, 40_000)
    assert np.array_equal(groups, np.arange(40_000))
    assert len(elements) == 10_000 * (4 + 3 + 2 + 1)
    assert np.all(elements // 4 == results // 4)
    assert sum(asked) < 200


products = st.tuples(
    st.tuples(*[st.integers(1, 5)] * 3), st.floats(0, 1), st.integers(0, 2**32 - 1)
).map(lambda drawn: (drawn[0], np.random.default_rng(drawn[2]).random(drawn[0][1:]) < drawn[1]))


@given(products)
def test_by_axes_it_is_the_pattern_of_a_product_of_matrices(given):
    (rows, inner, columns), mask = given
    shape = rows, inner

    def multiply(x):
        return (np.broadcast_to(x, (len(x), *shape)) @ mask).reshape(len(x), rows * columns)

    groups, group, result = dependences_by_axes(multiply, shape, 10**6)
    assert groups.shape == shape
    each = multiply(np.eye(rows * inner).reshape(-1, *shape)) != 0
    found = np.zeros_like(each)
    for one, place in zip(group, result, strict=True):
        found[(groups == one).ravel(), place] = True
    assert np.array_equal(found, each)


def test_by_axes_too_many_pairs_are_not_told_apart():
    total = dependences_by_axes(lambda x: np.ones((len(x), 4)), (2, 2), 15)
    assert total is None
