from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape

FEW = settings(max_examples=15, derandomize=True, deadline=None)

MOVES = [
    ("diagonal", np.diagonal, (2, 3)),
    ("diagonal of a stack", lambda x: np.diagonal(x, 1, 2, 0), (2, 2, 3)),
    ("method diagonal", lambda x: x.diagonal(offset=-1), (3, 2)),
    ("linalg.diagonal", lambda x: np.linalg.diagonal(x, offset=1), (2, 2, 3)),
    ("trace", np.trace, (3, 2)),
    ("method trace", lambda x: x.trace(1), (2, 3)),
    ("linalg.trace", np.linalg.trace, (2, 2, 2)),
    ("diag of a vector", np.diag, (3,)),
    ("diagflat", lambda x: np.diagflat(x, -1), (1, 2)),
    ("tril of a vector", np.tril, (3,)),
    ("triu of a stack", lambda x: np.triu(x, -1), (2, 3, 2)),
]


@pytest.mark.parametrize(("name", "move", "shape"), MOVES, ids=[m[0] for m in MOVES])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_moves_are_exact_to_second_order(name, move, shape, dtype, values, assert_affine):
    assert_affine(move, values(shape, dtype))


@FEW
@given(rows=st.integers(1, 3), columns=st.integers(1, 3), offset=st.integers(-4, 4))
@pytest.mark.parametrize("move", [np.diag, np.diagonal, np.trace, np.tril, np.triu])
def test_any_offset(move, rows, columns, offset, values, assert_affine):
    assert_affine(lambda x: move(x, offset), values((rows, columns)))


@FEW
@given(size=st.integers(0, 3), offset=st.integers(-3, 3))
def test_a_diagonal_matrix_of_any_offset(size, offset, values, assert_affine):
    assert_affine(lambda x: np.diag(x, offset), values((size,)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: np.diag(symtape.constant(np.ones((1, 1, 1)))), "one or two axes"),
        (lambda: np.diagonal(symtape.constant([1.0])), "at least two axes"),
        (lambda: np.trace(symtape.constant(np.ones((2, 2))), axis1=1, axis2=1), "the same axis"),
        (lambda: np.tril(symtape.constant(1.0)), "at least one axis"),
    ],
)
def test_errors_say_what_was_given(call, words):
    with pytest.raises(ValueError, match=words):
        call()
