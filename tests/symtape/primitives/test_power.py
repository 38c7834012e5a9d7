"""Powers at the places where the textbook rule is 0 times infinity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symtape


def derivatives(function, x, count=3):
    """The first `count` derivatives of a scalar function by nested tapes."""
    x = symtape.Variable(x)

    def descend(depth):
        if not depth:
            return function(x)
        with symtape.GradientTape() as tape:
            y = descend(depth - 1)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return [descend(order + 1).numpy() for order in range(count)]


def falling(n, x, order):
    coefficient = math.prod(n - k for k in range(order))
    return coefficient * x ** (n - order) if coefficient else 0.0


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("x", [0.0, -1.5, 2.0])
@pytest.mark.parametrize("kind", [int, float, np.float64, lambda n: np.array(float(n))])
def test_whole_exponents_are_exact_to_third_order_even_at_zero(n, x, kind):
    found = derivatives(lambda t: t ** kind(n), x)
    assert found == [falling(n, x, order) for order in (1, 2, 3)]


@pytest.mark.parametrize("n", range(4))
def test_whole_exponents_in_an_array_are_exact_at_zero(n):
    found = derivatives(lambda t: np.sum(t ** np.array([float(n), 2.0])), 0.0)
    assert found == [falling(n, 0.0, order) + falling(2, 0.0, order) for order in (1, 2, 3)]


@given(exponent=st.floats(-3, 3).filter(lambda b: abs(b) > 1e-9), base=st.floats(0.125, 8))
def test_exponent_less_one_is_not_rounded_in_the_recorded_rule(exponent, base):
    """The derivative program is judged in exact arithmetic, so its constants must be exact."""

    def slope(x):
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = x**exponent
        return tape.gradient(y, x)

    graph = symtape.record(slope, base)
    constants = [float(n.constant) for n in graph.nodes if n.constant is not None]
    exact = {exponent, 1.0, 2.0, 0.0}
    assert all(c in exact or (c + 1 == exponent and (c + 1) - 1 == c) for c in constants)
    found = graph.evaluate(base)[0]
    assert found == pytest.approx(exponent * base ** (exponent - 1), rel=1e-14)


@pytest.mark.parametrize("exponent", [0.5, 0.1])
def test_infinite_slope_of_a_root_at_zero_is_infinite_not_nan(exponent):
    with np.errstate(divide="ignore"):
        (found,) = derivatives(lambda x: x**exponent, 0.0, 1)
    assert found == np.inf


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.5])
def test_by_the_exponent_at_base_zero_is_zero(exponent):
    assert derivatives(lambda y: 0.0**y, exponent, 2) == [0, 0]


def test_by_the_exponent_is_the_logarithm_times_the_power():
    found = derivatives(lambda y: 2.0**y, 3.0)
    assert found == pytest.approx([8 * math.log(2) ** k for k in (1, 2, 3)], rel=1e-15)


def test_mixed_derivative_where_the_exponent_is_zero():
    x, y = symtape.Variable(2.0), symtape.Variable(0.0)
    with symtape.GradientTape() as outer:
        with symtape.GradientTape() as inner:
            z = x**y
        slope = inner.gradient(z, x)
    assert outer.gradient(slope, y).numpy() == 0.5


@pytest.mark.parametrize("exponent", [2, 2.0, 0.1, np.array([2.0, 0.1])])
def test_float32_base_with_any_constant_exponent(exponent):
    x = symtape.Variable(np.float32([1.5, 2.0]))
    with symtape.GradientTape(persistent=True) as tape:
        y = x**exponent
        z = exponent**x
    wide = isinstance(exponent, np.ndarray)
    assert y.dtype == z.dtype == (np.float64 if wide else np.float32)
    assert tape.gradient(y, x).dtype == tape.gradient(z, x).dtype == np.float32
