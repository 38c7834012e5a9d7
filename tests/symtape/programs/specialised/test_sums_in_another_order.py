"""Sums in another order are off by some last digits, and a program by no more."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.special import logsumexp

import symtape
from symtape.errors import NotTraceable
from symtape.rigorous import floats

DRAW = np.random.default_rng(0)
TERMS = DRAW.normal(size=2000)
TERMS -= TERMS.mean()


def test_sums_that_cancel_may_be_added_in_another_order():
    """The slope of least squares at the optimum is what is left of terms that cancel."""
    rows = np.asfortranarray(DRAW.normal(size=(500, 5)))
    target = np.arange(500.0)

    def f(w, rows):
        return np.sum((np.sum(rows * w, axis=1) - target) ** 2)

    best = np.linalg.lstsq(rows, target, rcond=None)[0]
    slope = symtape.compile(symtape.grad(f), best, rows)
    assert slope(best, rows) == pytest.approx(np.zeros(5), abs=1e-6)


@pytest.mark.parametrize("off", [1e-9, 1e-6, 1e-3])
def test_a_function_that_is_another_one_by_more_is_refused(off):
    """At each call it gives another number, by more than the last digits of its terms."""

    def f(x):
        return np.sum(x * x - 1.0) + off * random.Random().randrange(10**6)

    with pytest.raises(NotTraceable, match="the recording is not the function"):
        symtape.compile(f, TERMS)


def test_long_sums_in_another_order_need_no_balls(monkeypatch):
    """NumPy adds along the first axis one by one, and the recording sums what was broadcast."""
    monkeypatch.setattr(floats, "may_return", lambda *given: pytest.fail("balls were asked"))

    def f(p, x):
        return -np.mean(logsumexp(-0.5 * (x[:, None] - p) ** 2 - np.log1p(p**2), axis=1))

    x = np.random.default_rng(7).normal(size=50_000)
    symtape.compile(symtape.grad(f), np.array([-1.0, 0.0, 2.0]), x)
