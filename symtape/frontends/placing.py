"""Putting values into arrays that cannot be written: sums into zeros, and replacements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.primitives.indexing import SCATTER, SCATTER_BY, index_by_inputs
from symtape.primitives.primitive import is_stand_in


def index_along(axis: int, item: Any) -> tuple[Any, ...]:
    """The index that takes `item` at `axis` and everything at the axes before it."""
    return (*(slice(None),) * axis, item)


def spread(values: Any, index: Any, shape: Sequence[int]) -> Any:
    """Zeros of `shape` with `values` added at `index`, the transpose of indexing.

    Parameters
    ----------
    values : array
        Of the shape that indexing gives.
    index : tuple or array
        Of whole numbers, slices and arrays; arrays that were computed are followed.
    shape : sequence of int
    """
    template, arrays = index_by_inputs(index)
    if arrays:
        return SCATTER_BY(values, *arrays, template=template, shape=tuple(shape))
    return SCATTER(values, shape=tuple(shape), index=template)


def replace_at(x: Any, index: tuple[Any, ...], values: Any) -> Any:
    """`x` with what is at `index` replaced by `values`."""
    if any(is_stand_in(item) for item in index):
        return _replaced_where_computed(x, index, values)
    shape = np.shape(x)
    places = np.arange(int(np.prod(shape))).reshape(shape)
    taken = places[index]
    values = np.broadcast_to(values, taken.shape)
    if taken.size == places.size and np.array_equal(taken, places):
        return values
    places[index] = places.size + np.arange(taken.size).reshape(taken.shape)
    joined = np.concatenate([np.ravel(x), np.ravel(values)])
    return joined[places]


def _replaced_where_computed(x: Any, index: tuple[Any, ...], values: Any) -> Any:
    """The same where the index depends on values; each place is named once at the most."""
    shape = indexed_shape(np.shape(x), index)
    values = np.broadcast_to(values, shape)
    inside = spread(values, index, np.shape(x))
    if not is_stand_in(x) and not np.any(x):
        return inside
    hit = spread(np.ones(shape), index, np.shape(x)) > 0
    return np.where(hit, inside, x)


def indexed_shape(shape: Sequence[int], index: tuple[Any, ...]) -> tuple[int, ...]:
    """Of what an index gives, which may have been computed."""
    plain = tuple(item._value if is_stand_in(item) else item for item in index)
    found: tuple[int, ...] = np.empty(shape)[plain].shape
    return found
