"""Hypothesis strategies: points, shapes, arrays, matrices and programs worth differentiating at.

Hypothesis is imported here and nowhere else in the package.
"""

from __future__ import annotations

from symtape.process.extras import load

try:
    import hypothesis as _hypothesis  # noqa: F401 -- to say early, and in words, that it is missing
except ImportError:
    load("hypothesis", "verify.strategies")
    raise

from verify.strategies.arrays import dyadics as dyadics
from verify.strategies.arrays import kink_safe as kink_safe
from verify.strategies.arrays import with_ties as with_ties
from verify.strategies.matrices import matrices as matrices
from verify.strategies.programs import Program as Program
from verify.strategies.programs import programs as programs
from verify.strategies.regions import points as points
from verify.strategies.shapes import axes as axes
from verify.strategies.shapes import indices as indices
from verify.strategies.shapes import integer_indices as integer_indices
from verify.strategies.shapes import shapes as shapes

__all__ = [
    "Program",
    "axes",
    "dyadics",
    "indices",
    "integer_indices",
    "kink_safe",
    "matrices",
    "points",
    "programs",
    "shapes",
    "with_ties",
]
