"""Functions of scipy.special that are made of others: their values, and slopes against balls."""

import numpy as np
import pytest
from scipy import special

import symtape
import verify
from symtape.rigorous import jets

CALLS = {
    "chdtr": (lambda x: special.chdtr(3.0, x), 2.5),
    "chdtrc": (lambda x: special.chdtrc(3.0, x), 2.5),
    "gdtr": (lambda x: special.gdtr(1.5, 2.0, x), 2.5),
    "gdtr by rate": (lambda a: special.gdtr(a, 2.0, 2.5), 1.5),
    "gdtrc": (lambda x: special.gdtrc(1.5, 2.0, x), 2.5),
    "pdtr": (lambda m: special.pdtr(2, m), 2.5),
    "pdtrc": (lambda m: special.pdtrc(2, m), 2.5),
    "nbdtr": (lambda p: special.nbdtr(2, 3, p), 0.25),
    "bdtr": (lambda p: special.bdtr(2.0, 5, p), 0.25),
    "bdtrc": (lambda p: special.bdtrc(2.0, 5, p), 0.25),
    "fdtr": (lambda x: special.fdtr(3.0, 5.0, x), 1.25),
    "fdtrc": (lambda x: special.fdtrc(3.0, 5.0, x), 1.25),
    "sindg": (special.sindg, 40.0),
    "cosdg": (special.cosdg, 40.0),
    "tandg": (special.tandg, 40.0),
    "cotdg": (special.cotdg, 40.0),
    "radian": (lambda m: special.radian(30.0, m, 12.0), 15.0),
    "cosm1": (special.cosm1, 1e-5),
    "powm1": (lambda x: special.powm1(x, 1.5), 1.25),
    "powm1 by exponent": (lambda y: special.powm1(1.25, y), 1e-9),
    "pseudo_huber": (lambda r: special.pseudo_huber(1.5, r), -0.75),
    "pseudo_huber by delta": (lambda d: special.pseudo_huber(d, 0.75), 1.5),
    "huber near": (lambda r: special.huber(1.5, r), -0.75),
    "huber far": (lambda r: special.huber(1.5, r), 2.75),
    "huber by delta": (lambda d: special.huber(d, 2.75), 1.5),
    "agm": (lambda a: special.agm(a, 3.0), 1.25),
    "agm of equals": (lambda a: special.agm(a, 3.0), 3.0),
}


@pytest.mark.parametrize(("function", "at"), CALLS.values(), ids=CALLS)
def test_values_and_two_derivatives(function, at):
    x = symtape.constant(at)
    assert function(x).numpy() == pytest.approx(function(at), rel=2e-14)
    series = jets.taylor(symtape.record(function, at), [at], [1.0], 200, order=2)[0]
    slope, bend = float(series[1]), 2 * float(series[2])
    assert symtape.grad(function)(at) == pytest.approx(slope, rel=1e-13)
    assert float(symtape.hessian(function)(at)) == pytest.approx(bend, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize(("function", "at"), CALLS.values(), ids=CALLS)
def test_verdict(function, at):
    assert verify.gradient(function, at=[at]).verdict.value == "CORRECT"


def test_the_square_of_huber_goes_over_into_the_line():
    assert symtape.grad(lambda r: special.huber(1.5, r))(1.5) == 1.5


def test_single_precision_stays():
    x = symtape.constant(np.float32(0.75))
    for function in (special.cosm1, special.sindg, lambda x: special.chdtr(np.float32(3), x)):
        assert function(x).numpy().dtype == np.float32
