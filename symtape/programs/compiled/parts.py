"""Rows whose ``evaluate`` looks before it computes, as operations on elements that never look.

Their values are those of the rows within rounding; loops of machine code compute them in less time
than NumPy takes to look.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives.extrema import SHARE
from symtape.primitives.norms import EUCLIDEAN_NORM
from symtape.primitives.primitive import Primitive

Axes = tuple[int, ...] | None


def _share(x: Any, axis: Axes, largest: bool) -> Any:
    extreme = (np.max if largest else np.min)(x, axis=axis, keepdims=True)
    tied = np.where(x == extreme, 1.0, 0.0)
    return tied / np.sum(tied, axis=axis, keepdims=True)


def _euclidean(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Divided by the largest magnitude, so that no square overflows, or is lost."""
    largest = np.max(np.abs(x), axis=axis, keepdims=True)
    scale = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
    unit = x / scale
    y = np.sqrt(np.sum(unit * unit, axis=axis, keepdims=True)) * scale
    return y if keepdims else np.squeeze(y, axis)


PARTS: Final[dict[Primitive, Callable[..., Any]]] = {SHARE: _share, EUCLIDEAN_NORM: _euclidean}
"""Functions of a row's arguments and parameters."""
