"""Readings: convolutions, as windows of the input contracted with the weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads
from symtape.frontends.aten.transposing import transpose_linear as transpose_of


def window_places(sizes: Any, kernel: Any, stride: Any, dilation: Any) -> tuple[Any, ...]:
    """For each axis an index that picks windows: window, place in it, for one axis after another.

    As many as fit into the padded input, which has these `sizes`.
    """
    places = []
    for axis, (n, k, s, d) in enumerate(zip(sizes, kernel, stride, dilation, strict=True)):
        at = np.arange(0, n - d * (k - 1), s)[:, None] + np.arange(k) * d
        places.append(np.expand_dims(at, [*range(2 * axis), *range(2 * axis + 2, 2 * len(sizes))]))
    return tuple(places)


def pad_axes(x: Any, widths: Any, value: float = 0) -> Any:
    """`x` with its last axes widened on both sides, by pairs or by the same number."""
    pairs = [(w, w) if isinstance(w, int) else tuple(w) for w in widths]
    if not any(w for pair in pairs for w in pair):
        return x
    still = [(0, 0)] * (np.ndim(x) - len(pairs))
    return np.pad(x, [*still, *pairs], constant_values=value)


def _split_groups(x: Any, groups: int, axis: int) -> Any:
    shape = np.shape(x)
    return np.reshape(x, (*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :]))


def _plain(x: Any, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """``y[n, m, a] = sum x[n, c, a*stride + p*dilation] weight[m, c, p]``."""
    rank = np.ndim(x) - 2
    x = pad_axes(x, padding)
    places = window_places(np.shape(x)[2:], np.shape(weight)[2:], stride, dilation)
    out, inside = "abcdefgh"[:rank], "pqrstuvw"[:rank]
    both = "".join(a + b for a, b in zip(out, inside, strict=True))
    windows = _split_groups(x[(slice(None), slice(None), *places)], groups, 1)
    rule = f"ngc{both},gmc{inside}->ngm{out}"
    y = np.einsum(rule, windows, _split_groups(weight, groups, 0))
    shape = np.shape(y)
    return np.reshape(y, (shape[0], shape[1] * shape[2], *shape[3:]))


def _add_bias(y: Any, bias: Any) -> Any:
    return y if bias is None else y + np.reshape(bias, (-1, *(1,) * (np.ndim(y) - 2)))


@reads("convolution")
def convolution(
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool = False,
    output_padding: Any = (0,),
    groups: int = 1,
    *_: Any,
) -> Any:
    """A convolution, or with `transposed` what one does to cotangents."""
    rank = np.ndim(x) - 2
    stride, padding, dilation, more = (
        list(v) * (rank if len(v) == 1 else 1) for v in (stride, padding, dilation, output_padding)
    )
    if not transposed:
        return _add_bias(_plain(x, weight, stride, padding, dilation, groups), bias)
    sizes = [
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, s, p, d, k, o in zip(
            np.shape(x)[2:], stride, padding, dilation, np.shape(weight)[2:], more, strict=True
        )
    ]
    shape = (np.shape(x)[0], np.shape(weight)[1] * groups, *sizes)
    y = transpose_of(lambda a: _plain(a, weight, stride, padding, dilation, groups), x, shape)
    return _add_bias(y, bias)


@reads("convolution_backward")
def convolution_backward(g: Any, x: Any, weight: Any, bias_sizes: Any, *options: Any) -> Any:
    """The cotangents of input, weights and bias, of those that are asked for."""
    *how, mask = options
    by_x = by_weight = by_bias = None
    if mask[0]:
        by_x = transpose_of(lambda a: convolution(a, weight, None, *how), g, np.shape(x))
    if mask[1]:
        by_weight = transpose_of(lambda a: convolution(x, a, None, *how), g, np.shape(weight))
    if mask[2]:
        by_bias = np.sum(g, axis=(0, *range(2, np.ndim(g))))
    return by_x, by_weight, by_bias
