"""Reductions that pass over NaN, with masks of their own beside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symtape

HOLES = np.array([[4.0, np.nan, 2.5], [1.0, 8.0, np.nan], [0.25, 6.0, -3.0]])
MASK = np.array([[True, True, False], [True, False, True], [True, True, True]])
PLAIN = {
    "nansum": np.sum,
    "nanprod": np.prod,
    "nanmean": np.mean,
    "nanvar": np.var,
    "nanstd": np.std,
    "nanmax": np.max,
    "nanmin": np.min,
}
START = {"nanmax": {"initial": -9.0}, "nanmin": {"initial": 9.0}}
REDUCTIONS: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}]


def jacobian(function: Any, given: Any) -> Any:
    x = symtape.constant(given)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return y.numpy(), tape.jacobian(y, x).numpy()


@pytest.mark.parametrize("options", REDUCTIONS)
@pytest.mark.parametrize("mask", [None, MASK, MASK[:, :1]])
@pytest.mark.parametrize("name", PLAIN)
def test_what_counts_is_what_a_mask_would_keep(name: str, mask: Any, options: Any) -> None:
    function, chosen = getattr(np, name), np.ones_like(MASK) if mask is None else mask
    kept = np.broadcast_to(chosen, HOLES.shape) & ~np.isnan(HOLES)
    masked = ({} if mask is None else {"where": mask}) | START.get(name, {})
    value, slopes = jacobian(lambda x: function(x, **masked, **options), HOLES)
    np.testing.assert_allclose(value, function(HOLES, **masked, **options), rtol=1e-14)
    plain = {"where": kept} | START.get(name, {})
    filled = np.nan_to_num(HOLES)
    _, expected = jacobian(lambda x: PLAIN[name](x, **plain, **options), filled)
    np.testing.assert_allclose(slopes, expected, rtol=1e-13, atol=1e-15)
    assert not np.any(slopes[..., ~kept])


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_running_sums_and_products(name: str) -> None:
    function = getattr(np, name)
    for axis in (None, 1):
        value, slopes = jacobian(lambda x, i=axis: function(x, i), HOLES)
        np.testing.assert_allclose(value, function(HOLES, axis), rtol=1e-15)
        assert not np.any(slopes[..., np.isnan(HOLES)])


@pytest.mark.parametrize("function", [np.nanstd, np.std])
def test_without_spread_the_gradient_is_zero(function: Any) -> None:
    mask = np.array([[True], [False]])
    _, slopes = jacobian(lambda x: function(x, axis=0, where=mask), np.array([[5.0], [7.0]]))
    np.testing.assert_array_equal(slopes, np.zeros((1, 2, 1)))


def test_of_nan_alone() -> None:
    x = symtape.constant([np.nan, np.nan])
    assert np.isnan(np.nanmax(x).numpy())
    assert np.nanmax(x, initial=2.0) == 2.0
    assert np.nansum(x) == 0.0
