"""``vmap`` of the functions of the built-in suites: as slice by slice, and so its derivatives."""

import functools

import numpy as np
import pytest

import symtape
from symtape.recording.structure import flatten
from verify.suites import SUITES

SLICES = 3


@functools.cache
def cases():
    return {case.id: case for suite in SUITES.values() for case in suite() if case.at}


def stacks(case):
    """The first point of a case, and points beside it, argument by argument; the dtype is kept."""
    rng = np.random.default_rng(0)
    steps = [0.0, *(1e-3 * rng.uniform(0.5, 1.0, SLICES - 1))]
    found = []
    for x in map(np.asarray, case.at[0]):
        moved = [x * (1 - step) if x.dtype.kind == "f" else x for step in steps]
        found.append(np.stack(moved).astype(x.dtype))
    return found


def slice_by_slice(function, columns):
    rows = [
        flatten(function(*[np.asarray(column[k]) for column in columns])) for k in range(SLICES)
    ]
    return [np.stack([np.asarray(x) for x in parts]) for parts in zip(*rows, strict=True)]


def assert_near(found, expected, dtype):
    rtol = 1e-11 if dtype == np.float64 else 1e-3
    scale = float(np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected)))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)


def is_finite(arrays):
    return all(np.isfinite(x).all() for x in arrays)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", SUITES)
def test_values_and_gradients_are_those_of_the_slices(name):
    ids = {case.id for case in SUITES[name]()}
    looked = 0
    for case in (case for key, case in cases().items() if key in ids):
        columns = stacks(case)
        dtype = columns[0].dtype
        with np.errstate(all="ignore"):
            expected = slice_by_slice(case.function, columns)
            found = flatten(symtape.vmap(case.function)(*columns))
            for one, other in zip(found, expected, strict=True):
                assert np.shape(one) == other.shape, case.id
                assert_near(one, other, dtype)
            if any(column.dtype.kind != "f" for column in columns) or not is_finite(expected):
                continue
            assert_gradients(case.function, columns, dtype)
            looked += 1
    assert looked > 5


def assert_gradients(function, columns, dtype):
    every = tuple(range(len(columns)))

    def one(*args):
        return sum(np.sum(np.sin(leaf)) for leaf in flatten(function(*args)))

    def all_of_them(*args):
        return sum(np.sum(np.sin(leaf)) for leaf in flatten(symtape.vmap(function)(*args)))

    by_slice = slice_by_slice(symtape.grad(one, every), columns)
    for of_sum, of_map, expected in zip(
        symtape.grad(all_of_them, every)(*columns),
        symtape.vmap(symtape.grad(one, every))(*columns),
        by_slice,
        strict=True,
    ):
        assert_near(of_sum, expected, dtype)
        assert_near(of_map, expected, dtype)
