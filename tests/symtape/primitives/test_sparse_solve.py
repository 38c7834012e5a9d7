"""Systems with a band are solved by LAPACK, all others by SuperLU, and as accurately."""

from __future__ import annotations

import numpy as np
import pytest

from symtape.primitives import sparse_solve
from symtape.primitives.sparse_solve import SPARSE_SOLVE


def draw_band(random, size, below, above):
    row, column = np.indices((size, size))
    inside = (row - column <= below) & (column - row <= above)
    return random.normal(size=np.count_nonzero(inside)), row[inside], column[inside]


@pytest.mark.parametrize("most", [0, sparse_solve._NARROW])
@pytest.mark.parametrize("bands", [(0, 0), (1, 1), (0, 2), (2, 0), (3, 1)])
@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_bands_are_solved_as_dense_matrices_are(size, bands, most, monkeypatch):
    monkeypatch.setattr(sparse_solve, "_NARROW", most)
    random = np.random.default_rng(size)
    data, rows, columns = draw_band(random, size, *bands)
    # Entries at one place are added.
    data, rows, columns = (np.concatenate([x, x[:1]]) for x in (data, rows, columns))
    whole = np.zeros((size, size))
    np.add.at(whole, (rows, columns), data)
    for b in (random.normal(size=size), random.normal(size=(size, 3))):
        found = SPARSE_SOLVE.evaluate(data, b, rows=rows, columns=columns)
        # The solution is exact for entries that are perturbed by roundings, each by itself.
        off = np.abs(whole @ found - b)
        sizes = np.abs(whole) @ np.abs(found) + np.abs(b)
        assert found.shape == b.shape
        assert np.all(off <= 8 * np.finfo(float).eps * sizes)


@pytest.mark.parametrize("most", [0, sparse_solve._NARROW])
def test_a_singular_band_is_refused(most, monkeypatch):
    monkeypatch.setattr(sparse_solve, "_NARROW", most)
    rows = columns = np.arange(3)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        SPARSE_SOLVE.evaluate(np.array([1.0, 0.0, 2.0]), np.ones(3), rows=rows, columns=columns)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        SPARSE_SOLVE.evaluate(np.array([]), np.ones(3), rows=rows[:0], columns=rows[:0])
