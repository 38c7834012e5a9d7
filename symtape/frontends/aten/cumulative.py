"""Readings: running sums, products and extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads

__all__: list[str] = []


def _make_cumulative(function: Any) -> Any:
    def reading(x: Any, dim: int, *, dtype: Any = None) -> Any:
        x = x if dtype is None else x.astype(dtype)
        return function(x, dim) if np.ndim(x) else x

    return reading


reads("cumsum")(_make_cumulative(lambda x, dim: np.cumsum(x, axis=dim)))
reads("cumprod")(_make_cumulative(lambda x, dim: np.cumprod(x, axis=dim)))
reads("logcumsumexp", "_logcumsumexp")(
    _make_cumulative(lambda x, dim: np.logaddexp.accumulate(x, axis=dim))
)


def _extreme(accumulate: Any, reached: Any) -> Any:
    """The running extreme, and the last place where it was reached."""

    def reading(x: Any, dim: int) -> Any:
        if not np.ndim(x):
            return x, np.zeros((), np.int64)
        values = accumulate(x, axis=dim)
        axis, rank = dim % np.ndim(x), np.ndim(x)
        steps = np.arange(np.shape(x)[axis]).reshape((-1, *(1,) * (rank - axis - 1)))
        places = np.where(reached(x, values), steps, 0)
        return values, np.maximum.accumulate(places, axis=axis)

    return reading


reads("cummax")(_extreme(np.maximum.accumulate, np.greater_equal))
reads("cummin")(_extreme(np.minimum.accumulate, np.less_equal))
