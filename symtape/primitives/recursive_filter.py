"""Row: the recursive half of a linear filter, whose adjoint is the filter run backwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.primitives.primitive import Array, Params, Primitive, declare


def _evaluate(c: Array, u: Array) -> Array:
    from scipy.signal import lfilter

    filter_by: Any = lfilter
    kind = np.result_type(c, u)
    one = np.ones(1, kind)
    found: Array = filter_by(one, np.concatenate([one, -c]), u)
    return found


def _one_by_one(c: Array, u: Array) -> Array:
    y = np.array(u, dtype=object)
    for i in range(y.shape[-1]):
        for k in range(min(i, len(c))):
            y[..., i] = y[..., i] + c[k] * y[..., i - 1 - k]
    return y


def _backwards(g: Array, c: Array) -> Array:
    return np.flip(RECURSIVE_FILTER(c, np.flip(g, -1)), -1)


def _pull_to_coefficients(g: Array, c: Array, y: Array) -> Array:
    back, length = _backwards(g, c), y.shape[-1]
    slopes = [
        np.sum(back[..., 1 + k :] * y[..., : length - 1 - k])
        if k + 1 < length
        else np.zeros((), y.dtype)
        for k in range(c.shape[0])
    ]
    return np.stack(slopes)


def _sum_delayed_outputs(t: Array, c: Array, y: Array) -> Array:
    """``t[0] y[i-1] + t[1] y[i-2] + ...``."""
    length, total = y.shape[-1], y * 0 * np.sum(t)
    for k in range(min(c.shape[0], length - 1)):
        nothing = np.zeros((*y.shape[:-1], k + 1), y.dtype)
        total = total + t[k] * np.concatenate([nothing, y[..., : length - 1 - k]], axis=-1)
    return total


def _batch(flags: Sequence[bool], args: Sequence[Array], params: Params) -> Array:
    (c, u), (left, right) = args, flags
    if not left:
        return RECURSIVE_FILTER(c, u)
    rows = [RECURSIVE_FILTER(c[i], u[i] if right else u) for i in range(c.shape[0])]
    return np.stack(rows)


# Along the last axis y[i] = u[i] + c[0] y[i-1] + c[1] y[i-2] + ...
RECURSIVE_FILTER: Primitive = declare(
    name="recursive_filter",
    inputs="c u",
    evaluate=_evaluate,
    vjp=[_pull_to_coefficients, lambda g, c: _backwards(g, c)],
    elements=_one_by_one,
    jvp=[
        lambda t, c, y: RECURSIVE_FILTER(c, _sum_delayed_outputs(t, c, y)),
        lambda t, c: RECURSIVE_FILTER(c, t),
    ],
    batch=_batch,
    rounding=lambda shapes, params: 2 * max(shapes[0][0], 1) * shapes[1][-1],
    dependence="accumulates",
    source="y = (1 - C)^-1 u, whose transpose runs backwards in time",
    example=([0.5, -0.25], [1.0, 1.5, -0.5, 0.75]),
)
