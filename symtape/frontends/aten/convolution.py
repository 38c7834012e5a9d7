"""Readings: convolutions, as windows of the input contracted with the weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads
from symtape.frontends.aten.transposing import transpose_linear as transpose_of
from symtape.frontends.windows import convolve, windows


def _plain(x: Any, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """``y[n, m, a] = sum x[n, c, a*stride + p*dilation - padding] weight[m, c, p]``."""
    sizes, kernel = np.shape(x)[2:], np.shape(weight)[2:]
    counts = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    ]
    once = (1,) * len(sizes)
    return convolve(
        x, weight, windows(sizes, counts, kernel, stride, padding, once, dilation), groups
    )


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
