"""HIPS autograd: functions and derivatives are read through autograd's own rules, and judged."""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

import verify
from symtape.frontends.autograd import read
from symtape.graph.freeze import record

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    autograd = pytest.importorskip(
        "autograd", reason="needs autograd: pip install 'symtape[autograd]'"
    )
    anp = importlib.import_module("autograd.numpy")
    special = importlib.import_module("autograd.scipy.special")

from verify.adapters import adapt_function
from verify.adapters.autograd import derivatives

MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]])

FUNCTIONS = {
    "a sum": lambda x: anp.sum(anp.exp(x) * x),
    "dot": lambda x: anp.dot(x, x),
    "array": lambda x: anp.sum(anp.array([x[0], x[1] * x[0]]) ** 2),
    "where": lambda x: anp.sum(anp.where(x > 1, x, x * x)),
    "norm": lambda x: anp.linalg.norm(x),
    "concatenate": lambda x: anp.sum(anp.concatenate([x, x]) ** 2),
    "stack": lambda x: anp.sum(anp.stack([x, x]) ** 2),
    "einsum": lambda x: anp.einsum("i,i", x, x),
    "indices": lambda x: x[0] * x[1] ** 2,
    "slices": lambda x: anp.sum(x[1:] * x[:-1]),
    "an index of integers": lambda x: anp.sum(x[np.array([0, 1, 1])] ** 2),
    "max": lambda x: anp.max(x),
    "mean along an axis": lambda x: anp.sum(anp.mean(anp.outer(x, x), axis=1) ** 2),
    "std": lambda x: anp.std(x),
    "prod": lambda x: anp.prod(x),
    "matmul": lambda x: x @ MATRIX @ x,
    "reshape": lambda x: anp.sum(anp.reshape(x, (1, 2)).T ** 2),
    "solve": lambda x: anp.sum(anp.linalg.solve(MATRIX, x)),
    "inv": lambda x: anp.sum(anp.linalg.inv(anp.outer(x, x) + np.eye(2))),
    "slogdet": lambda x: anp.linalg.slogdet(anp.outer(x, x) + np.eye(2))[1],
    "cumsum": lambda x: anp.sum(anp.cumsum(x) ** 2),
    "sort": lambda x: anp.sum(anp.sort(x) * np.array([1.0, 2.0])),
    "diag": lambda x: anp.sum(anp.diag(anp.diag(x)) ** 2),
    "clip": lambda x: anp.sum(anp.clip(x, 0.0, 1.0)),
    "logsumexp": lambda x: special.logsumexp(x),
    "gammaln": lambda x: anp.sum(special.gammaln(x)),
    "a branch": lambda x: x[0] ** 2 if x[0] > 0 else x[1],
    "a method": lambda x: (x * x).sum(),
}

TAKEN = {
    "value": lambda f: f,
    "grad": autograd.grad,
    "jacobian": autograd.jacobian,
    "hessian": autograd.hessian,
}


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_read_is_what_autograd_computes(name, taken):
    function = TAKEN[taken](FUNCTIONS[name])
    start, other = np.array([0.5, 2.0]), np.array([0.75, 3.0])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Output seems independent")
        graph = record(lambda x: read(function, x), start)
        assert not graph.escapes
        for x in (start, other):
            np.testing.assert_allclose(graph.evaluate(x)[0], function(x), rtol=1e-12, atol=1e-14)


def test_autograd_itself_is_left_as_it_was():
    before = anp.reshape.__closure__, autograd.numpy.numpy_vjps.unpermuter
    read(autograd.grad(FUNCTIONS["sort"]), __import__("symtape").constant([1.0, 2.0]))
    assert (anp.reshape.__closure__, autograd.numpy.numpy_vjps.unpermuter) == before
    with pytest.raises(ZeroDivisionError):
        read(lambda x: 1 / 0, __import__("symtape").constant(1.0))
    assert anp.reshape(np.zeros(2), (1, 2)).shape == (1, 2)


def test_lines_are_the_users_and_those_of_autograds_rules():
    def squared(x):
        return anp.sum(x**2)

    (node,) = [n for n in record(lambda x: read(squared, x), np.ones(2)).nodes if n.name == "sum"]
    assert "test_autograd.py" in node.origin.file
    graph = record(lambda x: read(autograd.grad(squared), x), np.ones(2))
    assert any("numpy_vjps.py" in str(n.origin) for n in graph.nodes)


COUNTS = {"gradient": 1, "jacobian": 1, "hessian": 1, "vjp": 2, "jvp": 2, "hvp": 2}


@pytest.mark.parametrize("quantity", COUNTS)
def test_the_modes_agree(quantity):
    def function(x):
        return anp.tanh(x) * x[0] if quantity in ("jacobian", "vjp", "jvp") else anp.sum(x**3)

    xs = [np.array([0.5, 2.0]), np.array([1.0, -3.0])][: COUNTS[quantity]]
    found = [mode(*xs) for mode in derivatives(adapt_function(function), quantity).values()]
    assert found
    for one in found:
        np.testing.assert_allclose(one, found[0], rtol=1e-12)


def test_the_modes_take_several_arguments():
    def function(x, y):
        return anp.sum(x**2 * y)

    x, y = np.array([0.5, 2.0]), 3.0
    for mode in derivatives(function, "gradient").values():
        by_x, by_y = mode(x, y)
        np.testing.assert_allclose(by_x, 2 * x * y)
        np.testing.assert_allclose(by_y, np.sum(x**2))
    for mode in derivatives(function, "hessian").values():
        (_, mixed), (_, last) = mode(x, y)
        np.testing.assert_allclose(np.ravel(mixed), 2 * x)
        assert last == 0
    for mode in derivatives(function, "hvp").values():
        by_x, by_y = mode(x, y, x, 1.0)
        np.testing.assert_allclose(by_x, 2 * y * x + 2 * x)
        np.testing.assert_allclose(by_y, np.sum(2 * x * x))


@pytest.mark.parametrize("name", ["arctan2", "multiply", "logaddexp", "power"])
def test_functions_of_two_numbers_are_read(name):
    """By either number alone, though NumPy would ask the other, a tensor, first."""
    function, point = getattr(anp, name), (0.5, 2.0)
    claimed = adapt_function(lambda x, y: autograd.grad(function, 1)(x, y))
    graph = record(claimed, *point)
    np.testing.assert_allclose(graph.evaluate(*point)[0], claimed(*point), rtol=1e-12)


def ruled(rule):
    """The cube of a number, with a derivative of the user's."""
    cube = autograd.extend.primitive(lambda x: x**3)
    autograd.extend.defvjp(cube, lambda ans, x: lambda g: rule(g, x))
    return lambda x: anp.sum(cube(anp.sin(x)))


def test_a_rule_of_the_users_is_judged():
    right = ruled(lambda g, x: 3 * g * x**2)
    at = [[0.5, 2.0]]
    result = verify.assert_gradient(right, autograd.grad(right), at=at)
    assert "certified" in str(result.evidence)
    wrong = ruled(lambda g, x: g * x**2)
    with pytest.raises(verify.DerivativeError, match="3 times too small"):
        verify.assert_gradient(wrong, autograd.grad(wrong), at=at)


def test_autograd_claims_what_it_is_asked_for_without_a_claim():
    result = verify.gradient(lambda x: anp.sum(anp.exp(x)), at=[[0.5, 2.0]])
    assert result.verdict.value == "CORRECT"
    assert "autograd" in result.claimant


def test_a_derivative_of_a_constant_does_not_warn():
    constant = lambda x: anp.sum(np.ones(2))  # noqa: E731
    assert np.all(adapt_function(autograd.grad(constant))(np.ones(2)) == 0)
