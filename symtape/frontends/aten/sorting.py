"""Readings: orders, and elements chosen by their rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads, refuse
from symtape.frontends.placing import index_along

refuse("which value is the most frequent jumps everywhere", "mode")
refuse("its length depends on values", "_unique", "_unique2", "unique_dim", "unique_consecutive")


@reads("sort")
def sort(x: Any, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """Values and where they were; equal ones keep their order."""
    if not np.ndim(x):
        return x, np.zeros((), np.int64)
    order = np.argsort(-x if descending else x, axis=dim, kind="stable")
    values = np.sort(x, axis=dim, kind="stable")
    return np.flip(values, dim) if descending else values, order


def _first(x: Any, dim: int, count: int) -> Any:
    return x[index_along(dim % np.ndim(x), slice(count))] if np.ndim(x) else x


@reads("topk")
def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # noqa: A002 -- ATen's names
    """The `k` largest values, or smallest, and where they are."""
    values, order = sort(x, dim, largest)
    return _first(values, dim, k), _first(order, dim, k)


@reads("kthvalue")
def kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The value of rank `k`, counted from 1, and where it is."""
    if not np.ndim(x):
        return sort(x)
    at = index_along(dim % np.ndim(x), slice(k - 1, k))
    values, order = (part[at] for part in sort(x, dim))
    return (values, order) if keepdim else (np.squeeze(values, dim), np.squeeze(order, dim))


@reads("median.default")
def median(x: Any) -> Any:
    """The lower of two middle values."""
    return np.sort(np.ravel(x))[(int(np.size(x)) - 1) // 2]


@reads("median.dim")
def median_along(x: Any, dim: int, keepdim: bool = False) -> Any:
    """The lower of two middle values along an axis, and where it is."""
    count = np.shape(x)[dim] if np.ndim(x) else 1
    return kthvalue(x, (count - 1) // 2 + 1, dim, keepdim)


@reads("searchsorted")
def searchsorted(
    edges: Any,
    x: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: Any = None,
    sorter: Any = None,
) -> Any:
    """As ``np.searchsorted``, of one vector of edges."""
    if np.ndim(edges) != 1 or sorter is not None:
        raise NotImplementedError("edges of several axes, or with a sorter")
    return np.searchsorted(edges, x, side=side or ("right" if right else "left"))


@reads("bucketize")
def bucketize(x: Any, edges: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """As ``np.searchsorted``."""
    return np.searchsorted(edges, x, side="right" if right else "left")
