"""What derivatives of JAX that are reported as wrong are like, found from the region alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import special

from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.verdict import Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax")

FAULTY = {
    "sigmoid": (jax.nn.sigmoid, special.expit, [-60, 60], "jax-ml/jax#40385"),
    "expm1": (jax.numpy.expm1, np.expm1, [-60, 60], "jax-ml/jax#39794"),
    "tanh": (jax.numpy.tanh, np.tanh, [-60, 60], "jax-ml/jax#40388"),
    "i0": (jax.numpy.i0, special.i0, [-30, 30], "jax-ml/jax#39797"),
    "elu": (jax.nn.elu, lambda x: np.expm1(x), [-60, -1], "jax-ml/jax#39796"),
    "sinc": (jax.numpy.sinc, np.sinc, [1e-9, 4], "jax-ml/jax#34139"),
}
FAULTY_TWICE = {"tanh": (jax.numpy.tanh, np.tanh, [-1, 1], "jax-ml/jax#39801")}
GOOD = {
    "sin": (jax.numpy.sin, np.sin, [-60, 60]),
    "arcsinh": (jax.numpy.arcsinh, np.arcsinh, [-60, 60]),
}


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """Double precision, and no memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def searched(quantity, function, derivative, over):
    compiled = jax.jit(derivative)

    def claimed_by_jax(x):
        return np.asarray(compiled(float(x)))

    case = Case(
        id="jax",
        title="jax",
        function=function,
        at=(),
        quantity=quantity,
        claimed=claimed_by_jax,
        over=region_of(function, over),
    )
    return verify_case(case, effort=0.2)


@pytest.mark.parametrize("name", FAULTY)
def test_a_slope_that_is_reported_as_wrong_is_found(name):
    operation, function, over, source = FAULTY[name]
    result = searched("gradient", function, jax.grad(operation), over)
    assert result.verdict.fails, f"{source}: {result}"


@pytest.mark.parametrize("name", FAULTY_TWICE)
def test_a_second_derivative_that_is_reported_as_wrong_is_found(name):
    operation, function, over, source = FAULTY_TWICE[name]
    result = searched("hessian", function, jax.grad(jax.grad(operation)), over)
    assert result.verdict.fails, f"{source}: {result}"


@pytest.mark.parametrize("name", GOOD)
def test_a_good_slope_is_not_accused(name):
    operation, function, over = GOOD[name]
    result = searched("gradient", function, jax.grad(operation), over)
    assert result.verdict is Verdict.CORRECT, str(result)
