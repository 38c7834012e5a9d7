"""Regions: where the arguments of a function may lie, and which points there are worth a look."""

from verify.regions.box import box as box
from verify.regions.box import integers as integers
from verify.regions.box import positive as positive
from verify.regions.broadcasting import broadcasting as broadcasting
from verify.regions.conditions import Restricted as Restricted
from verify.regions.matrices import positive_definite as positive_definite
from verify.regions.matrices import symmetric as symmetric
from verify.regions.parsing import parse as parse
from verify.regions.product import product as product
from verify.regions.rectangle import Rectangle as Rectangle
from verify.regions.rectangle import rectangle as rectangle
from verify.regions.region import Region as Region
from verify.regions.simplex import simplex as simplex
from verify.regions.space import Space as Space
from verify.regions.specs import arity as arity
from verify.regions.specs import as_region as as_region
from verify.regions.subset import Subset as Subset

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
