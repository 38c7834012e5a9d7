"""SciPy's signal, ndimage and interpolate, and numpy.polynomial, by their plain names."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate, signal

import symtape
import verify
from symtape.scipy import signal as ours_signal
from tests.symtape.scipy import interpolate_calls, ndimage_calls, polynomial_calls, signal_calls
from verify.model.verdict import Rung, Verdict

FAMILIES = {
    "signal": signal_calls,
    "ndimage": ndimage_calls,
    "interpolate": interpolate_calls,
    "polynomial": polynomial_calls,
}
CALLS = {
    f"{family} {name}": call
    for family, module in FAMILIES.items()
    for name, call in module.CALLS.items()
} | interpolate_calls.RADIAL
UNDECIDED = {
    f"{family} {name}": why
    for family, module in FAMILIES.items()
    for name, why in module.UNDECIDED.items()
}


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def of_all(name):
    """A call as a function of all of its arguments in one vector, and where it is asked."""
    function, *arguments = CALLS[name]
    shapes = [np.shape(x) for x in arguments]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    weights = np.random.default_rng(0).normal(size=np.shape(function(*arguments)))

    def total(z):
        parts = np.split(z, ends[:-1]) if len(ends) > 1 else [z]
        given = [np.reshape(part, shape) for part, shape in zip(parts, shapes, strict=True)]
        return np.sum(np.asarray(function(*given)) * weights)

    return total, np.concatenate([np.ravel(x) for x in arguments]).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_derivatives_are_those_of_quotients(name):
    f, at = of_all(name)
    v, step = np.random.default_rng(1).normal(size=at.shape), 1e-5
    ahead, behind = at + step * v, at - step * v
    value, slope = symtape.value_and_grad(f)(at)
    np.testing.assert_allclose(value, f(at), rtol=1e-12, atol=1e-12)
    near = (f(ahead) - f(behind)) / (2 * step)
    np.testing.assert_allclose(slope @ v, near, rtol=1e-5, atol=1e-6)
    assert symtape.jvp(f, (at,), (v,))[1] == pytest.approx(slope @ v, rel=1e-9, abs=1e-9)
    second = (symtape.grad(f)(ahead) - symtape.grad(f)(behind)) / (2 * step)
    np.testing.assert_allclose(symtape.hessian(f)(at) @ v, second, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_the_gradient_is_certified(name):
    f, at = of_all(name)
    found = verify.gradient(f, at=[at])
    if name in UNDECIDED:
        assert found.verdict is not Verdict.WRONG
        assert UNDECIDED[name] in str(found)
        return
    assert found.verdict is Verdict.CORRECT, found
    assert found.evidence.rung is not Rung.SAMPLED


def test_what_is_left_of_a_fit_is_roundings_and_is_recorded():
    data = interpolate.CubicSpline(np.arange(5.0), np.sin(np.arange(5.0)))(np.linspace(0, 4, 30))

    def misfit(y):
        return np.sum(
            (interpolate.CubicSpline(np.arange(5.0), y)(np.linspace(0, 4, 30)) - data) ** 2
        )

    y = np.sin(np.arange(5.0)) * (1 + 1e-15)
    assert np.max(np.abs(symtape.grad(misfit)(y))) < 1e-13


@pytest.mark.parametrize("name", ["signal lfilter", "signal convolve2d", "signal upfirdn"])
def test_single_precision_stays(name):
    function, *arguments = CALLS[name]
    given = [np.asarray(x, np.float32) for x in arguments]
    of_last = lambda x: np.sum(np.asarray(function(*given[:-1], x)) ** 2)  # noqa: E731
    value, slope = symtape.value_and_grad(of_last)(given[-1])
    assert value.dtype == slope.dtype == np.float32
    exact = symtape.grad(lambda x: np.sum(np.asarray(function(*arguments[:-1], x)) ** 2))
    np.testing.assert_allclose(slope, exact(np.asarray(arguments[-1], float)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bad", ["mode", "boundary", "zi", "sos", "splrep", "upfirdn", "periodic"])
def test_what_is_not_supported_is_said(bad):
    x, y = np.arange(5.0), np.sin(np.arange(5.0))
    calls = {
        "mode": lambda z: ours_signal.convolve(z, y, mode="some"),
        "boundary": lambda z: ours_signal.convolve2d(z[None], y[None], boundary="some"),
        "zi": lambda z: ours_signal.lfilter([1.0, 0.5], [1.0], z, zi=np.zeros(3)),
        "sos": lambda z: ours_signal.sosfilt(np.ones((1, 5)), z),
        "splrep": lambda z: interpolate.splev(1.5, interpolate.splrep(x, z, s=0.5)),
        "upfirdn": lambda z: signal.upfirdn([1.0], z, mode="smooth"),
        "periodic": lambda z: interpolate.make_interp_spline(x, z, bc_type="periodic")(1.5),
    }
    with pytest.raises((ValueError, symtape.errors.SymtapeError), match=bad):
        symtape.grad(lambda z: np.sum(calls[bad](z)))(np.sin(np.pi * x / 2) * 0 + 0.3)
