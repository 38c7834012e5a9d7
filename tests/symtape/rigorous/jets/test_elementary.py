"""Values of jets are no wider than those of balls, in particular where series cancel."""

from __future__ import annotations

import pytest
from flint import arb, arb_series
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.process.precision import precision
from symtape.rigorous import ball
from symtape.rigorous.jets import elementary
from symtape.rigorous.jets.jet import Jet, coefficients

INSIDE = {
    "expm1": (-40.0, 40.0),
    "log1p": (-0.99, 1e6),
    "sinh": (-40.0, 40.0),
    "arcsinh": (-1e6, 1e6),
    "arccosh": (1.001, 1e6),
    "arctanh": (-0.999, 0.999),
    "tanh": (-40.0, 40.0),
}


@pytest.mark.parametrize("name", INSIDE)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_the_value_of_a_jet_is_as_narrow_as_the_ball(name, data):
    low, high = INSIDE[name]
    numbers = st.floats(low, high) | st.floats(-1e-30, 1e-30).filter(lambda x: low <= x <= high)
    x = data.draw(numbers)
    with precision(100, terms=3):
        plain = getattr(ball, name)(arb(x))
        value = coefficients(getattr(elementary, name)(Jet(arb_series([arb(x), 1]))), 2)[0]
        assert value.overlaps(plain)
        assert value.rad() <= 2 * plain.rad() + abs(plain) * arb(2) ** -95
