"""Functions: a Python function applied along the axes of an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import one_axis
from symtape.primitives.primitive import Array, implements


@implements(np.apply_along_axis)
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Array:
    """As ``numpy.apply_along_axis``: `func1d` of each vector along `axis`."""
    arr = to_array(arr)
    axis = one_axis(axis, arr.ndim)
    vectors = np.moveaxis(arr, axis, -1)
    lead = vectors.shape[:-1]
    if 0 in lead:
        raise ValueError(
            f"apply_along_axis over axis {axis} of shape {arr.shape}: there is no vector to apply "
            "the function to"
        )
    results = [to_array(func1d(vectors[at], *args, **kwargs)) for at in np.ndindex(lead)]
    shape = np.shape(results[0])
    whole = np.reshape(np.stack(results), lead + shape)
    own = range(len(lead), len(lead) + len(shape))
    return np.moveaxis(whole, tuple(own), tuple(range(axis, axis + len(shape))))


@implements(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Array:
    """As ``numpy.apply_over_axes``: ``func(a, axis)`` for one axis after the other."""
    value = to_array(a)
    rank = np.ndim(value)
    for axis in axes if isinstance(axes, list | tuple) else (axes,):
        place = one_axis(axis, rank)
        result = func(value, place)
        value = result if np.ndim(result) == rank else np.expand_dims(result, place)
        if np.ndim(value) != rank:
            raise ValueError(
                f"the function given to apply_over_axes returned shape {np.shape(result)}; "
                f"expected {rank} or {rank - 1} axes"
            )
    return value
