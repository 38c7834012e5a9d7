"""Rectangles of the complex plane: a space for the real part, and one for the imaginary part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.errors import UsageError
from verify.regions.box import Box, box
from verify.regions.shapes import Shape
from verify.regions.words import short


@dataclass(frozen=True)
class Rectangle:
    """Complex numbers whose parts lie between bounds; made by :func:`rectangle`.

    Attributes
    ----------
    real, imag : Box
        Where the parts lie.
    """

    real: Box
    imag: Box


def rectangle(
    lower: Any, upper: Any, shape: Shape | int | Sequence[Shape] = (), dtype: Any = np.complex128
) -> Rectangle:
    """Complex numbers of which both parts lie between those of two corners, both included.

    Parameters
    ----------
    lower, upper : complex number or nested list or array
        The corner of the least parts, and that of the largest.
    shape : shape, or list of shapes
        As for :func:`verify.box`.
    dtype : complex128 or complex64

    Raises
    ------
    UsageError
        Corners that are not numbers, or in the wrong order.

    Examples
    --------
    >>> region = rectangle(-1 - 2j, 1 + 2j)
    >>> region.real, region.imag
    (box(-1.0, 1.0), box(-2.0, 2.0))
    """
    try:
        kind = np.dtype(dtype)
        low, high = np.asarray(lower, np.complex128), np.asarray(upper, np.complex128)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"rectangle({short(lower)}, {short(upper)}): expected two complex numbers or arrays"
        ) from error
    if kind.kind != "c":
        raise UsageError(f"rectangle(..., dtype={kind}): expected complex128 or complex64")
    component = np.empty(0, kind).real.dtype
    return Rectangle(
        box(low.real, high.real, shape, component), box(low.imag, high.imag, shape, component)
    )
