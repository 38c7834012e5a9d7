"""Regions: where the arguments of a function may lie, and which points there are worth a look."""

from verify.regions.box import box, integers, positive
from verify.regions.broadcasting import broadcasting
from verify.regions.conditions import Restricted
from verify.regions.matrices import positive_definite, symmetric
from verify.regions.parsing import arity, as_region, parse
from verify.regions.rectangle import Rectangle, rectangle
from verify.regions.region import Region
from verify.regions.simplex import simplex
from verify.regions.space import Space
from verify.regions.subset import Subset, product

__all__ = [
    "Rectangle",
    "Region",
    "Restricted",
    "Space",
    "Subset",
    "arity",
    "as_region",
    "box",
    "broadcasting",
    "integers",
    "parse",
    "positive",
    "positive_definite",
    "product",
    "rectangle",
    "simplex",
    "symmetric",
]
