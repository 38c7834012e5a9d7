"""Medians and quantiles, with NaN and passing over it, by every method that NumPy has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symtape

METHODS = [
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
]
WHOLE = np.array([[4.0, -1.0, 2.5, 0.5], [3.0, 8.0, -2.0, 1.0], [0.25, 6.0, 7.0, -3.0]])
HOLES = np.array([[4.0, np.nan, 2.5, 0.5], [np.nan, 8.0, np.nan, 1.0], [0.25, 6.0, 7.0, -3.0]])
REDUCTIONS: list[dict[str, Any]] = [
    {},
    {"axis": 0},
    {"axis": (0, 1), "keepdims": True},
    {"axis": 1, "keepdims": True},
]


def check(function: Any, given: Any) -> None:
    """Values are NumPy's; being linear in what is chosen, each is its Jacobian times the array."""
    x = symtape.constant(given)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    expected = function(given)
    assert (y.shape, y.dtype) == (np.shape(expected), given.dtype)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-14)
    batched = tape.jacobian(y, x).numpy()
    looped = tape.jacobian(y, x, experimental_use_pfor=False).numpy()
    np.testing.assert_array_equal(batched, looped)
    assert not np.any(batched[..., np.isnan(given)])
    products = np.sum(batched * np.nan_to_num(given), axis=(-1, -2))
    np.testing.assert_allclose(products, expected, rtol=1e-14)
    weights = batched.sum(axis=(-1, -2))
    np.testing.assert_allclose(weights, np.ones_like(weights), rtol=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [0.0, 0.3, 1.0, [0.25, 0.5], [[0.1], [0.9]]])
def test_quantiles_by_every_method(method: str, q: Any) -> None:
    for options in REDUCTIONS:
        check(lambda x, o=options: np.quantile(x, q, method=method, **o), WHOLE)
        check(lambda x, o=options: np.nanquantile(x, q, method=method, **o), HOLES)


@pytest.mark.parametrize("options", REDUCTIONS)
def test_medians_and_percentiles(options: Any) -> None:
    check(lambda x: np.median(x, **options), WHOLE)
    check(lambda x: np.nanmedian(x, **options), HOLES)
    check(lambda x: np.nanmedian(x[:, :3], **options), WHOLE)
    check(lambda x: np.percentile(x, 35.0, **options), WHOLE)
    check(lambda x: np.nanpercentile(x, [35.0, 50.0], **options), HOLES)


def test_padding_with_medians() -> None:
    check(lambda x: np.pad(x, ((1, 0), (0, 2)), "median"), WHOLE)


def test_where_nothing_is_left_the_answer_is_nan() -> None:
    x = symtape.constant([[np.nan, np.nan], [1.0, np.nan]])
    np.testing.assert_array_equal(np.nanmedian(x, axis=1).numpy(), [np.nan, 1.0])
    np.testing.assert_array_equal(np.nanquantile(x, 0.3, axis=1).numpy(), [np.nan, 1.0])


def test_a_nan_spoils_its_own_row_alone() -> None:
    for function in (lambda x: np.median(x, axis=1), lambda x: np.quantile(x, 0.5, axis=1)):
        found = function(symtape.constant(HOLES)).numpy()
        np.testing.assert_array_equal(np.isnan(found), [True, True, False])


def test_single_precision_is_kept() -> None:
    x = symtape.constant(WHOLE.astype(np.float32))
    for function in (np.median, np.nanmedian):
        assert function(x).dtype == np.float32
    assert np.nanquantile(x, [0.3, 0.4]).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: np.nanquantile(x, 1.5), ValueError, "must lie in"),
        (lambda x: np.quantile(x, x[0]), TypeError, "not differentiable by q"),
        (lambda x: np.percentile(x, x[0]), TypeError, "not differentiable by q"),
        (
            lambda x: np.quantile(x, 0.5, weights=[1, 2], method="inverted_cdf"),
            TypeError,
            "weights",
        ),
        (lambda x: np.nanmedian(x[:0]), ValueError, "no element"),
    ],
)
def test_what_has_no_meaning_is_said(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call(symtape.constant([0.5, 0.25]))
