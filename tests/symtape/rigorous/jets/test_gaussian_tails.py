"""The normal law's functions far out, where exponentials leave every range."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb
from scipy import special

import symtape
from symtape.process.precision import precision
from symtape.rigorous.enclose import enclose
from symtape.rigorous.jets import taylor


@pytest.mark.parametrize("x", [8.5, 20.0, 25.0])
def test_erfcx_by_its_equation_is_the_product_of_its_factors(x):
    # Beside the function, which is expanded by its equation, the product itself.
    functions = [special.erfcx, lambda t: np.exp(t * t) * special.erfc(t)]
    one, other = (
        taylor(symtape.record(f, x), [x], [1.0], 2000, order=4)[0].ravel() for f in functions
    )
    with precision(2000):
        for a, b in zip(one, other, strict=True):
            assert a.overlaps(b)
            assert a.rel_accuracy_bits() > 200


@pytest.mark.parametrize("x", [-15.0, -17.0, -600.0, -1e8, -1e100])
def test_log_ndtr_is_known_as_far_as_floats_go(x):
    graph = symtape.record(special.log_ndtr, x)
    [value] = enclose(graph, [x], 3000)
    [found] = taylor(graph, [x], [1.0], 3000, order=1)
    with precision(3000):
        assert found[0].overlaps(value[()])
        # The Mills ratio lies between -x and -x - 1/x.
        assert found[1].is_finite()
        assert arb(-x) < found[1] < arb(-x) - 1 / arb(x)


@pytest.mark.parametrize("x", [-16.5, -20.0])
def test_log_ndtr_is_the_logarithm_of_ndtr(x):
    [scaled] = enclose(symtape.record(special.log_ndtr, x), [x], 400)
    [plain] = enclose(symtape.record(lambda t: np.log(special.ndtr(t)), x), [x], 400)
    with precision(400):
        assert scaled[()].overlaps(plain[()])
        assert scaled[()].rel_accuracy_bits() > 200
