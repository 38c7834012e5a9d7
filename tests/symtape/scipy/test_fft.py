"""scipy.fft's transforms, by SciPy's own names: values as SciPy's, derivatives by quotients."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import symtape
from symtape.scipy import fft
from tests.symtape.complex_calls import near, of_parts, parts, quotients, weighted
from tests.symtape.fourier_calls import CALLS, TRIGONOMETRIC

ALL = CALLS | TRIGONOMETRIC


@pytest.mark.parametrize("name", ALL)
def test_values_are_scipys(name):
    function, x = ALL[name]
    expected = function(scipy.fft)(x)
    near(function(fft)(x), expected, 1e-13)
    near(function(fft)(symtape.constant(x)).numpy(), expected, 1e-13)


@pytest.mark.parametrize("name", ALL)
def test_plain_names_are_recorded(name):
    function, x = ALL[name]
    f, t = weighted(function(scipy.fft)), parts(x)
    near(symtape.grad(lambda t: f(of_parts(t, x)))(t), quotients(lambda t: f(of_parts(t, x)), t))


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_derivatives(name):
    function, x = TRIGONOMETRIC[name]
    f, t = function(scipy.fft), parts(x)
    whole = lambda t: f(of_parts(t, x))  # noqa: E731
    matrix = quotients(whole, t)
    near(symtape.jacobian(whole)(t), matrix)
    direction = np.cos(np.arange(t.size))
    near(symtape.jvp(whole, (t,), (direction,))[1], matrix @ direction)
    square = lambda t: np.sum(np.abs(whole(t)) ** 4)  # noqa: E731
    near(symtape.hessian(square)(t), quotients(symtape.grad(square), t), 1e-6)


@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_single_precision(name):
    function, x = TRIGONOMETRIC[name]
    f = weighted(function(scipy.fft))
    single = x.astype(np.complex64 if np.iscomplexobj(x) else np.float32)
    found = symtape.grad(f)(single)
    assert found.dtype == single.dtype
    near(found, symtape.grad(f)(x), 1e-4)


def test_every_transform_is_recorded():
    transforms = {name for name in scipy.fft.__all__ if callable(getattr(scipy.fft, name))}
    others = {name for name in transforms if "freq" in name or "len" in name or "worker" in name}
    hankel = {"fht", "ifht", "fhtoffset"}
    backends = {name for name in transforms if "backend" in name}
    assert transforms - others - hankel - backends == set(fft.__all__)


REFUSED = {
    "type": (lambda x: fft.dct(x, type=5), ValueError, "type=5; expected 1, 2, 3 or 4"),
    "one point": (lambda x: fft.dct(x[:1], type=1), ValueError, "at least 2 points"),
    "norm": (lambda x: fft.dst(x, norm="both"), ValueError, "norm='both'; expected"),
    "plan": (lambda x: fft.fft(x, plan=1), NotImplementedError, "plan=1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    f, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        f(symtape.constant(np.ones(3)))
