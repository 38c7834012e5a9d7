"""Errors bounded by Taylor series: never below what they are, and not where nothing is smooth."""

import time

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.errors import BudgetSpent, SymtapeError
from symtape.process.work import meter_work
from verify.model.quantity import Quantity
from verify.oracles.over_region.enclosure import bound_by_series

GRADIENT = Quantity("gradient")


def bound(function, claim, low, high, quantity=GRADIENT):
    programs = symtape.record(function, 0.3 * low + 0.7 * high), symtape.record(claim, low)
    return bound_by_series(programs, quantity, [(low, high)])


SMOOTH = {
    "sine": (np.sin, np.cos, -3, 3),
    "quotient": (lambda x: 1 / (1 + x**2), lambda x: -2 * x / (1 + x**2) ** 2, -4, 4),
    "normal": (special.ndtr, lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi), -6, 6),
    "over decades": (np.log, lambda x: 1 / x, 1e-3, 1e3),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("by", [0.0, 1e-12, 1e-3])
def test_the_error_of_a_factor_is_bounded_closely(name, by):
    function, slope, low, high = SMOOTH[name]
    [(error, size)] = bound(function, lambda x: slope(x) * (1 + by), low, high)
    assert 0.1 * by <= error / size <= 100 * by + 1e-14
    largest = np.max(np.abs(slope(np.linspace(low, high, 1001))))
    assert 0.2 * largest <= size <= 1.001 * largest


NOT_SMOOTH = {
    "a corner": (lambda x: x * np.abs(x), lambda x: 2 * np.abs(x)),
    "a corner of the claim": (lambda x: x**2, lambda x: x + np.sqrt(x**2)),
    "a mask": (lambda x: x**2, lambda x: np.where(x > 0.1, 2 * x, 2.0 * x)),
    "a truth as a number": (np.sin, lambda x: np.cos(x) + 1e-3 * (x > 0.1)),
    "a number by a truth": (np.sin, lambda x: np.cos(x) + np.where(x > 0.1, 1e-3, 0.0)),
    "truths of an array": (np.sin, lambda x: np.cos(x) + np.sum(1e-3 * (x > np.arange(3)))),
    "a pole": (lambda x: x**2, lambda x: 2 * x + 0 / (x - 0.3)),
    "a root": (lambda x: np.cbrt(x) ** 4, lambda x: 4 * np.cbrt(x) / 3),
    "a branch cut": (lambda x: np.arctan2(x, -1.0), lambda x: -1 / (1 + x**2)),
    "beyond a domain": (lambda x: x**2, lambda x: 2 * x + 0 * np.log(x + 0.9)),
}


@pytest.mark.parametrize("name", NOT_SMOOTH)
def test_nothing_is_bounded_across_what_is_not_smooth(name):
    with np.errstate(all="ignore"):
        try:
            assert bound(*NOT_SMOOTH[name], -1.0, 1.0) == []
        except SymtapeError:
            return


def test_first_derivatives_by_one_number_are_bounded():
    assert bound(np.sin, np.cos, -1.0, 1.0, Quantity("hessian")) == []
    programs = symtape.record(np.sin, 0.3), symtape.record(np.cos, 0.3)
    assert bound_by_series(programs, GRADIENT, [(-1.0, 1.0), (-1.0, 1.0)]) == []


COSTLY = {
    "1f1": (
        lambda x: special.hyp1f1(1.25, 2.5, x),
        lambda x: 0.5 * special.hyp1f1(2.25, 3.5, x),
        (-40, 40),
    ),
    "i1": (special.i1, lambda x: special.i0(x) - special.i1(x) / x, (10, 40)),
    "iv": (lambda x: special.iv(1.5, x), lambda x: special.iv(2.5, x), (1, 40)),
    "exprel": (special.exprel, lambda x: special.exprel(x) * (1 - 1 / x), (10, 40)),
}
"""Functions whose values on wide balls Arb sums for seconds if it is asked for many bits."""


@pytest.mark.parametrize("name", COSTLY)
def test_series_take_no_more_time_than_they_are_charged(name):
    function, claim, (low, high) = COSTLY[name]
    start = time.process_time()
    with meter_work(200_000) as work:
        try:
            bound(function, claim, low, high)
        except BudgetSpent:
            assert work.left <= 0
    # An operation is about a microsecond; this allows for slow machines.
    assert time.process_time() - start < 1 + 20e-6 * work.spent
