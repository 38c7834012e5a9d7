"""Model balls of library functions are as narrow as the conditioning says, not as Arb's sums."""

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.rigorous.rounding import model

CALLS = {
    "k0": (special.k0, 22.5),
    "k1": (special.k1, 30.0),
    "kve": (lambda x: special.kve(0.5, x), 25.0),
    "y0": (special.y0, 22.5),
    "exp1": (special.exp1, 9.0),
    "dawsn": (special.dawsn, 80.0),
    "kolmogorov": (special.kolmogorov, 8.0),
    "sinc kernels": (symtape.grad(symtape.grad(lambda x: np.sinc(x))), 12.25),
}


@pytest.mark.parametrize(("function", "x"), CALLS.values(), ids=CALLS)
def test_a_ball_of_a_rounded_number_is_narrow(function, x):
    (ball,) = model(symtape.record(lambda x: function(x * 1.0), x), [x])
    width = float(ball[()].rad()) / abs(float(ball[()]))
    assert width < 2.0**-30
    assert ball[()].contains(float(function(x)))
