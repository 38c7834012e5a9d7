"""Exact values, against SymPy and mpmath, which share nothing with jets."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy

from verify.auditing.libraries.closed_forms import closed_form, derivative_of
from verify.auditing.libraries.exact import truths
from verify.auditing.libraries.formats import FORMATS
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.points import draw_points

EACH = [
    (name, wrt)
    for name, row in FUNCTIONS.items()
    for order in (1, 2)
    for wrt in row.derivatives(order)
]
QUICK = [pair for pair in EACH if pair[0] not in ("k0", "k0e", "y0", "y1", "ndtri", "erfcinv")]


@pytest.mark.parametrize(("name", "wrt"), QUICK, ids=str)
def test_two_ways_agree(name, wrt):
    row = FUNCTIONS[name]
    points = [np.array([0.4375 + max(row.over[0], 0) // 1])]
    if row.is_binary:
        points.append(np.array([0.8125]))
    found = truths(row, points, wrt).derivative
    at = tuple(float(x[0]) for x in points)
    derivative = sympy.lambdify(row.arguments, derivative_of(row, wrt, at), "mpmath")
    with mpmath.workdps(60):
        second = float(mpmath.re(derivative(*map(mpmath.mpf, at))))
    assert float(found.value[0]) == pytest.approx(second, rel=1e-15, abs=1e-300)
    assert closed_form(row, wrt)


def test_tails_are_exact_where_floats_are_not():
    x = np.array([300.0, -745.0, 1e300])
    found = truths(FUNCTIONS["tanh"], [x], (0,)).derivative
    for at in range(2):
        with mpmath.workdps(800):
            exact = 1 / mpmath.cosh(mpmath.mpf(x[at])) ** 2
            mine = mpmath.ldexp(mpmath.mpf(float(found.high[at])), int(found.exponent[at]))
            assert abs(mine / exact - 1) < 1e-15
    assert found.value[2] == 0


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
@pytest.mark.parametrize("name", ["tanh", "arctanh", "power"])
def test_points_are_floats_of_the_format_and_the_same_each_time(name, form):
    row = FUNCTIONS[name]
    points = draw_points(row, form, 300, 7)
    for x, over in zip(points, (row.over, row.second), strict=False):
        assert np.array_equal(form.round_numbers(x).astype(float), x)
        assert np.all((x > over[0]) & (x < over[1]))
    again = draw_points(row, form, 300, 7)
    assert all(map(np.array_equal, points, again))
    assert len(np.unique(points, axis=1).T) == len(points[0])
