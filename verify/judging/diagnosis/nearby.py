"""Points beside one, at which a mistake has to be the same, so that it is no accident."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

_STEPS: Final = ((0.75, 0.125), (1.25, -0.0625), (-0.75, 0.5), (0.03125, 0.375))
"""``scale * x + shift``: some near enough for the same branch and far enough to tell a factor from
an accident, one of the other sign, one near 1 to tell what fails in a tail alone."""

_GOLDEN: Final = 0.6180339887498949


def points_beside(x: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Points made of one, with other entries each, so that no tie of entries stays.

    Of a symmetric matrix they are symmetric.

    Examples
    --------
    >>> next(points_beside((np.zeros(2), 1.0)))
    (array([0.125     , 0.20225425]), np.float64(0.875))
    """
    arrays = [np.asarray(part) for part in x]
    for scale, shift in _STEPS:
        yield tuple(
            (scale * it + shift * _distinct_numbers(it.shape)).astype(it.dtype)[()] for it in arrays
        )


def _distinct_numbers(shape: tuple[int, ...]) -> Any:
    """Numbers from 1 on that differ, the same whichever axis of equal length comes first."""
    return 1 + sum((grid * _GOLDEN % 1 for grid in np.indices(shape)), np.zeros(shape))
