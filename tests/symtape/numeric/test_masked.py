"""Branches that are not taken leave no trace in a derivative, whatever happens in them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.primitives.choice import WHERE
from symtape.primitives.primitive import PRIMITIVES

# A function of an array, elementwise; a point; its exact gradient there.
TABLE = {
    "sqrt": (lambda x: np.where(x > 0, np.sqrt(x), 0), [-1.0, 0.0, 4.0], [0, 0, 0.25]),
    "sqrt, the other way": (lambda x: np.where(x <= 0, x, np.sqrt(x)), [-1.0, 0.0], [1, 1]),
    "cbrt": (lambda x: np.where(x == 0, x, np.cbrt(x)), [0.0, 8.0], [1, 1 / 12]),
    "log": (lambda x: np.where(x > 0, np.log(x), 0), [-1.0, 0.0, 2.0], [0, 0, 0.5]),
    "log1p": (lambda x: np.where(x > -1, np.log1p(x), 0), [-2.0, -1.0, 1.0], [0, 0, 0.5]),
    "log2": (lambda x: np.where(x > 0, np.log2(x), 3 * x), [-1.0, 0.0], [3, 3]),
    "x log x": (lambda x: np.where(x > 0, x * np.log(x), 0), [0.0, 1.0], [0, 1]),
    "entropy": (lambda x: np.where(x > 0, special.entr(x), 0), [0.0, 1.0], [0, -1]),
    "xlogy": (lambda x: np.where(x > 0, special.xlogy(x, x), 0), [0.0, 1.0], [0, 1]),
    "sin(x)/x": (lambda x: np.where(x == 0, 1, np.sin(x) / x), [0.0], [0]),
    "1/x": (lambda x: np.where(x != 0, 1 / x, 0), [0.0, 2.0], [0, -0.25]),
    "reciprocal": (lambda x: np.where(x != 0, np.reciprocal(x), 0), [0.0, 2.0], [0, -0.25]),
    "1/x**2": (lambda x: np.where(x > 1, x**-2, x), [0.0, 2.0], [1, -0.25]),
    "x**0.5": (lambda x: np.where(x > 0, x**0.5, x), [-1.0, 0.0, 4.0], [1, 1, 0.25]),
    "x**x": (lambda x: np.where(x > 0, x**x, 0), [-0.5, 0.0, 1.0], [0, 0, 1]),
    "arccos": (
        lambda x: np.where(np.abs(x) < 1, np.arccos(x), x), [1.0, -1.0, 2.0, 0.0], [1, 1, 1, -1],
    ),
    "arcsin": (lambda x: np.where(np.abs(x) < 1, np.arcsin(x), x), [1.0, -3.0, 0.0], [1, 1, 1]),
    "arccosh": (lambda x: np.where(x > 1, np.arccosh(x), x), [1.0, 0.0], [1, 1]),
    "arctanh": (lambda x: np.where(np.abs(x) < 1, np.arctanh(x), x), [1.0, 2.0, 0.0], [1, 1, 1]),
    "overflow": (lambda x: np.where(x < 9, np.exp(x) ** 2, x), [1000.0, 0.0], [1, 2]),
    "exp of sqrt": (lambda x: np.where(x > 0, np.exp(np.sqrt(x)), 0), [-1.0, 0.0], [0, 0]),
    "a product": (
        lambda x: np.where(x > 0, np.sqrt(x) * np.log(x), x), [-1.0, 0.0, 1.0], [1, 1, 1],
    ),
    "one inside another": (
        lambda x: np.where(x > 0, np.where(x > 1, np.sqrt(x - 1), np.log(x)), 0),
        [-1.0, 0.0, 0.5, 5.0], [0, 0, 2, 0.25],
    ),
    "select": (
        lambda x: np.select([x > 1, x > 0], [np.sqrt(x - 1), np.log(x)], 0 * x),
        [-1.0, 0.0, 0.5, 5.0], [0, 0, 2, 0.25],
    ),
    "moved about": (
        lambda x: np.where(x > 0, np.sqrt(x[::-1])[::-1].reshape(1, -1)[0], 0),
        [-1.0, 4.0], [0, 0.25],
    ),
    "shared": (lambda x: np.where(x > 0, np.sqrt(x), 0) + np.exp(x), [0.0, -1.0], [1, np.exp(-1)]),
    "gammaln": (lambda x: np.where(x > 0, special.gammaln(x), x), [0.0, -1.0], [1, 1]),
    "ndtri": (lambda x: np.where((x > 0) & (x < 1), special.ndtri(x), x), [0.0, 1.0], [1, 1]),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", TABLE)
def test_the_gradient_is_finite_and_right(name):
    function, point, slopes = TABLE[name]
    x = np.array(point)
    gradient = symtape.grad(lambda x: np.sum(function(x)))(x)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-12)
    np.testing.assert_allclose(np.diag(symtape.jacobian(function)(x)), slopes, rtol=1e-12)


@pytest.mark.parametrize("name", TABLE)
def test_scalars_persistent_tapes_and_second_derivatives_too(name):
    function, point, slopes = TABLE[name]
    for x, slope in zip(point, slopes, strict=True):
        if name == "moved about":
            continue
        assert symtape.grad(function)(x) == pytest.approx(slope, rel=1e-12)
        assert np.isfinite(symtape.hessian(function)(x))
        leaf = symtape.constant(x)
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(leaf)
            y = function(leaf)
        for _ in range(2):
            assert tape.gradient(y, leaf).numpy() == pytest.approx(slope, rel=1e-12)


def test_second_derivatives_are_those_of_the_branch_that_is_taken():
    def function(x):
        return np.where(x > 0, np.sqrt(x), x**2)

    assert symtape.hessian(function)(0.0) == 2.0
    assert symtape.hessian(function)(4.0) == pytest.approx(-1 / 32)
    full = symtape.hessian(lambda x: np.sum(function(x)))(np.array([0.0, -1.0, 4.0]))
    np.testing.assert_allclose(full, np.diag([2.0, 2.0, -1 / 32]))


def test_a_nan_that_is_the_function_s_own_is_not_hidden():
    assert np.isnan(symtape.grad(lambda x: np.sqrt(x * x))(0.0))
    both = symtape.grad(lambda x: np.where(x < 1, np.sqrt(x * x), 0))(0.0)
    assert np.isnan(both)
    assert symtape.grad(lambda x: np.where(x < 1, np.sqrt(x), 0))(0.0) == np.inf


def test_a_cotangent_that_happens_to_be_0_is_kept():
    # The square undoes the root; 0 times infinity is not 0 here, and nobody says that it is.
    slope = symtape.grad(lambda x: np.where(x >= 0, np.square(np.cbrt(x)) * np.cbrt(x), x))(0.0)
    assert slope != 0


def test_numbers_that_cancel_do_not_look_like_what_is_not_taken():
    def function(x):
        mixed = np.where(x > 0, np.sqrt(x), 0)
        return np.sum(np.diff(np.concatenate([mixed, x])) * np.arange(3))

    gradient = symtape.grad(function)(np.array([0.0, 1.0]))
    assert np.all(np.isfinite(gradient))
    h = 1e-6
    slope = (function(np.array([0.0, 1 + h])) - function(np.array([0.0, 1 - h]))) / (2 * h)
    assert gradient[1] == pytest.approx(slope, rel=1e-6)


def test_rules_know_whether_they_look_at_values():
    assert all(rule.selects for rule in WHERE.rules[1:])
    assert {row.name for row in PRIMITIVES.values() for r in row.rules if r and r.selects} >= {
        "where"
    }
    assert PRIMITIVES["add"].rules[0].blind
    assert not PRIMITIVES["multiply"].rules[0].blind
    assert not PRIMITIVES["exp"].rules[0].blind
    assert not any(r.selects for r in PRIMITIVES["exp"].rules)


EDGES = {
    "sqrt": (np.sqrt, [[np.inf, 0], [0, 0.5]]),
    "reversed": (lambda x: np.sqrt(x)[::-1], [[0, 0.5], [np.inf, 0]]),
    "broadcast": (
        lambda x: np.sqrt(x) + np.zeros((2, 1)),
        [[[np.inf, 0], [0, 0.5]], [[np.inf, 0], [0, 0.5]]],
    ),
    "summed": (lambda x: np.sqrt(x) * np.sum(x), [[np.inf, 0], [1, 1.5]]),
    "apart": (lambda x: np.stack([np.sqrt(x[0]), np.log(x[1])]), [[np.inf, 0], [0, 1]]),
    "running": (lambda x: np.cumsum(np.sqrt(x)), [[np.inf, 0], [np.inf, 0.5]]),
}


@pytest.mark.parametrize("name", EDGES)
def test_a_row_of_a_jacobian_has_nothing_of_the_slopes_of_other_rows(name):
    function, right = EDGES[name]
    point = np.array([0.0, 1.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(symtape.jacobian(function)(point), right)
        graph = symtape.record(symtape.jacobian(function), point)
        np.testing.assert_array_equal(graph.evaluate(point)[0], right)


def test_a_row_keeps_a_nan_of_its_own():
    with np.errstate(all="ignore"):
        found = symtape.jacobian(lambda x: np.sqrt(x * x))(np.array([0.0, 1.0]))
    np.testing.assert_array_equal(found, [[np.nan, 0], [0, 1]])
