"""Covariance, correlation and sums by bins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape

Check = Callable[..., None]

SAMPLES = np.random.default_rng(7).uniform(-2, 2, (3, 5))
TIMES = np.array([1, 2, 1, 1, 3])
CASES: list[tuple[str, dict[str, Any], Any]] = [
    ("of rows", {}, SAMPLES),
    ("of one", {}, SAMPLES[0]),
    ("of columns", {"rowvar": False}, SAMPLES),
    ("biased", {"bias": True}, SAMPLES),
    ("ddof", {"ddof": 0}, SAMPLES),
    ("repeated", {"fweights": TIMES}, SAMPLES),
    ("repeated, ddof", {"fweights": TIMES, "ddof": 2}, SAMPLES),
    ("weighted", {"aweights": TIMES / 4}, SAMPLES),
    ("weighted, ddof", {"aweights": TIMES / 4, "ddof": 0}, SAMPLES),
    ("both", {"aweights": TIMES / 4, "fweights": TIMES}, SAMPLES),
]


@pytest.mark.parametrize(("name", "options", "samples"), CASES, ids=[c[0] for c in CASES])
def test_covariance(name: str, options: Any, samples: Any, check_derivatives: Check) -> None:
    def by_definition(x: Any) -> Any:
        x = np.atleast_2d(x if options.get("rowvar", True) else x.T)
        times = np.asarray(options.get("fweights", np.ones(x.shape[1])))
        shares = np.asarray(options.get("aweights", np.ones(x.shape[1])))
        weights = times * shares
        ddof = options.get("ddof", 0 if options.get("bias") else 1)
        total = weights.sum()
        free = total - ddof * (weights * shares).sum() / total
        middle = (x * weights).sum(axis=1) / total
        off = [row - m for row, m in zip(x, middle, strict=True)]
        found = [[(p * q * weights).sum() / free for q in off] for p in off]
        return np.array(found if len(found) > 1 else found[0][0])

    check_derivatives(lambda x: np.cov(x, **options), samples, reference=by_definition)


def test_covariance_by_the_weights(check_derivatives: Check) -> None:
    def by_definition(w: Any) -> Any:
        middle = (SAMPLES[0] * w).sum() / w.sum()
        off = SAMPLES[0] - middle
        return np.array((off * off * w).sum() / (w.sum() - (w * w).sum() / w.sum()))

    check_derivatives(lambda w: np.cov(SAMPLES[0], aweights=w), TIMES / 4, reference=by_definition)


def test_correlation(check_derivatives: Check) -> None:
    def by_definition(x: Any, y: Any) -> Any:
        x, y = x - x.sum() / x.size, y - y.sum() / y.size
        found = (x * y).sum() / np.array(((x * x).sum() * (y * y).sum()).sqrt())
        one = found * 0 + 1
        return np.array([[one, found], [found, one]])

    check_derivatives(np.corrcoef, SAMPLES[0], SAMPLES[1], reference=by_definition)


@pytest.mark.parametrize("options", [{}, {"rowvar": False}])
def test_correlation_of_many_is_that_of_numpy(options: Any) -> None:
    found = np.corrcoef(symtape.constant(SAMPLES), **options)
    np.testing.assert_allclose(found.numpy(), np.corrcoef(SAMPLES, **options), rtol=1e-13)


@pytest.mark.parametrize("length", [0, 7])
def test_sums_by_bins(length: int, values: Any, assert_affine: Any) -> None:
    assert_affine(lambda w: np.bincount([0, 1, 1, 4], w, length), values((4,)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.bincount([0, 1], x), "two vectors of one length"),
        (lambda x: np.bincount([0, -1, 2], x), "not negative"),
        (lambda x: np.cov(np.expand_dims(x, (0, 1))), "one or two axes"),
    ],
)
def test_what_has_no_meaning_is_said(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(symtape.constant([1.0, 2.0, 3.0]))
