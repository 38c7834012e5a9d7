"""Sizes that depend on values are conditions of the path, as predicates are."""

import numpy as np
import pytest

import symtape

SIZES = {
    "a mask": lambda x: np.sum(x) * len(x[x > 0]),
    "its size": lambda x: np.sum(x**2) * x[x > 0].size,
    "a mean of some": lambda x: np.mean(np.append(x[x > 0], 1.0)),
    "a variance of some": lambda x: np.var(x[x > -10]),
    "nonzero": lambda x: np.sum(x) * len(np.nonzero(x > 0)[0]),
    "flatnonzero": lambda x: sum([x[i] for i in np.flatnonzero(x > 0)], 0.0 * x[0]),
    "where": lambda x: np.sum(x) * np.where(x > 0)[0].shape[0],
    "argwhere": lambda x: np.sum(x) * len(np.argwhere(x > 0)),
    "compress": lambda x: np.sum(x) * len(np.compress(x > 0, x)),
    "extract": lambda x: np.sum(x) * len(np.extract(x > 0, x)),
    "rows": lambda x: np.sum(x) * len(np.stack([x, x], axis=1)[x > 0]),
    "unique": lambda x: np.sum(x) * len(np.unique(np.sign(x))),
}


@pytest.mark.parametrize("name", SIZES)
def test_another_size_is_another_path(name):
    function = SIZES[name]
    graph = symtape.record(function, [1.0, -2.0, 3.0])
    assert graph.path
    for x in ([2.0, -1.0, 4.0], [1.0, 2.0, 3.0], [-1.0, -2.0, 3.0], [0.5, 7.0, -2.0]):
        point = np.array(x)
        if graph.holds(point):
            np.testing.assert_allclose(graph.evaluate(point)[0], function(point), rtol=1e-14)


@pytest.mark.parametrize("name", SIZES)
def test_of_the_same_size_the_path_is_the_same(name):
    graph = symtape.record(SIZES[name], [1.0, -2.0, 3.0])
    assert graph.holds(np.array([4.0, -1.0, 2.0]))


def test_a_size_that_is_known_is_no_condition():
    graph = symtape.record(lambda x: np.sum(x[np.array([True, False, True])]), [1.0, -2.0, 3.0])
    assert not graph.path
