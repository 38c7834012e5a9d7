"""Piecewise polynomials and B-splines round as SciPy's do, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate

import symtape

RNG = np.random.default_rng(0)
KNOTS = np.linspace(0.0, 1.0, 7)
VALUES = np.sin(3 * KNOTS) + KNOTS**2
PLACES = np.concatenate([RNG.uniform(-0.25, 1.25, 500), KNOTS])

MADE = {
    "CubicSpline": interpolate.CubicSpline(KNOTS, VALUES),
    "PchipInterpolator": interpolate.PchipInterpolator(KNOTS, VALUES),
    "Akima1DInterpolator": interpolate.Akima1DInterpolator(KNOTS, VALUES),
    "PPoly": interpolate.PPoly(RNG.normal(size=(4, 6)), KNOTS),
    "PPoly of falling breakpoints": interpolate.PPoly(RNG.normal(size=(4, 6)), KNOTS[::-1]),
    "PPoly of degree 8": interpolate.PPoly(RNG.normal(size=(9, 6)), KNOTS),
    "PPoly of vectors": interpolate.PPoly(RNG.normal(size=(4, 6, 2)), KNOTS),
    "BPoly of degree 2": interpolate.BPoly(RNG.normal(size=(3, 6)), KNOTS),
    "BPoly of degree 3": interpolate.BPoly(RNG.normal(size=(4, 6, 2)), KNOTS),
    "BSpline": interpolate.make_interp_spline(KNOTS, VALUES),
    "BSpline of degree 1": interpolate.make_interp_spline(KNOTS, VALUES, k=1),
    "BSpline of degree 5": interpolate.make_interp_spline(KNOTS, VALUES, k=5),
    "BSpline of vectors": interpolate.make_interp_spline(KNOTS, RNG.normal(size=(7, 2))),
}


def recorded(made, order):
    (found,) = symtape.record(lambda x: made(x, order), PLACES).evaluate(PLACES)
    return found


@pytest.mark.parametrize("name", MADE)
def test_what_is_recorded_is_what_scipy_computes(name):
    made = MADE[name]
    for order in range(3 if "BPoly" in name else 4):
        found, expected = recorded(made, order), made(PLACES, order)
        np.testing.assert_array_equal(found, expected, err_msg=f"order {order}")


def test_of_a_high_degree_bernsteins_powers_are_numpys():
    made = interpolate.BPoly(RNG.normal(size=(8, 6)), KNOTS)
    for order in range(8):
        found, expected = recorded(made, order), made(PLACES, order)
        scale = 1e-14 * np.max(np.abs(expected), initial=1.0)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=scale)
