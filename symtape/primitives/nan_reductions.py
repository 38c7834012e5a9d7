"""Functions: reductions that pass over NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, implements


def _value_or_default(value: Any, default: Any) -> Any:
    return default if value is np._NoValue else value


def _present(a: Array, where: Any) -> Array:
    """Which elements count: those that are no NaN and, with a mask, lie in it."""
    present = ~np.isnan(a)
    return present if where is True or where is np._NoValue else present & where


def _fill_nans_first(function: Callable[..., Any], neutral: float) -> Callable[..., Array]:
    """`function` with `neutral` in place of every NaN."""

    def reduce(a: Any, *args: Any, **kwargs: Any) -> Array:
        a = to_array(a)
        return function(np.where(np.isnan(a), neutral, a), *args, **kwargs)

    reduce.__name__ = f"nan{function.__name__}"
    reduce.__doc__ = f"As ``numpy.nan{function.__name__}``."
    return reduce


implements(np.nansum)(_fill_nans_first(np.sum, 0))
implements(np.nanprod)(_fill_nans_first(np.prod, 1))
implements(np.nancumsum)(_fill_nans_first(np.cumsum, 0))
implements(np.nancumprod)(_fill_nans_first(np.cumprod, 1))


def _reduce_without_nans(function: Callable[..., Any], neutral: float) -> Callable[..., Array]:
    """`function` over what is no NaN; NaN where there is nothing else."""

    def reduce(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = np._NoValue,
        where: Any = True,
    ) -> Array:
        a, keepdims = to_array(a), _value_or_default(keepdims, False)
        missing = ~_present(a, where)
        start = {} if initial is np._NoValue else {"initial": initial}
        best = function(
            np.where(missing, neutral, a), axis=axis, out=out, keepdims=keepdims, **start
        )
        if start:
            return best
        nothing = np.all(missing, axis=axis, keepdims=keepdims)
        return np.where(nothing, np.nan, best)

    reduce.__name__ = f"nan{function.__name__}"
    reduce.__doc__ = f"As ``numpy.nan{function.__name__}``."
    return reduce


implements(np.nanmax)(_reduce_without_nans(np.max, -np.inf))
implements(np.nanmin)(_reduce_without_nans(np.min, np.inf))


@implements(np.nanmean)
def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Array:
    """As ``numpy.nanmean``."""
    a = to_array(a)
    keepdims = _value_or_default(keepdims, False)
    return np.mean(a, axis, dtype, out, keepdims, where=_present(a, where))


def _spread(function: Callable[..., Any]) -> Callable[..., Array]:
    """`function`, the variance or its root, over what is no NaN."""

    def reduce(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: Any = False,
        *,
        where: Any = True,
        **others: Any,
    ) -> Array:
        a, given = to_array(a), {k: v for k, v in others.items() if v is not np._NoValue}
        keepdims = _value_or_default(keepdims, False)
        return function(a, axis, dtype, out, ddof, keepdims, where=_present(a, where), **given)

    reduce.__name__ = f"nan{function.__name__}"
    reduce.__doc__ = f"As ``numpy.nan{function.__name__}``."
    return reduce


implements(np.nanvar)(_spread(np.var))
implements(np.nanstd)(_spread(np.std))
