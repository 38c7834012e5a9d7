"""Functions: reductions that pass over NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives.primitive import Array, implements

__all__: list[str] = []


def _filling(function: Callable[..., Any], neutral: float) -> Callable[..., Array]:
    """`function` with `neutral` in place of every NaN."""

    def reduce(a: Array, *args: Any, **kwargs: Any) -> Array:
        return function(np.where(np.isnan(a), neutral, a), *args, **kwargs)

    reduce.__name__ = f"nan{function.__name__}"
    reduce.__doc__ = f"As ``numpy.nan{function.__name__}``."
    return reduce


implements(np.nansum)(_filling(np.sum, 0))
implements(np.nanprod)(_filling(np.prod, 1))
implements(np.nancumsum)(_filling(np.cumsum, 0))
implements(np.nancumprod)(_filling(np.cumprod, 1))


def _skipping(function: Callable[..., Any], neutral: float) -> Callable[..., Array]:
    """`function` over what is no NaN; NaN where there is nothing else."""

    def reduce(a: Array, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
        missing = np.isnan(a)
        best = function(np.where(missing, neutral, a), axis=axis, out=out, keepdims=keepdims)
        nothing = np.all(missing, axis=axis, keepdims=keepdims)
        return np.where(nothing, np.nan, best)

    reduce.__name__ = f"nan{function.__name__}"
    reduce.__doc__ = f"As ``numpy.nan{function.__name__}``."
    return reduce


implements(np.nanmax)(_skipping(np.max, -np.inf))
implements(np.nanmin)(_skipping(np.min, np.inf))


@implements(np.nanmean)
def nanmean(
    a: Array, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Array:
    """As ``numpy.nanmean``."""
    return np.mean(a, axis, dtype, out, keepdims, where=~np.isnan(a))


@implements(np.nanvar)
def nanvar(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Array:
    """As ``numpy.nanvar``."""
    return np.var(a, axis, dtype, out, ddof, keepdims, where=~np.isnan(a))


@implements(np.nanstd)
def nanstd(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Array:
    """As ``numpy.nanstd``."""
    return np.std(a, axis, dtype, out, ddof, keepdims, where=~np.isnan(a))
