"""Functions of sets and counts give what NumPy gives, and questions about types as well."""

from __future__ import annotations

import numpy as np
import pytest

import symtape

RNG = np.random.default_rng(0)
A = RNG.integers(0, 5, 12).astype(float)
B = RNG.integers(2, 8, 7).astype(float)
M = RNG.integers(0, 2, (6, 2)).astype(float)


def with_edges(found):
    counts, edges = found
    return (counts, *edges)


CALLS = {
    "unique": lambda a, b, m: np.unique(a),
    "unique with all": lambda a, b, m: np.unique(a, True, True, True),
    "unique values": lambda a, b, m: np.unique_values(m),
    "unique counts": lambda a, b, m: np.unique_counts(a),
    "unique inverse": lambda a, b, m: np.unique_inverse(m),
    "unique all": lambda a, b, m: np.unique_all(m),
    "unique of rows": lambda a, b, m: np.unique(m, True, True, True, axis=0),
    "unique of a matrix": lambda a, b, m: np.unique(m, return_inverse=True),
    "lexsort": lambda a, b, m: np.lexsort((a, a[::-1])),
    "lexsort of rows": lambda a, b, m: np.lexsort(m.T[::-1]),
    "isin": lambda a, b, m: np.isin(a, b),
    "isin inverted": lambda a, b, m: np.isin(m, b, invert=True),
    "union1d": lambda a, b, m: np.union1d(a, b),
    "intersect1d": lambda a, b, m: np.intersect1d(a, b, return_indices=True),
    "setdiff1d": lambda a, b, m: np.setdiff1d(a, b),
    "setxor1d": lambda a, b, m: np.setxor1d(a, b),
    "nanargmax": lambda a, b, m: np.nanargmax(a),
    "nanargmin": lambda a, b, m: np.nanargmin(m, axis=0),
    "isposinf": lambda a, b, m: np.isposinf(a),
    "histogram": lambda a, b, m: np.histogram(a),
    "histogram of a range": lambda a, b, m: np.histogram(a, 4, (0, 3)),
    "histogram by edges": lambda a, b, m: np.histogram(a, [0, 1, 2, 4.0]),
    "histogram of weights": lambda a, b, m: np.histogram(a, 4, weights=a),
    "density": lambda a, b, m: np.histogram(a, 4, density=True),
    "histogram of one value": lambda a, b, m: np.histogram(a * 0 + 1),
    "histogram2d": lambda a, b, m: np.histogram2d(a, a[::-1], 3),
    "histogram2d by edges": lambda a, b, m: np.histogram2d(a, a * a, [0, 1, 2, 4.0]),
    "histogram2d by two": lambda a, b, m: np.histogram2d(a, a * a, [[0, 1, 2, 4.0], 2], weights=a),
    "histogramdd": lambda a, b, m: with_edges(
        np.histogramdd(np.stack([a, a[::-1], a * a], -1), (2, 3, 2))
    ),
    "histogramdd of columns": lambda a, b, m: with_edges(
        np.histogramdd([a, a[::-1]], 3, [(0, 3), (0, 2)])
    ),
    "density in two": lambda a, b, m: with_edges(
        np.histogramdd([a, a[::-1]], 3, density=True, weights=a * a)
    ),
    "edges": lambda a, b, m: np.histogram_bin_edges(a, 3),
    "iscomplexobj": lambda a, b, m: np.iscomplexobj(a),
    "iscomplex": lambda a, b, m: (np.iscomplex(a), np.isreal(a)),
    "can_cast": lambda a, b, m: np.can_cast(a, np.float32),
    "searchsorted": lambda a, b, m: a[np.argsort(a)].searchsorted(b),
    "may_share_memory": lambda a, b, m: np.may_share_memory(a, b),
}


@pytest.mark.parametrize("name", CALLS)
def test_tensors_give_what_arrays_give(name):
    expected = CALLS[name](A, B, M)
    found = CALLS[name](*map(symtape.constant, (A, B, M)))
    several = isinstance(expected, tuple)
    for want, got in zip(expected, found, strict=True) if several else [(expected, found)]:
        value = np.asarray(got.numpy() if isinstance(got, symtape.Tensor) else got)
        np.testing.assert_allclose(value, want, rtol=1e-15)
        assert value.dtype == np.asarray(want).dtype


WEIGHED = {
    "histogram": lambda w: np.histogram(A, 3, weights=w)[0],
    "histogram2d": lambda w: np.histogram2d(A, A[::-1], 3, weights=w)[0],
    "histogramdd": lambda w: np.histogramdd([A, A[::-1], A * A], 2, weights=w)[0],
}


@pytest.mark.parametrize("name", WEIGHED)
def test_each_weight_counts_once_in_the_bin_of_its_number(name):
    found = symtape.jacobian(WEIGHED[name])(B.repeat(2)[:12])
    bins = found.reshape(-1, 12)
    np.testing.assert_array_equal(bins.sum(axis=0), np.ones(12))
    np.testing.assert_array_equal(bins @ np.arange(12.0), np.ravel(WEIGHED[name](np.arange(12.0))))
