"""The first-order bound: what a dense inverse says, and infinite where something is not known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symtape.graph import first_order
from symtape.graph.first_order import cost

FLOATS = st.floats(-8, 8)


@st.composite
def computations(draw):
    size = draw(st.integers(2, 8))
    below = [(row, column) for row in range(size) for column in range(row)]
    places = draw(st.lists(st.sampled_from(below), max_size=20))
    slopes = draw(st.lists(FLOATS, min_size=len(places), max_size=len(places)))
    errors = draw(st.lists(st.floats(0, 4), min_size=size, max_size=size))
    return errors, [row for row, _ in places], [column for _, column in places], slopes


@given(computations())
def test_it_is_what_a_dense_inverse_says(computation):
    errors, rows, columns, slopes = computation
    matrix = np.zeros((len(errors), len(errors)))
    np.add.at(matrix, (rows, columns), slopes)
    expected = np.abs(np.linalg.inv(np.eye(len(errors)) - matrix)) @ errors
    found = cost(*computation, np.arange(len(errors)))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@given(computations())
def test_parts_make_no_difference(computation):
    wanted = np.arange(len(computation[0]))[::-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_order, "_MOST", 1)
        one_by_one = cost(*computation, wanted)
    np.testing.assert_allclose(cost(*computation, wanted), one_by_one, rtol=1e-12)


@pytest.mark.parametrize("lost", [np.inf, np.nan])
def test_what_is_not_finite_costs_infinitely_much_to_what_depends_on_it(lost):
    chain = [1, 2], [0, 1]
    assert cost([1, lost, 1, 1], *chain, [2, 2], [0, 1, 2, 3]).tolist() == [1, np.inf, np.inf, 1]
    assert cost([1, 1, 1, 1], *chain, [2, lost], [0, 1, 2, 3]).tolist() == [1, 3, np.inf, 1]


def test_an_adjoint_of_zero_times_an_infinite_slope_is_not_known():
    assert cost([1, 1, 1, 1], [1, 2, 2], [0, 1, 0], [np.inf, 1e-300, 1.0], [2]).tolist() == [np.inf]
    assert cost([1, 1, 1], [1, 2], [0, 1], [np.inf, 0.0], [2]).tolist() == [1]
