"""Products: dot_general, and convolutions as products with windows."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.table import Call, reads
from symtape.frontends.windows import convolve, taken_or, windows


@reads("dot_general")
def _product(call: Call, a: Any, b: Any) -> Any:
    (left, right), (left_batch, right_batch) = (
        tuple(tuple(int(axis) for axis in side) for side in pair)
        for pair in call.params["dimension_numbers"]
    )
    a, b = _cast(call, a), _cast(call, b)
    if not left_batch and len(left) == 1 and a.ndim <= 2 and b.ndim <= 2:
        lined = np.transpose(a) if a.ndim == 2 and left == (0,) else a
        other = np.transpose(b) if b.ndim == 2 and right == (1,) else b
        return np.matmul(lined, other)
    pairs = {
        **dict(zip(right, left, strict=True)),
        **dict(zip(right_batch, left_batch, strict=True)),
    }
    first, rest = string.ascii_letters[: a.ndim], iter(string.ascii_letters[a.ndim :])
    second = [first[pairs[axis]] if axis in pairs else next(rest) for axis in range(b.ndim)]
    free = [x for x in (*first, *second) if (x in first) != (x in second)]
    out = [*(first[axis] for axis in left_batch), *free]
    return np.einsum(f"{first},{''.join(second)}->{''.join(out)}", a, b)


def _cast(call: Call, x: Any) -> Any:
    return x if x.dtype == call.dtype else x.astype(call.dtype)


@reads("conv_general_dilated")
def _convolution(call: Call, x: Any, kernel: Any) -> Any:
    numbers, params = call.params["dimension_numbers"], call.params
    x = _cast(call, np.transpose(x, numbers.lhs_spec))
    kernel = np.transpose(_cast(call, kernel), numbers.rhs_spec)
    source = windows(
        *(x.shape[2:], [call.shape[i] for i in numbers.out_spec[2:]], kernel.shape[2:]),
        *(params["window_strides"], [low for low, _ in params["padding"]]),
        *(params["lhs_dilation"], params["rhs_dilation"]),
    )
    groups, batches = int(params["feature_group_count"]), int(params["batch_group_count"])
    found = convolve(x, kernel, source, groups, batches)
    return np.transpose(found, tuple(np.argsort(numbers.out_spec).tolist()))


def source_of_windows(call: Call, x: Any) -> Any:
    """The elements of each window behind one another, as the last axis."""
    params, ones = call.params, (1,) * x.ndim
    source = windows(
        *(x.shape, call.shape, params["window_dimensions"]),
        *(params["window_strides"], [low for low, _ in params["padding"]]),
        *(params.get("base_dilation", ones), params.get("window_dilation", ones)),
    )
    return source.reshape((*call.shape, -1))


_REDUCED: Final[dict[str, tuple[Callable[..., Any], float]]] = {
    "reduce_window_max": (np.max, -np.inf),
    "reduce_window_min": (np.min, np.inf),
    "reduce_window_sum": (np.sum, 0),
}


@reads(*_REDUCED)
def _reduce_windows(call: Call, x: Any) -> Any:
    function, neutral = _REDUCED[call.name]
    found = taken_or(np.ravel(x), source_of_windows(call, x), np.asarray(neutral, x.dtype))
    return function(found, axis=-1)
