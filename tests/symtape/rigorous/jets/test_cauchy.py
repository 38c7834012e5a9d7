"""Derivatives by orders and parameters, which have no closed form, beside mpmath's."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from flint import acb, arb, arb_series
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.process.precision import precision
from symtape.rigorous import ball
from symtape.rigorous.jets import functions
from symtape.rigorous.jets.cauchy import compose
from symtape.rigorous.jets.jet import Jet, Lost, coefficients

BITS = 200
DIGITS = 40

PARAMETERS = {
    "J by its order": (lambda v: functions.bessel_j(arb(2.5), v), lambda v: mpmath.besselj(v, 2.5)),
    "K by its order": (lambda v: functions.bessel_k(arb(2.5), v), lambda v: mpmath.besselk(v, 2.5)),
    "gammainc by a": (
        lambda a: functions.gamma_lower(arb(1.5), a, 1),
        lambda a: mpmath.gammainc(a, 0, 1.5, regularized=True),
    ),
    "betainc by a": (
        lambda a: functions.beta_lower(arb(0.25), a, arb(1.75), 1),
        lambda a: mpmath.betainc(a, 1.75, 0, 0.25, regularized=True),
    ),
    "betainc by b": (
        lambda b: functions.beta_lower(arb(0.25), arb(1.75), b, 1),
        lambda b: mpmath.betainc(1.75, b, 0, 0.25, regularized=True),
    ),
    "zeta by s": (lambda s: functions.zeta(s + 1, arb(1.5)), lambda s: mpmath.zeta(s + 1, 1.5)),
    "expint by its order": (
        lambda n: functions.expint(arb(0.75), n),
        lambda n: mpmath.expint(n, 0.75),
    ),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", PARAMETERS)
def test_derivatives_by_parameters(name):
    ours, theirs = PARAMETERS[name]
    with precision(BITS, terms=4):
        found = coefficients(ours(Jet(arb_series([0.75, 1]))), 3)
    with mpmath.workdps(3 * DIGITS):
        for k, ball in enumerate(found):
            expected = mpmath.diff(theirs, 0.75, k) / mpmath.factorial(k)
            assert ball.rel_accuracy_bits() > 120
            gap = abs(mpmath.mpf(ball.mid().str(60, radius=False)) - expected)
            assert gap < mpmath.mpf(10) ** -30, (k, gap)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.floats(-20, 20), st.floats(-3, 3), st.integers(1, 5))
def test_the_exponential_by_cauchy_is_the_exponential(x, speed, order):
    with precision(BITS, terms=order + 1):
        path = Jet(arb_series([x, speed, 0.5]))
        ours = compose(acb.exp, (path,), lambda z: True, arb(x).exp())
        theirs = functions.exp(path)
        for one, other in zip(coefficients(ours, order), coefficients(theirs, order), strict=True):
            assert one.overlaps(other)
            assert one.rad() <= abs(arb(x).exp()) * arb(2) ** (-BITS // 2) * 10**order


def test_what_is_not_exactly_known_widens_the_coefficients():
    with precision(BITS, terms=2):
        third = arb(1) / 3
        for radius in (arb(0), arb(2) ** -150, arb(2) ** -60):
            wide = Jet(arb_series([third + arb(0, radius), 1]))
            slope = coefficients(functions.bessel_j(wide, arb(0)), 1)[1]
            for end in (third - radius, third + radius):
                assert slope.overlaps(-end.bessel_j(arb(1)))
            assert slope.rad() < 64 * radius + arb(2) ** -150


def test_a_branch_cut_is_lost_although_its_balls_are_finite():
    with precision(BITS, terms=2):
        across = Jet(arb_series([arb(0, 0.5), 1]))
        assert type(functions.bessel_j(across, arb(0.5))) is Lost
        on_the_cut = Jet(arb_series([-1, 1]))
        found = compose(acb.log, (on_the_cut,), lambda z: bool(z.real > 0), arb(0))
        assert type(found) is Lost


def test_arrays_of_special_functions_expand_by_element():
    with precision(100, terms=2):
        row = np.array([Jet(arb_series([x, 1])) for x in (0.25, 0.5)], dtype=object)
        assert [coefficients(x, 1)[1] > 1 for x in functions.erfinv(row / 2)] == [False, False]


def _left_of_the_cut(m):
    return bool(m.real < 1)


def test_a_function_that_arb_has_for_complex_numbers_alone():
    with precision(120, terms=3):
        m = Jet(arb_series([arb("-3"), 1]))
        found = functions.analytic("elliptic_k", m, inside=_left_of_the_cut)
        value, slope, half_curvature = coefficients(found, 2)
    with mpmath.workdps(30):
        for k, part in enumerate((value, slope, 2 * half_curvature)):
            assert abs(float(part) - float(mpmath.diff(mpmath.ellipk, -3, k))) < 1e-12
    assert ball.analytic("elliptic_k", arb(-3), inside=_left_of_the_cut).overlaps(value)


def test_across_a_cut_nothing_is_known():
    with precision(120, terms=3):
        wide = Jet(arb_series([arb(1, 0.5), 1]))
        assert type(functions.analytic("elliptic_k", wide, inside=_left_of_the_cut)) is Lost
    assert not ball.analytic("elliptic_k", arb(2), inside=_left_of_the_cut).is_finite()


@pytest.mark.parametrize("name", ["chi", "lambertw", "li", "shi"])
def test_any_power_series_of_arb_is_a_function_of_jets(name):
    with precision(120, terms=2):
        value, slope = coefficients(getattr(functions, name)(Jet(arb_series([2, 1]))), 1)
    assert value.overlaps(getattr(arb(2), name)())
    with mpmath.workdps(30):
        assert abs(float(slope) - float(mpmath.diff(getattr(mpmath, name), 2))) < 1e-12


def test_where_a_function_is_analytic_is_asked_for():
    with pytest.raises(AttributeError):
        functions.hypgeom_2f1  # noqa: B018
