"""Primitives that move elements and change none."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.jaxpr.table import READINGS, Call, reads
from symtape.frontends.windows import taken_or


def _integers(values: Any) -> tuple[int, ...]:
    return tuple(int(value) for value in values)


READINGS.update(
    {
        "broadcast_to": lambda call, x: np.broadcast_to(x, call.shape),
        "concatenate": lambda call, *xs: np.concatenate(xs, axis=int(call.params["dimension"])),
        "expand_dims": lambda call, x: np.reshape(x, call.shape),
        "rev": lambda call, x: np.flip(x, _integers(call.params["dimensions"])),
        "squeeze": lambda call, x: np.reshape(x, call.shape),
        "stack": lambda call, *xs: np.stack(xs, axis=int(call.params.get("axis", 0))),
        "tile": lambda call, x: np.tile(x, _integers(call.params["reps"])),
        "transpose": lambda call, x: np.transpose(x, _integers(call.params["permutation"])),
    }
)


@reads("reshape")
def _reshape(call: Call, x: Any) -> Any:
    if call.params.get("dimensions") is not None:
        x = np.transpose(x, _integers(call.params["dimensions"]))
    return np.reshape(x, call.shape)


@reads("broadcast_in_dim")
def _spread(call: Call, x: Any, *_: Any) -> Any:
    places = _integers(call.params["broadcast_dimensions"])
    shape = [1] * len(call.shape)
    for place, length in zip(places, x.shape, strict=True):
        shape[place] = length
    lined = x if x.shape == tuple(shape) else np.reshape(x, tuple(shape))
    return lined if lined.shape == call.shape else np.broadcast_to(lined, call.shape)


@reads("iota")
def _count_along(call: Call, *_: Any) -> Any:
    axis = int(call.params["dimension"])
    steps = np.arange(call.shape[axis]).astype(call.dtype)
    lined = steps.reshape(tuple(-1 if i == axis else 1 for i in range(len(call.shape))))
    return np.broadcast_to(lined, call.shape)


@reads("unstack")
def _unstack(call: Call, x: Any) -> Any:
    axis = int(call.params.get("axis", 0))
    return [np.take(x, place, axis=axis) for place in range(x.shape[axis])]


@reads("split")
def _parts(call: Call, x: Any) -> Any:
    axis, ends = int(call.params["axis"]), np.cumsum(_integers(call.params["sizes"]))
    starts = [0, *ends[:-1].tolist()]
    before = (slice(None),) * axis
    return [x[(*before, slice(a, b))] for a, b in zip(starts, ends.tolist(), strict=True)]


@reads("slice")
def _cut(call: Call, x: Any) -> Any:
    starts, ends = (_integers(call.params[name]) for name in ("start_indices", "limit_indices"))
    steps = _integers(call.params["strides"] or (1,) * x.ndim)
    return x[tuple(slice(*each) for each in zip(starts, ends, steps, strict=True))]


@reads("pad")
def _pad(call: Call, x: Any, value: Any) -> Any:
    config = [_integers(each) for each in call.params["padding_config"]]
    if all(low >= 0 and high >= 0 and not inner for low, high, inner in config):
        widths = [(low, high) for low, high, _ in config]
        return np.pad(x, widths, constant_values=value)
    source = np.full(call.shape, -1)
    into, out_of = [], []
    for (low, _, inner), length, total in zip(config, x.shape, call.shape, strict=True):
        places = low + np.arange(length) * (inner + 1)
        kept = (places >= 0) & (places < total)
        into.append(places[kept])
        out_of.append(np.flatnonzero(kept))
    source[np.ix_(*into)] = np.arange(x.size).reshape(x.shape)[np.ix_(*out_of)]
    return taken_or(np.ravel(x), source, value)
