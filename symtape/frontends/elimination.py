"""Matrices by Gaussian elimination, with their rows in an order that is known."""

from __future__ import annotations

from typing import Any

import numpy as np


def reorder_rows(x: Any, order: Any) -> Any:
    """The rows of each matrix in another order."""
    if np.ndim(x) == 2 and order.ndim == 1:
        return x[order]
    return np.take_along_axis(x, np.broadcast_to(order[..., None], np.shape(x)), -2)


def eliminate(a: Any) -> Any:
    """Both factors of each matrix in one, without the ones on the diagonal of the lower."""
    rows, columns = np.shape(a)[-2:]
    if rows == 1 or columns == 0:
        return a
    first = a[..., :1, :1]
    # Where no row has anything in this column, LAPACK leaves it alone.
    column = a[..., 1:, :1] / np.where(first == 0, np.ones((), a.dtype), first)
    if columns == 1:
        return np.concatenate([a[..., :1, :], column], axis=-2)
    rest = eliminate(a[..., 1:, 1:] - column * a[..., :1, 1:])
    below = np.concatenate([column, rest], axis=-1)
    return np.concatenate([a[..., :1, :], below], axis=-2)
