"""An array argument has as many numbers as its function is written for, whatever it answers for."""

import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.auditing import Pair
from verify.auditing.answers import read_answer
from verify.auditing.packages.walking import find_pairs
from verify.auditing.packages.widths import narrow_to_width
from verify.auditing.packages.work import PairWork

SOURCE = """
import numpy as np

def dune(p):
    return p[0] ** 3 + np.sin(p[1])

def dune_grad(p):
    return {factor} * np.array([3 * p[0] ** 2, *([np.cos(p[1])] * (len(p) - 1))])

def ridge(p, grad=False):
    value = np.exp(p[0]) * p[1]
    slope = {factor} * value * np.ones_like(p)
    slope[1] = {factor} * np.exp(p[0])
    return (value, slope) if grad else value

def rows(X, with_gradient=False):
    value = np.sin(X[:, 0]) * X[:, 1] ** 2
    if not with_gradient:
        return value
    slope = np.zeros_like(X)
    slope[:, 0] = np.cos(X[:, 0]) * X[:, 1] ** 2
    slope[:, 1] = 2 * np.sin(X[:, 0]) * X[:, 1]
    return {"value": value, "gradient": {factor} * slope + 0.1 * (np.arange(X.shape[1]) > 1)}

def wells(X):
    return X[:, 0] ** 2 * np.exp(X[:, 1])

def wells_grad(X):
    slope = {factor} * np.exp(X[:, 1])[:, None] * X[:, :1] ** 2 * np.ones_like(X)
    slope[:, 0] = {factor} * 2 * X[:, 0] * np.exp(X[:, 1])
    return slope

def basin(X, jac=False):
    value = X[:, 0] * X[:, 1] + 50 * np.exp(-np.sum(X**2, axis=1))
    slope = np.zeros_like(X)
    bell = 100 * np.exp(-np.sum(X**2, axis=1))
    slope[:, 0] = X[:, 1] - X[:, 0] * bell
    slope[:, 1] = {factor} * (X[:, 0] - X[:, 1] * bell)
    return [value, slope] if jac else value

def columns(x, derivative=False):
    '''A value for each column, or its derivative.'''
    if not derivative:
        return x[0] ** 3 * x[1]
    return {factor} * np.stack([3 * x[0] ** 2 * x[1], *([x[0] ** 3] * (len(x) - 1))])

def listed(p: list, order=0):
    '''A value, or its derivative.'''
    if not order:
        return p[0] ** 3 * p[1]
    return [{factor} * 3 * p[0] ** 2 * p[1], *([{factor} * p[0] ** 3] * (len(p) - 1))]
"""
CLAIMS = {
    "dune_grad": "behaviour",
    "wells_grad": "behaviour",
    "ridge[grad]": "derivative-flags",
    "rows[with_gradient]": "derivative-flags",
    "basin[jac]": "derivative-flags",
    "columns[derivative]": "derivative-flags",
    "listed[order=1]": "order-argument",
}


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """The verdict of each pair of the module above, and the shapes it is judged at."""

    def judge(factor):
        name = f"widths_{abs(hash((factor, str(tmp_path)))) % 10**8}"
        source = textwrap.dedent(SOURCE).replace("{factor}", factor)
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        found = find_pairs(name, jobs=0)
        answers = {
            pair.id.partition(":")[2]: read_answer(PairWork(pair, effort=0.05).run(60.0))
            for pair in (*found.pairs, _declared(name))
            if not pair.id.endswith("=2]")
        }
        sys.modules.pop(name, None)
        told = {pair.id.partition(":")[2]: pair.convention for pair in found.pairs}
        assert told == {**CLAIMS, "listed[order=2]": "order-argument"}
        return {claim: getattr(it, "verdict", it) for claim, it in answers.items()}

    return judge


def _declared(name):
    return Pair(f"{name}:declared", "manifest", name, "dune", f"{name}:dune_grad")


@pytest.mark.long
def test_no_convention_gives_a_function_more_numbers_than_it_takes(judged):
    assert {claim: it.value for claim, it in judged("1").items() if it.value != "CORRECT"} == {}


@pytest.mark.long
def test_a_wrong_derivative_of_such_a_function_is_still_wrong(judged):
    assert {
        claim: it for claim, it in judged("1.5").items() if getattr(it, "value", it) != "WRONG"
    } == {}


WIDTHS = {
    "vector": (lambda x, k: np.prod(x[: k - 1]) + x[k - 1] ** 2, (6,), 0),
    "sum of all": (lambda x, k: x[k - 1] ** 2 * np.exp(-np.sum(x**2)), (6,), 0),
    "rows": (lambda x, k: x[:, k - 1] * np.sum(x[:, :k], axis=1), (3, 6), 1),
    "columns": (lambda x, k: x[k - 1] * np.sum(x[:k], axis=0), (6, 3), 0),
}


@pytest.mark.parametrize("kind", WIDTHS)
@settings(max_examples=20, deadline=None)
@given(width=st.integers(2, 6), seed=st.integers(0, 2**32 - 1))
def test_an_array_has_the_width_of_its_function(kind, width, seed):
    function, shape, axis = WIDTHS[kind]
    x = np.random.default_rng(seed).uniform(0.5, 1.5, shape)

    def claim(x):
        return np.ones_like(x)

    (found,) = narrow_to_width(lambda x: function(x, width), [x], [0], [claim])
    assert np.array_equal(found, np.take(x, range(width), axis))


@settings(max_examples=20, deadline=None)
@given(width=st.integers(1, 6))
def test_what_is_declared_or_what_a_claim_takes_is_left_as_it_is(width):
    x = np.linspace(0.5, 1.5, 6)
    fixed = lambda x: np.array([x[5], *np.zeros(5)])  # noqa: E731
    for places, claims in (([], []), ([0], [fixed]), ([0], [lambda x: np.ones(6)])):
        (found,) = narrow_to_width(lambda x: np.sum(x[:width] ** 2), [x], places, claims)
        assert found.size == 6


def test_what_any_number_of_entries_has_keeps_them():
    for function in (np.sum, np.max, np.sort, np.linalg.norm, lambda x: np.sum(x[1:] * x[:-1])):
        (found,) = narrow_to_width(function, [np.array([0.7, 2.0, 1.1])], [0])
        assert found.size == 3
