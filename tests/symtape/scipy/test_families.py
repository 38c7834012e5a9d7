"""SciPy's signal, ndimage and interpolate, and numpy.polynomial, by their plain names."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
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
}
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
