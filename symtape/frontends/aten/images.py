"""Readings: pictures made larger, and columns of windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.convolution import cropped, padded, window_places
from symtape.frontends.aten.placing import along, spread
from symtape.frontends.aten.table import reads, refuse

__all__: list[str] = []

refuse("its samples lie between pixels that the inputs choose", "grid_sampler_2d")
refuse("sums of bags of different lengths", "_embedding_bag")
refuse("distances of all pairs of rows of one matrix; torch.cdist is read", "_pdist_forward")
refuse("it interpolates between pixels", "upsample_bilinear2d", "upsample_bicubic2d")


def _nearest(size: int, count: int, scale: float | None) -> Any:
    step = size / count if scale is None else 1 / scale
    return np.minimum((np.arange(count) * step).astype(np.int64), size - 1)


@reads("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
def nearest(x: Any, output_size: Any, *scales: Any) -> Any:
    """Each pixel repeated."""
    sizes, first = np.shape(x)[2:], 2
    if output_size is None:
        factors = scales[0]
        output_size = [int(n * f) for n, f in zip(sizes, factors, strict=True)]
        scales = tuple(factors)
    for axis, count in enumerate(output_size):
        scale = scales[axis] if axis < len(scales) else None
        x = x[along(axis + first, _nearest(sizes[axis], count, scale))]
    return x


@reads("upsample_nearest1d_backward", "upsample_nearest2d_backward", "upsample_nearest3d_backward")
def nearest_backward(g: Any, output_size: Any, input_size: Any, *scales: Any) -> Any:
    """The cotangents of a pixel's copies added up."""
    for axis, count in enumerate(output_size):
        scale = scales[axis] if axis < len(scales) else None
        shape = list(np.shape(g))
        shape[axis + 2] = input_size[axis + 2]
        at = along(axis + 2, _nearest(input_size[axis + 2], count, scale))
        g = spread(g, at, shape)
    return g


@reads("im2col")
def columns(x: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Windows as columns."""
    x = padded(x, list(padding))
    places = window_places(np.shape(x)[-2:], kernel, stride, dilation)
    windows = x[(Ellipsis, *places)]
    lead = np.ndim(windows) - 4
    order = [*range(lead), lead + 1, lead + 3, lead, lead + 2]
    windows = np.transpose(windows, order)
    shape = np.shape(windows)
    flat = (shape[lead - 1] * shape[lead] * shape[lead + 1], shape[lead + 2] * shape[lead + 3])
    return np.reshape(windows, (*shape[: lead - 1], *flat))


@reads("col2im")
def pictures(
    x: Any, output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> Any:
    """Columns added up where their windows were."""
    wide = [n + 2 * p for n, p in zip(output_size, padding, strict=True)]
    places = window_places(wide, kernel, stride, dilation)
    rows, columns_ = places[0].shape[0], places[1].shape[2]
    lead = np.shape(x)[:-2]
    channels = np.shape(x)[-2] // (kernel[0] * kernel[1])
    windows = np.reshape(x, (*lead, channels, kernel[0], kernel[1], rows, columns_))
    front = len(lead) + 1
    windows = np.transpose(windows, [*range(front), front + 2, front, front + 3, front + 1])
    whole = spread(windows, (Ellipsis, *places), (*lead, channels, *wide))
    return cropped(whole, padding, output_size)
