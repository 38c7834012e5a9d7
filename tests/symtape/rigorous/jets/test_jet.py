"""The arithmetic of jets: exact coefficients, removable points, what is lost, germs."""

from __future__ import annotations

import functools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_series
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.process.precision import precision
from symtape.rigorous import jets
from symtape.rigorous.jets import functions
from symtape.rigorous.jets.jet import Germ, Jet, Lost, coefficients, ordering
from symtape.rigorous.scalar import to_ball


def expanded(function, x, order, *, germ=False, line=1.0, bits=200):
    graph = symtape.record(function, x)
    [found] = jets.taylor(graph, [x], [np.full(np.shape(x), line)], bits, order, germ=germ)
    return found


@pytest.mark.parametrize("order", range(11))
@pytest.mark.parametrize(
    ("function", "coefficient"),
    [
        (np.exp, lambda k: Fraction(1, math.factorial(k))),
        (np.sin, lambda k: Fraction((0, 1, 0, -1)[k % 4], math.factorial(k))),
        (lambda x: 1 / (1 - x), lambda k: Fraction(1)),
        (np.log1p, lambda k: Fraction(-((-1) ** k), k) if k else Fraction(0)),
    ],
)
def test_coefficients_at_zero_are_those_of_the_books(function, coefficient, order):
    found = expanded(function, 0.0, order)
    assert found.shape == (order + 1,)
    with precision(300):
        for k, ball in enumerate(found):
            assert ball.overlaps(to_ball(coefficient(k)))
            assert ball.rad() < 2.0**-150


RATIONALS = st.fractions(min_value=-8, max_value=8, max_denominator=8)
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(RATIONALS, min_size=6, max_size=6), st.sampled_from(OPERATORS))
def test_arithmetic_is_that_of_polynomials(numbers, operation):
    first, second = numbers[:3], [numbers[3] or Fraction(1), *numbers[4:]]
    with precision(200, terms=3):
        ours = operation(*(Jet(arb_series([to_ball(x) for x in s])) for s in (first, second)))
        for ball, exact in zip(
            coefficients(ours, 2), _series(operation, first, second), strict=True
        ):
            assert ball.overlaps(to_ball(exact))


def _series(operation, a, b):
    if operation in (operator.add, operator.sub):
        return [operation(x, y) for x, y in zip(a, b, strict=True)]
    if operation is operator.mul:
        return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(3)]
    quotient = []
    for k in range(3):
        rest = a[k] - sum(quotient[i] * b[k - i] for i in range(k))
        quotient.append(rest / b[0])
    return quotient


@pytest.mark.parametrize(
    "function", [np.abs, lambda x: np.maximum(x, 0), np.sign, np.sqrt, np.cbrt]
)
def test_kinks_are_lost_and_stay_lost(function):
    for whole in (function, lambda x: x**3 * function(x), lambda x: function(x) ** 2 + x):
        found = expanded(whole, 0.0, 2)
        assert not found[1].is_finite()
        assert not found[2].is_finite()


def test_zeros_do_not_hide_what_is_lost():
    with precision(100, terms=2):
        nothing = Jet(arb_series([0, 1])) * Jet(arb_series([0, 1]))
        assert [str(x) for x in coefficients(nothing, 1)] == ["0", "0"]
        for lost in (Lost(arb(0)), functions.absolute(Jet(arb_series([0, 1])))):
            for product in (nothing * lost, lost * nothing, lost + nothing, nothing - lost):
                assert type(product) is Lost
                assert not coefficients(product, 1)[1].is_finite()


GERMS = [
    (np.abs, 1.0, 1.0),
    (lambda x: np.maximum(x, 0), 1.0, 0.0),
    (lambda x: np.minimum(x, 2 * x), 1.0, -2.0),
    (lambda x: x * np.abs(x), 0.0, 0.0),
    (lambda x: np.sqrt(x * x), 1.0, 1.0),
    (lambda x: np.linalg.norm(np.stack([x, 2 * x])), math.sqrt(5), math.sqrt(5)),
    (lambda x: np.hypot(3 * x, 4 * x), 5.0, 5.0),
    (lambda x: np.where(x > 0, x, 3 * x), 1.0, -3.0),
    (lambda x: np.sort(np.stack([x, -x]))[0], -1.0, -1.0),
    (lambda x: np.max(np.stack([x, 2 * x, 0 * x])), 2.0, 0.0),
    (lambda x: np.clip(x, 0, 1), 1.0, 0.0),
    (lambda x: np.floor(x) + x, 1.0, -1.0),
    (lambda x: np.sin(x) / x, 0.0, 0.0),
    (lambda x: np.where(x == 0, 0, 3 * x), 3.0, -3.0),
]


@pytest.mark.parametrize(("function", "ahead", "behind"), GERMS)
def test_one_sided_derivatives(function, ahead, behind):
    with np.errstate(all="ignore"):
        for line, slope in ((1.0, ahead), (-1.0, behind)):
            found = expanded(function, 0.0, 1, germ=True, line=line)
            assert abs(float(found[1].mid()) - slope) < 1e-15
            assert found[1].rad() < 2.0**-100


def test_the_square_root_at_zero_has_no_slope_that_is_known():
    found = expanded(np.sqrt, 0.0, 1, germ=True)
    assert found[0].is_zero()
    assert not found[1].is_finite()


def test_signed_directions_of_a_norm():
    graph = symtape.record(lambda x: np.linalg.norm(x), np.zeros(3))
    for line in ([1.0, 0, 0], [-1.0, 0, 0], [3.0, 0, -4.0]):
        [found] = jets.taylor(graph, [np.zeros(3)], [line], 200, germ=True)
        assert abs(float(found[1].mid()) - math.hypot(*line)) < 1e-15


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=6), st.data())
def test_germs_sort_as_points_a_little_ahead_do(values, data):
    speeds = data.draw(st.lists(st.integers(-3, 3), min_size=len(values), max_size=len(values)))
    with precision(100, terms=2):
        row = [Germ(arb_series([a, b])) for a, b in zip(values, speeds, strict=True)]
        ours = [tuple(map(float, coefficients(x, 1))) for x in functions.sort(np.array(row))]
    assert ours == sorted(zip(map(float, values), map(float, speeds), strict=True))


POWERS = st.sampled_from([Fraction(k, n) for n in (1, 2, 3) for k in range(1, 7)])


@given(st.lists(POWERS, min_size=1, max_size=4))
def test_what_is_known_of_products_of_powers_is_true(exponents):
    with precision(100, 6):
        t = Germ(arb_series([0, 1]))
        product = functools.reduce(
            operator.mul,
            [functions.power(t, to_ball(e.numerator) / e.denominator) for e in exponents],
        )
        for k, ball in enumerate(coefficients(product, 5)):
            assert not ball.is_finite() or ball.contains(int(k == sum(exponents)))


@given(st.integers(1, 4), POWERS)
def test_a_whole_power_times_a_broken_one_is_known_up_to_the_whole_one(whole, broken):
    with precision(100, 6):
        t = Germ(arb_series([0, 1]))
        power = functions.power(t, to_ball(broken.numerator) / broken.denominator)
        found = coefficients(t**whole * power, 5)
        assert all(ball.is_zero() for ball in found[: whole + 1])


def test_ties_are_open_to_jets_and_decided_by_germs():
    with precision(100, terms=2):
        pair = [[kind(arb_series([1, k])) for k in (0, 1)] for kind in (Jet, Germ)]
        assert [ordering(*both) for both in pair] == [None, -1]
        assert functions.less(*pair[0]) is None
        assert functions.less(*pair[1]) is True
        assert functions.equal(pair[1][0], pair[1][0] + 0) is True


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.fractions(min_value=Fraction(1, 2), max_value=2, max_denominator=64),
    st.integers(-9, 9) | st.integers(2**20 - 2, 2**20 + 3) | st.integers(-(2**20) - 3, 2 - 2**20),
)
def test_powers_of_negative_bases_have_the_sign_of_their_exponent(size, n):
    with precision(300, terms=2):
        found = functions.power(Jet(arb_series([to_ball(-size), 1])), arb(n))
        value, slope = coefficients(found, 1) if isinstance(found, Jet) else (found, arb(0))
        sign = -1 if n % 2 else 1
        assert value.overlaps(sign * to_ball(size) ** n)
        assert slope.overlaps(-sign * n * to_ball(size) ** (n - 1))
