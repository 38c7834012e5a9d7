"""Membership in a hull: no mean of the vertices is called outside, whatever is far off is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.judging.kinks.hull import separation

SEEDS = st.integers(0, 2**32 - 1)


def polytope(seed):
    """Vertices, some of them dependent on others, on scales that differ."""
    draw = np.random.default_rng(seed)
    count, size = draw.integers(1, 12), draw.integers(1, 7)
    vertices = draw.integers(-3, 4, size=(count, size)) * 2.0 ** draw.integers(-20, 20, size=size)
    return draw, vertices


def slack_of(vertices):
    largest = np.max(np.abs(vertices), axis=0)
    return np.maximum(1e-9 * largest, 1e-300)


@pytest.mark.long
@settings(derandomize=True, max_examples=300, deadline=None)
@given(SEEDS)
def test_a_mean_of_the_vertices_is_never_outside(seed):
    draw, vertices = polytope(seed)
    weights = draw.dirichlet(np.full(len(vertices), 0.3))
    assert separation(vertices, weights @ vertices, slack_of(vertices)) is None


@pytest.mark.long
@settings(derandomize=True, max_examples=300, deadline=None)
@given(SEEDS)
def test_beyond_a_supporting_plane_it_is_outside_and_the_direction_says_so(seed):
    draw, vertices = polytope(seed)
    slack = slack_of(vertices)
    scale = np.maximum(np.max(np.abs(vertices), axis=0), 1e-3)
    direction = draw.normal(size=vertices.shape[1])
    direction /= np.linalg.norm(direction)
    # The vertex that lies farthest along the direction, where entries are of size 1.
    best = vertices[np.argmax((vertices / scale) @ direction)]
    beyond = best + 1e-3 * scale * direction
    found = separation(vertices, beyond, slack)
    assert found is not None
    assert np.all((vertices - beyond) @ found > np.abs(found) @ slack)


def summed(parts):
    """The vertices of a sum of hulls, among other points of it."""
    total = parts[0]
    for part in parts[1:]:
        total = (total[:, None, :] + part[None, :, :]).reshape(-1, total.shape[1])
    return total


@settings(derandomize=True, max_examples=100, deadline=None)
@given(SEEDS)
def test_a_sum_of_hulls_is_the_hull_of_all_sums(seed):
    draw = np.random.default_rng(seed)
    size = draw.integers(1, 5)
    parts = [draw.integers(-3, 4, size=(draw.integers(1, 4), size)).astype(float) for _ in range(3)]
    vector, slack = draw.integers(-9, 10, size=size) / 2, np.full(size, 1e-9)
    apart = separation(parts[0], vector, slack, *parts[1:])
    assert (apart is None) is (separation(summed(parts), vector, slack) is None)
    mean = np.mean(summed(parts), axis=0)
    assert separation(parts[0], mean, slack, *parts[1:]) is None


def test_an_entry_without_a_bound_is_left_out():
    vertices = np.array([[0.0, 0.0], [1.0, 0.0]])
    slack = np.array([1e-9, np.inf])
    assert separation(vertices, np.array([0.5, 9.0]), slack) is None
    assert separation(vertices, np.array([2.0, 9.0]), slack) is not None
    assert separation(vertices, np.array([2.0, 9.0]), np.full(2, np.inf)) is None


def test_within_the_slack_nothing_is_outside():
    vertices = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert separation(vertices, np.array([0.5, 0.5 + 1e-10]), np.full(2, 1e-9)) is None
    assert separation(vertices, np.array([0.5, 0.5 + 1e-8]), np.full(2, 1e-9)) is not None


def test_huge_and_tiny_entries_are_weighed_alike():
    vertices = np.array([[1e100, 0.0], [0.0, 1e-100]])
    slack = np.array([1e90, 1e-110])
    assert separation(vertices, np.array([0.5e100, 0.5e-100]), slack) is None
    assert separation(vertices, np.array([1e100, 1e-100]), slack) is not None
