"""The boxes of numbers that a region is, of all its arguments together."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from verify.regions import Region, Subset
from verify.regions.box import Box
from verify.regions.directions import RegionWithDirections
from verify.regions.region import Product

_MOST_NUMBERS: Final = 64
"""In all arguments together."""


def _find_base(region: Region) -> Region:
    while isinstance(region, Subset):
        region = region.base
    return region


def boxes_of(region: Region) -> list[Box]:
    """The spaces of all arguments, directions too; none if they are no boxes with insides."""
    base = _find_base(region)
    product = base.base if isinstance(base, RegionWithDirections) else base
    if not isinstance(product, Product) or len(product.joint) != 1:
        return []
    spaces = [space for space in base.arguments if type(space) is Box and not space.whole]
    widths = [np.subtract(*find_ends(space)[::-1]) for space in spaces]
    has_inside = all(np.all((width > 0) & np.isfinite(2 * width)) for width in widths)
    count = sum(width.size for width in widths)
    fits = len(spaces) == len(base.arguments) and 0 < count <= _MOST_NUMBERS
    return spaces if fits and has_inside else []


def find_ends(space: Box) -> tuple[Any, Any]:
    """The least and the largest numbers of a space."""
    lower, upper = (np.broadcast_to(end, space.shape).ravel() for end in (space.lower, space.upper))
    return lower.astype(np.float64), upper.astype(np.float64)
