"""Primitives that make one element of many, and running ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.table import READINGS, Call, reads

_OVER_AXES: Final[dict[str, Callable[..., Any]]] = {
    "reduce_and": np.all,
    "reduce_max": np.max,
    "reduce_min": np.min,
    "reduce_or": np.any,
    "reduce_prod": np.prod,
    "reduce_sum": np.sum,
}

_RUNNING: Final[dict[str, Callable[..., Any]]] = {
    "cumlogsumexp": np.logaddexp.accumulate,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
    "cumprod": np.cumprod,
    "cumsum": np.cumsum,
}


def _make_reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reading(call: Call, x: Any) -> Any:
        axes = tuple(int(axis) for axis in call.params["axes"])
        if not axes:
            return x
        found = function(x, axis=axes)
        return found if found.dtype == call.dtype else found.astype(call.dtype)

    return reading


def _make_cumulative(function: Callable[..., Any]) -> Callable[..., Any]:
    def reading(call: Call, x: Any) -> Any:
        axis, backwards = int(call.params["axis"]), bool(call.params["reverse"])
        found = function(np.flip(x, axis) if backwards else x, axis=axis)
        return np.flip(found, axis) if backwards else found

    return reading


READINGS.update({name: _make_reduction(function) for name, function in _OVER_AXES.items()})
READINGS.update({name: _make_cumulative(function) for name, function in _RUNNING.items()})


@reads("argmax", "argmin")
def _place_of_extreme(call: Call, x: Any) -> Any:
    (axis,) = call.params["axes"]
    if x.dtype.kind == "b":
        return _first(x if call.name == "argmax" else np.invert(x), int(axis)).astype(call.dtype)
    function = np.argmax if call.name == "argmax" else np.argmin
    return function(x, axis=int(axis)).astype(np.dtype(call.params["index_dtype"]))


def _first(truths: Any, axis: int) -> Any:
    """Where the first True is; 0 where there is none."""
    before = (slice(None),) * axis
    found: Any = np.zeros((), dtype=np.int64)
    for place in range(truths.shape[axis] - 1, -1, -1):
        found = np.where(truths[(*before, place)], place, found)
    return found


@reads("reduce_xor")
def _parity(call: Call, x: Any) -> Any:
    if x.dtype.kind != "b":
        raise call.refuse("the bits of a number that depends on the inputs have no row in symtape")
    axes = tuple(int(axis) for axis in call.params["axes"])
    return np.remainder(np.sum(x.astype(np.int64), axis=axes), 2).astype(np.bool_)
