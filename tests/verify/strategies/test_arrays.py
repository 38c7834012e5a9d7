"""Arrays away from kinks, full of ties, and exact; matrices of a stated condition; shapes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.errors import UsageError
from verify.strategies import (
    axes,
    dyadics,
    indices,
    integer_indices,
    kink_safe,
    matrices,
    shapes,
    with_ties,
)

SETTINGS = settings(derandomize=True, max_examples=60, deadline=None, database=None)
SHAPES = st.sampled_from([(), (1,), (4,), (2, 3), (0,), (2, 1, 2)])


@SETTINGS
@given(SHAPES.flatmap(lambda shape: st.tuples(st.just(shape), kink_safe(shape, gap=0.25))))
def test_kink_safe_entries_keep_apart_from_zero_and_from_one_another_in_size(drawn):
    shape, x = drawn
    assert x.shape == shape
    sizes = np.sort(np.abs(np.append(x.ravel(), 0.0)))
    assert np.all(np.diff(sizes) >= 0.25)


def test_arrays_with_ties_have_them_and_zeros():
    found = []

    @settings(SETTINGS, max_examples=150)
    @given(with_ties(4))
    def collect(x):
        found.append(x)

    collect()
    assert np.mean([len(set(np.abs(x).tolist())) < 4 for x in found]) > 0.7
    assert np.mean([np.any(x == 0) for x in found]) > 0.4
    assert any(np.any((x == 0) & np.signbit(x)) for x in found)
    assert any(np.any(x[:-1] == -x[1:]) and np.any(x) for x in found)


@SETTINGS
@given(dyadics((3,), bits=4, largest=2))
def test_dyadics_are_whole_multiples_within_their_bound(x):
    assert np.all(x * 16 == np.round(x * 16))
    assert np.all(np.abs(x) <= 2)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: kink_safe(3, gap=0),
        lambda: kink_safe((600,)),
        lambda: with_ties("x"),
        lambda: dyadics(2, bits=60),
        lambda: dyadics(2, largest=0),
        lambda: matrices(0),
        lambda: matrices(40),
        lambda: matrices(2, kind="odd"),
        lambda: matrices(2, condition=1e20),
        lambda: shapes("no signature"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(wrong):
    with pytest.raises(UsageError, match="expected"):
        wrong()


KINDS = ["general", "symmetric", "positive definite", "triangular"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("condition", [1.0, 1e3, 1e10])
def test_matrices_have_the_condition_that_is_asked_for(kind, condition):
    @settings(SETTINGS, max_examples=20)
    @given(matrices(3, kind=kind, condition=condition))
    def test(a):
        assert a.shape == (3, 3)
        assert 0.9 * condition <= np.linalg.cond(a) <= 1.1 * condition
        assert 0.4 < np.linalg.norm(a, 2) < 9

    test()


@settings(SETTINGS, max_examples=30)
@given(
    matrices(4, kind="symmetric"),
    matrices(4, kind="positive definite"),
    matrices(4, kind="triangular"),
    matrices(4, kind="orthogonal"),
    matrices(4, kind="repeated"),
    matrices(4, kind="clustered"),
)
def test_matrices_are_of_their_kind(symmetric, definite, triangular, orthogonal, repeated, near):
    assert np.array_equal(symmetric, symmetric.T)
    assert np.array_equal(definite, definite.T)
    assert np.linalg.eigvalsh(definite)[0] > 0
    assert np.array_equal(triangular, np.triu(triangular))
    assert np.allclose(orthogonal @ orthogonal.T, np.eye(4), atol=1e-12)
    for matrix, apart in ((repeated, 1e-13), (near, 1e-7)):
        assert np.array_equal(matrix, matrix.T)
        assert np.min(np.diff(np.linalg.eigvalsh(matrix))) < apart


def test_a_matrix_of_one_row():
    @settings(SETTINGS, max_examples=5)
    @given(matrices(1, condition=100.0))
    def test(a):
        assert a.shape == (1, 1)

    test()


SIGNATURES = {
    "(m,n),(n,k)->(m,k)": np.matmul,
    "(n),(n)->()": lambda a, b: np.sum(a * b, axis=-1),
    "(),()->()": np.add,
}


@pytest.mark.parametrize("signature", SIGNATURES)
def test_shapes_fit_a_call_of_their_signature(signature):
    loops = set()

    @SETTINGS
    @given(shapes(signature))
    def test(drawn):
        SIGNATURES[signature](*(np.ones(shape) for shape in drawn))
        loops.add(tuple(map(len, drawn)))

    test()
    assert len(loops) > 3


@SETTINGS
@given(st.data())
def test_axes_and_indices_fit_their_arrays(data):
    shape = data.draw(st.sampled_from([(), (3,), (2, 3), (2, 1, 4)]))
    x = np.zeros(shape)
    np.sum(x, axis=data.draw(axes(len(shape))))
    x[data.draw(indices(shape))]
    if shape:
        x[data.draw(integer_indices(shape))]
