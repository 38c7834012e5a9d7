"""Extended floats at many points: what they say lies within their own bounds of what balls say."""

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import symtape
from symtape.process.precision import precision
from symtape.symbolic.derivative import gradient
from symtape.symbolic.extended import AVAILABLE, PI, ManyPoints, constant
from symtape.symbolic.precise import Plan
from symtape.symbolic.walk import shadow

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="long doubles are doubles here")

FUNCTIONS = {
    "polynomial": lambda x, y: 3 * x**3 - 0.1 * x * y + y**7 / 3 - 2 * x,
    "quotient": lambda x, y: (x - y) / (1 + x * x + y * y),
    "powers": lambda x, y: (1 + x * x) ** 2.5 + (2 + y * y) ** -0.5 + (3 + x * x) ** -3,
    "exponentials": lambda x, y: np.exp(-x) * np.expm1(y) + np.exp2(x / 9),
    "logarithms": lambda x, y: np.log(1 + x * x) + np.log1p(y * y) + np.log10(40 + x),
    "circular": lambda x, y: np.sin(x) * np.cos(y) + np.tan(x / 40),
    "arcs": lambda x, y: np.arcsin(x / 40) + np.arccos(y / 40) + np.arctan2(x, 2 + y * y),
    "hyperbolic": lambda x, y: np.sinh(x) * np.tanh(y) + np.cosh(x / 3),
    "inverse hyperbolic": lambda x, y: np.arcsinh(x) + np.arccosh(2 + y * y) + np.arctanh(x / 40),
    "cancelling": lambda x, y: (1 - np.cos(x)) / (x * x + 1e-9) + 1 - np.tanh(y) ** 2,
}
NUMBERS = st.floats(-30, 30)


def as_ball(value):
    """A long double as it is, which a double need not be able to say."""
    mantissa, exponent = np.frexp(value)
    high = float(mantissa)
    low = float(mantissa - np.longdouble(high))
    return (arb(high) + arb(low)) * arb(2) ** int(exponent)


def asked(function, points):
    """Values and bounds of the gradient by extended floats, and the balls of it."""
    made = shadow(symtape.record(function, *points[0]), points[0])
    parts = gradient(made)
    plan = Plan(made.program, parts)
    many = ManyPoints(made.program, plan.order)
    assert many.readable
    values, errors = many.run(np.array(points), [int(part) for part in parts])
    return values, errors, [plan.enclose(point, 300) for point in points]


@pytest.mark.parametrize("name", FUNCTIONS)
@given(points=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=4))
def test_the_exact_value_is_within_the_bound(name, points):
    values, errors, balls = asked(FUNCTIONS[name], points)
    with precision(300):
        for row, bounds, exact in zip(values, errors, balls, strict=True):
            for value, bound, ball in zip(row, bounds, exact, strict=True):
                if np.isfinite(bound):
                    assert not abs(as_ball(value) - ball[()]) > as_ball(bound)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"cancelling"}))
def test_the_bound_is_a_few_units_at_ordinary_points(name):
    _, errors, balls = asked(FUNCTIONS[name], [(0.5, 0.25), (1.5, -0.75)])
    for bounds, exact in zip(errors, balls, strict=True):
        for bound, ball in zip(bounds, exact, strict=True):
            assert bound <= 2.0**-55 * max(abs(float(ball[()])), 2.0**-10)


def test_what_cancels_is_known_to_be_lost():
    values, errors, _ = asked(FUNCTIONS["cancelling"], [(0.5, 29.0)])
    assert errors[0, 1] > abs(values[0, 1])


def test_a_function_without_a_reading_is_not_readable():
    from scipy.special import erf

    made = shadow(symtape.record(lambda x: erf(x) * np.i0(x), 0.5), [0.5])
    assert not ManyPoints(made.program, Plan(made.program, gradient(made)).order).readable


def test_constants():
    assert constant(-5, 8).error == 0
    assert constant(1, 3).error > 0
    with precision(200):
        assert abs(arb.pi() - arb(float(PI.value))) < 1e-15
    assert not np.isfinite(constant(10**6000).error)
