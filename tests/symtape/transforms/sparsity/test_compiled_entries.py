"""Compiled sparse derivatives: those of the derivative itself, also where some are not finite."""

import numpy as np
import pytest

import symtape
from symtape.errors import NotTraceable


def arrow(x):
    return np.concatenate([np.array([np.sum(x * x)]), x[1:] * x[0]])


def chain(x):
    return np.sum(np.sqrt(x[1:] * x[:-1]))


@pytest.mark.parametrize(
    ("derivative", "there"),
    [(symtape.sparse_jacobian(arrow), np.inf), (symtape.sparse_hessian(chain), 0.0)],
    ids=["rows and columns mixed", "a star"],
)
def test_each_entry_is_that_of_the_derivative(derivative, there):
    compiled = symtape.jit(derivative)
    x = np.arange(1.0, 9.0)
    for point in (x, 2 * x, np.where(x == 4.0, there, x), x):
        with np.errstate(all="ignore"):
            found, expected = compiled(point), derivative(point)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.data, expected.data, rtol=1e-14)


def test_where_many_are_not_finite_it_is_refused():
    compiled = symtape.jit(symtape.sparse_jacobian(lambda x: np.sqrt(x) * np.sum(x[:2])))
    with (
        np.errstate(all="ignore"),
        pytest.raises(NotTraceable, match=r"3000 rows is not finite at this point"),
    ):
        compiled(np.zeros(3000))
