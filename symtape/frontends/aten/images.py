"""Readings: pictures made larger, and columns of windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.placing import index_along, spread
from symtape.frontends.aten.table import reads, refuse

__all__: list[str] = []

refuse("sums of bags of different lengths", "_embedding_bag")
refuse("distances of all pairs of rows of one matrix; torch.cdist is read", "_pdist_forward")


def _nearest(size: int, count: int, scale: float | None) -> Any:
    step = size / count if scale is None else 1 / scale
    return np.minimum((np.arange(count) * step).astype(np.int64), size - 1)


@reads("upsample_nearest1d_backward", "upsample_nearest2d_backward", "upsample_nearest3d_backward")
def nearest_backward(g: Any, output_size: Any, input_size: Any, *scales: Any) -> Any:
    """The cotangents of a pixel's copies added up."""
    for axis, count in enumerate(output_size):
        scale = scales[axis] if axis < len(scales) else None
        shape = list(np.shape(g))
        shape[axis + 2] = input_size[axis + 2]
        at = index_along(axis + 2, _nearest(input_size[axis + 2], count, scale))
        g = spread(g, at, shape)
    return g
