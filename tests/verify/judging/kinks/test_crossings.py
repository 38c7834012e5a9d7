"""More pieces than can be gone through, of which a few blends say that they agree."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.symbolic.walk import shadow
from verify import Verdict
from verify.judging.kinks.alternatives import Problem
from verify.judging.kinks.crossings import blend_pieces

RANDOM = np.random.default_rng(0)
X, LABELS = RANDOM.normal(size=(50, 10)), RANDOM.integers(0, 4, 50)


def log_of_sums(x):
    highest = np.max(x, axis=-1, keepdims=True)
    return highest[..., 0] + np.log(np.sum(np.exp(x - highest), axis=-1))


def softmax(x):
    raised = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return raised / np.sum(raised, axis=-1, keepdims=True)


def loss(w):
    scores = X @ w
    return np.mean(log_of_sums(scores) - scores[np.arange(50), LABELS])


def slopes(w):
    return X.T @ (softmax(X @ w) - np.eye(4)[LABELS]) / 50


@pytest.mark.long
def test_a_regression_that_begins_at_zeros_is_judged():
    zeros = np.zeros((10, 4))
    assert verify.gradient(loss, slopes, at=[zeros]).verdict is Verdict.CORRECT
    assert verify.gradient(loss, at=[zeros]).verdict is Verdict.CORRECT
    for lie in (lambda w: 1.001 * slopes(w), lambda w: -slopes(w), lambda w: 0 * w):
        assert verify.gradient(loss, lie, at=[zeros]).verdict is Verdict.WRONG


SMOOTH = {
    "squares of rectifiers": lambda w: np.sum(np.maximum(X @ w, 0) ** 2),
    "numbers times their sizes": lambda w: np.sum((X @ w) * np.abs(X @ w)),
}


ONE, OTHER = SMOOTH


@pytest.mark.long
@pytest.mark.parametrize("name", [ONE, pytest.param(OTHER, marks=pytest.mark.campaign)])
def test_where_all_pieces_agree_there_is_a_derivative(name):
    zeros = np.zeros((10, 4))
    assert verify.gradient(SMOOTH[name], lambda w: 0 * w, at=[zeros]).verdict is Verdict.CORRECT
    lie = verify.gradient(SMOOTH[name], lambda w: 0 * w + 1e-9, at=[zeros])
    assert lie.verdict is Verdict.WRONG


KINKED = {
    "rectifiers": lambda w: np.sum(np.maximum(X @ w, 0)),
    "sizes": lambda w: np.sum(np.abs(X @ w)),
    "one of many": lambda w: np.sum(np.maximum(X @ w, 0) ** 2) + np.abs(w[3, 2]),
    "largest": lambda w: np.sum(np.max(X @ w, axis=1)),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", KINKED)
def test_where_one_of_them_differs_there_is_none(name):
    zeros = np.zeros((10, 4))
    assert verify.gradient(KINKED[name], at=[zeros]).verdict is not Verdict.CORRECT


def test_comparisons_and_second_derivatives_are_not_blended():
    def compared(x):
        return np.sum(np.where(x > 0, x, -x))

    for function, quantity in ((compared, "gradient"), (log_of_sums, "hessian")):
        point = [np.zeros(3)]
        form = shadow(symtape.record(function, *point), point)
        assert blend_pieces(Problem(form, point, quantity, function)) is None
