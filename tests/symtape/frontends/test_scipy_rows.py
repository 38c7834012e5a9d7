"""Functions that call SciPy's run once, with rows in place of its names, which come back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, special
from scipy.special import logsumexp

import symtape
from symtape.frontends.scipy_callers import needs_rows

X = np.array([0.5, -1.0, 2.0])
LOGSUMEXP = logsumexp


def shares(x):
    return np.exp(x - x.max()) / np.sum(np.exp(x - x.max()))


def test_a_function_that_calls_scipy_runs_once_when_that_is_known():
    runs = []

    def function(x):
        runs.append(1)
        return special.logsumexp(x) + logsumexp(2 * x)

    gradient = symtape.grad(function)
    expected = shares(X) + 2 * shares(2 * X)
    np.testing.assert_allclose(gradient(X), expected, rtol=1e-14)
    assert needs_rows(function)
    runs.clear()
    np.testing.assert_allclose(gradient(X), expected, rtol=1e-14)
    assert runs == [1]
    assert special.logsumexp is logsumexp is LOGSUMEXP


def test_names_are_as_before_after_an_error_and_inside_of_one_another():
    def inner(x):
        return special.logsumexp(x)

    def outer(x):
        return np.sum(symtape.grad(inner)(x) ** 2) + special.logsumexp(x)

    def fails(x):
        special.logsumexp(x)
        raise RuntimeError("of the user's")

    p = shares(X)
    slope = (np.diag(p) - np.outer(p, p)) @ (2 * p) + p
    for _ in range(2):
        np.testing.assert_allclose(symtape.grad(outer)(X), slope, rtol=1e-13)
        with pytest.raises(RuntimeError, match="of the user's"):
            symtape.grad(fails)(X)
        assert special.logsumexp is LOGSUMEXP
        assert special.logsumexp(X) == LOGSUMEXP(X)


def test_hessians_and_functions_that_are_read_find_rows_as_well():
    def function(x):
        filled = np.zeros(3)
        filled[1:] = x[1:]
        return special.logsumexp(filled)

    p = shares(np.array([0.0, *X[1:]])) * [0, 1, 1]
    for _ in range(2):
        np.testing.assert_allclose(symtape.grad(function)(X), p, rtol=1e-14)
        np.testing.assert_allclose(
            symtape.hessian(lambda x: special.logsumexp(x))(X),
            np.diag(shares(X)) - np.outer(shares(X), shares(X)),
            atol=1e-15,
        )
    assert special.logsumexp is LOGSUMEXP


def test_what_leaves_elsewhere_is_read_as_before():
    def function(x):
        return x[0] * float(np.asarray(special.logsumexp(x)))

    slope = X[0] * shares(X) + LOGSUMEXP(X) * np.array([1.0, 0.0, 0.0])
    for _ in range(2):
        np.testing.assert_allclose(symtape.grad(function)(X), slope, rtol=1e-14)
        assert not needs_rows(function)
    assert special.logsumexp is LOGSUMEXP


def test_what_rows_did_not_help_at_one_point_they_may_help_at_another():
    def function(x):
        return special.logsumexp(x) if x[0] > 0 else x[0] * float(np.asarray(x[1]))

    for point in (-X, X):
        symtape.grad(function)(point)
        assert needs_rows(function) == (point is X)


@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF"])
def test_triangular_systems_are_solved_as_scipy_solves_them(trans, lower, unit_diagonal, orders):
    rng = np.random.default_rng(0)
    how = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
    row = symtape.primitives.triangular.SOLVE_TRIANGULAR
    for n, m in ((1, 1), (3, 2), (20, 5), (4, 0)):
        a = np.array(rng.normal(size=(n, n)) + 3 * np.eye(n), order=orders[0])
        b = np.array(rng.normal(size=(n, m)), order=orders[1])
        kept = a.copy(), b.copy()
        np.testing.assert_allclose(row(a, b, **how), linalg.solve_triangular(a, b, **how))
        np.testing.assert_array_equal(a, kept[0])
        np.testing.assert_array_equal(b, kept[1])
    a[0, 0] = 0.0
    if not unit_diagonal:
        with pytest.raises(np.linalg.LinAlgError):
            row(a, np.ones((4, 2)), **how)
