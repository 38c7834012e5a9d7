"""A derivative that leaves out the subtracted largest exponent may lose what it costs to do so."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import verify
from verify import Verdict

RNG = np.random.default_rng(1)
ROWS = [RNG.normal(size=(3, 2)), RNG.normal(size=(4, 2)), RNG.normal(size=(4, 3))]


def softmax(scores: Any) -> Any:
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def attention(q: Any, k: Any, v: Any) -> Any:
    return softmax(q @ k.T) @ v


def attention_by_bare_exponents(q: Any, k: Any, v: Any) -> Any:
    e = np.exp(q @ k.T)
    return e / np.sum(e, axis=1, keepdims=True) @ v


def attention_by_the_smallest(q: Any, k: Any, v: Any) -> Any:
    s = -(q @ k.T)
    e = np.exp(np.min(s, axis=1, keepdims=True) - s)
    return e / np.sum(e, axis=1, keepdims=True) @ v


def by_the_book(q: Any, k: Any, v: Any, g: Any, factor: float = 1.0) -> Any:
    p = softmax(q @ k.T)
    dp = g @ v.T
    ds = p * (dp - np.sum(dp * p, axis=1, keepdims=True)) * factor
    return ds @ k, ds.T @ q, p.T @ g


@pytest.mark.parametrize("spread", [1.0, 1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize(
    "function", [attention, attention_by_bare_exponents, attention_by_the_smallest]
)
def test_how_a_softmax_is_shifted_makes_no_difference(function: Any, spread: float) -> None:
    at = (*(0.87 + spread * row for row in ROWS), np.ones((3, 3)))
    assert verify.vjp(function, by_the_book, at=[at]).verdict is Verdict.CORRECT
    off = verify.vjp(function, functools.partial(by_the_book, factor=1 + 2.0**-10), at=[at])
    assert off.verdict is Verdict.WRONG


def pooled(x: Any) -> Any:
    return np.max(x) - np.min(x) + np.sum(np.tanh(x - np.max(x)))


def pooled_slope(x: Any) -> Any:
    slope = 1 - np.tanh(x - np.max(x)) ** 2
    slope[np.argmax(x)] += 1 - np.sum(slope)
    slope[np.argmin(x)] -= 1
    return slope


def test_what_an_extreme_contributes_is_not_left_out() -> None:
    x = np.array([0.0, 1.0, 20.0])
    result = verify.gradient(pooled, pooled_slope, at=[x])
    assert result.verdict is Verdict.INACCURATE
    assert verify.gradient(pooled, pooled_slope, at=[x / 10]).verdict is Verdict.CORRECT
    held = verify.gradient(pooled, lambda x: 1 - np.tanh(x - np.max(x)) ** 2, at=[x / 10])
    assert held.verdict is Verdict.WRONG


def cross_entropy(z: Any) -> Any:
    return np.log(np.sum(np.exp(z - np.max(z)))) + np.max(z) - z[1]


@pytest.mark.parametrize(("dtype", "score"), [(np.float32, 12.0), (np.float64, 30.0)])
def test_digits_that_are_lost_are_not_excused(dtype: Any, score: float) -> None:
    def slope(z: Any) -> Any:
        p = np.exp(z - np.max(z))
        p /= np.sum(p)
        p[1] -= 1
        return p

    result = verify.gradient(cross_entropy, slope, at=[np.array([0, score, 1], dtype)])
    assert result.verdict is Verdict.INACCURATE
