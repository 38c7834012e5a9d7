"""Colourings keep apart what one product could not tell apart, and are as small as is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.transforms.sparsity.colouring import count_of, lines, orthogonal_colours, star_colours
from symtape.transforms.sparsity.pattern import Pattern
from symtape.transforms.sparsity.plan import best_plan

masks = st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(0, 2**32 - 1)).map(
    lambda drawn: np.random.default_rng(drawn[2]).random(drawn[:2]) < 0.3
)
symmetric = st.tuples(st.integers(1, 9), st.integers(0, 2**32 - 1)).map(
    lambda drawn: np.random.default_rng(drawn[1]).random((drawn[0],) * 2) < 0.3
)


def neighbours_of(mask):
    off = (mask | mask.T) & ~np.eye(len(mask), dtype=bool)
    return [np.flatnonzero(row).tolist() for row in off]


def is_star(colours, neighbours):
    paths = (
        (a, b, c, d)
        for b, near in enumerate(neighbours)
        for c in near
        for a, d in itertools.product(near, neighbours[c])
        if len({a, b, c, d}) == 4
    )
    apart = all(
        colours[one] != colours[other] for one, near in enumerate(neighbours) for other in near
    )
    return apart and all(len({colours[vertex] for vertex in path}) > 2 for path in paths)


@settings(max_examples=200)
@given(masks)
def test_rows_of_one_colour_share_no_column(mask):
    rows, columns = np.nonzero(mask)
    colours = np.array(orthogonal_colours(lines(rows, columns, len(mask)), mask.shape[1]), int)
    for colour in range(count_of(colours.tolist())):
        assert np.all(mask[colours == colour].sum(axis=0) <= 1)
        assert np.any(colours == colour)


@settings(max_examples=200)
@given(symmetric)
def test_no_path_of_four_vertices_has_two_colours(mask):
    neighbours = neighbours_of(mask)
    assert is_star(star_colours(neighbours), neighbours)


def test_a_colouring_that_is_no_star_is_seen():
    path = [[1], [0, 2], [1, 3], [2]]
    assert is_star([0, 1, 2, 0], path)
    assert not is_star([0, 1, 0, 1], path)
    assert not is_star([0, 0, 1, 2], path)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_bands_take_as_many_colours_as_they_are_wide(width):
    mask = abs(np.subtract.outer(np.arange(40), np.arange(40))) <= width
    rows, columns = np.nonzero(mask)
    assert count_of(orthogonal_colours(lines(rows, columns, 40), 40)) == 2 * width + 1
    assert count_of(star_colours(neighbours_of(mask))) <= 2 * width + 1


def test_the_longest_rows_go_first_where_that_is_better():
    # A crown: as it comes, each pair of rows would take a colour of its own.
    places = [[k * 6 + j for j in range(6) if j != k] for k in range(6)]
    places = [part for k in range(6) for part in (places[k], [j * 6 + k for j in range(6)])]
    assert count_of(orthogonal_colours(places, 36)) <= 7


@pytest.mark.parametrize(
    ("mask", "is_symmetric", "direction", "colours"),
    [
        (np.eye(30, dtype=bool), False, "rows", 1),
        (np.zeros((30, 20), bool), False, "rows", 0),
        (np.zeros((0, 20), bool), False, "rows", 0),
        (np.ones((1, 20), bool), False, "rows", 1),
        (np.ones((100, 2), bool), False, "columns", 2),
        (np.ones((3, 100), bool), False, "rows", 3),
        (np.eye(30, dtype=bool) | (np.arange(30) == 0)[:, None], False, "rows", 2),
        (np.eye(30, dtype=bool) | (np.arange(30) == 0), False, "columns", 2),
        (np.eye(30, dtype=bool) | (np.arange(30) == 0) | (np.arange(30) == 0)[:, None], True,
         "rows", 2),
    ],
)  # fmt: skip
def test_the_cheapest_plan_is_taken(mask, is_symmetric, direction, colours):
    plan = best_plan(Pattern.from_mask(mask), is_symmetric)
    assert (plan.direction, plan.colours) == (direction, colours)


@settings(max_examples=200)
@given(masks, st.booleans())
def test_each_entry_is_read_off_the_products_of_a_plan(mask, is_symmetric):
    matrix = np.where(mask, np.arange(1.0, mask.size + 1).reshape(mask.shape), 0)
    if is_symmetric:
        size = min(mask.shape)
        matrix = matrix[:size, :size] + matrix[:size, :size].T
    plan = best_plan(Pattern.from_mask(matrix != 0), is_symmetric)
    answers = (plan.row_seeds @ matrix, plan.column_seeds @ matrix.T)
    again = np.zeros_like(matrix)
    read = np.concatenate([answer.ravel() for answer in answers])[plan.read]
    again[plan.pattern.rows, plan.pattern.columns] = read
    assert np.array_equal(again, matrix)
