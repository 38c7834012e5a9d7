"""Discrete Fourier transforms: values as NumPy's, derivatives by both parts of the argument."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from tests.symtape.complex_calls import near, of_parts, parts, quotients, weighted
from tests.symtape.fourier_calls import CALLS


@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives(name):
    function, x = CALLS[name]
    f, t = function(np.fft), parts(x)
    whole = lambda t: f(of_parts(t, x))  # noqa: E731
    direction = np.cos(np.arange(t.size))
    found, tangent = symtape.jvp(whole, (t,), (direction,))
    near(found, whole(t), 1e-13)
    near(tangent, quotients(lambda h: whole(t + h[0] * direction), np.zeros(1))[..., 0])
    near(symtape.jacobian(whole)(t), quotients(whole, t))
    number = weighted(f)
    near(
        symtape.grad(lambda t: number(of_parts(t, x)))(t),
        quotients(lambda t: number(of_parts(t, x)), t),
    )
    near(
        symtape.hessian(lambda t: number(of_parts(t, x)))(t),
        quotients(symtape.grad(lambda t: number(of_parts(t, x))), t),
        1e-7,
    )


@pytest.mark.parametrize("name", CALLS)
def test_values_have_the_bits_of_numpy(name):
    function, x = CALLS[name]
    f = function(np.fft)
    for given in (x, x.astype(np.complex64 if np.iscomplexobj(x) else np.float32)):
        found, wanted = f(symtape.constant(given)).numpy(), f(given)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", CALLS)
def test_single_precision(name):
    function, x = CALLS[name]
    f = weighted(function(np.fft))
    single = x.astype(np.complex64 if np.iscomplexobj(x) else np.float32)
    found = symtape.grad(f)(single)
    assert found.dtype == single.dtype
    near(found, symtape.grad(f)(x), 1e-4)


REFUSED = {
    "complex numbers": (lambda x: np.fft.rfft(x * 1j), TypeError, "rfft transforms real numbers"),
    "no points": (lambda x: np.fft.fft(x, n=0), ValueError, "n=0; expected the number of points"),
    "norm": (lambda x: np.fft.fft(x, norm="both"), ValueError, "norm='both'; expected 'backward'"),
    "axis": (lambda x: np.fft.fft(x, axis=2), ValueError, "axis 2 is out of bounds"),
    "lengths": (lambda x: np.fft.fftn(x, s=(2, 3), axes=(0,)), ValueError, "equally many axes"),
    "no axes": (lambda x: np.fft.rfftn(x, axes=()), ValueError, "at least one axis"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    f, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        symtape.grad(lambda x: np.sum(np.abs(f(x))))(np.ones(3))


def test_parseval():
    x = np.array([0.5, -1.25, 2.0, 0.75])
    near(symtape.grad(lambda x: np.sum(np.abs(np.fft.fft(x, norm="ortho")) ** 2))(x), 2 * x)
