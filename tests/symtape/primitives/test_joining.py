from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape

JOINS = [
    ("concatenate", lambda x: np.concatenate([x, x[:1] * 2, np.ones((2, 3), x.dtype)]), (2, 3)),
    ("concatenate flat", lambda x: np.concatenate([x, x[0] * 3, x.T], axis=None), (2, 3)),
    ("concatenate inside", lambda x: np.concatenate([x, x[:, :1]], axis=-1), (2, 3)),
    ("concat", lambda x: np.concat((x, x), axis=1), (2, 3)),
    ("stack", lambda x: np.stack([x, 2 * x, np.ones((2, 3), x.dtype)], axis=1), (2, 3)),
    ("stack of scalars", lambda x: np.stack([x[1], x[0] * 2, x[2]]), (3,)),
    ("stack behind", lambda x: np.stack([x, 2 * x], axis=-1), (2, 3)),
    ("vstack", lambda x: np.vstack([x, 2 * x]), (3,)),
    ("hstack of vectors", lambda x: np.hstack([x, 2 * x[:2]]), (3,)),
    ("hstack of matrices", lambda x: np.hstack([x, 2 * x[:, :2]]), (2, 3)),
    ("dstack", lambda x: np.dstack([x, 2 * x]), (2, 3)),
    ("column_stack", lambda x: np.column_stack([x, 2 * x]), (3,)),
    ("append", lambda x: np.append(x, 2 * x[0]), (2, 3)),
    ("append along", lambda x: np.append(x, 2 * x[:1], axis=0), (2, 3)),
    ("block", lambda x: np.block([[x, 2 * x], [x[0], x[1]]]), (2, 3)),
    ("array_split", lambda x: np.array_split(x, 3)[1], (7,)),
    ("split", lambda x: np.split(x, 2, axis=-1)[1], (2, 4)),
    ("split at places", lambda x: np.split(x, [1, 3])[1], (5,)),
    ("hsplit", lambda x: np.hsplit(x, 2)[0], (2, 4)),
    ("vsplit", lambda x: np.vsplit(x, 2)[1], (4, 2)),
    ("dsplit", lambda x: np.dsplit(x, 2)[1], (1, 2, 2)),
    ("unstack", lambda x: np.unstack(x, axis=1)[2], (2, 3)),
]


@pytest.mark.parametrize(("name", "join", "shape"), JOINS, ids=[j[0] for j in JOINS])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_joins_and_splits_are_exact_to_second_order(
    name, join, shape, dtype, values, assert_affine
):
    assert_affine(join, values(shape, dtype))


@settings(max_examples=20, derandomize=True, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 3), min_size=1, max_size=4),
    axis=st.integers(-2, 1),
)
def test_concatenate_undoes_split(lengths, axis, values, assert_affine):
    x = values((sum(lengths), sum(lengths)))
    cuts = np.cumsum(lengths)[:-1]
    assert_affine(lambda x: np.concatenate(np.split(x, cuts, axis), axis), x)


def test_parts_of_another_dtype_keep_it():
    x, y = symtape.constant([1.5], dtype=np.float32), symtape.constant([2.5])
    with symtape.GradientTape() as tape:
        tape.watch([x, y])
        z = np.concatenate([x, y])
    assert z.dtype == np.float64
    assert [g.dtype for g in tape.gradient(z, [x, y])] == [np.float32, np.float64]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.split(x, 2, axis=1), "length 3 does not divide into 2 equal parts"),
        (lambda x: np.stack([x, x[0]]), "cannot be stacked"),
        (lambda x: np.concatenate([x, x[0]]), "expected equally many axes"),
        (lambda x: np.array_split(x, 0), "expected at least 1"),
    ],
)
def test_errors_say_what_was_given(call, words):
    with pytest.raises(ValueError, match=words):
        call(symtape.constant(np.ones((2, 3))))
