"""Regions: where the arguments of a function may lie, and which points there are worth a look."""

from verify.regions.box import box, integers, positive
from verify.regions.broadcasting import broadcasting
from verify.regions.matrices import positive_definite, symmetric
from verify.regions.reading import parse
from verify.regions.region import Region
from verify.regions.simplex import simplex
from verify.regions.space import Space
from verify.regions.specs import as_region

__all__ = [
    "Region",
    "Space",
    "as_region",
    "box",
    "broadcasting",
    "integers",
    "parse",
    "positive",
    "positive_definite",
    "simplex",
    "symmetric",
]
