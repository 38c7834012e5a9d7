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

from verify.strategies.arrays import dyadics, kink_safe, with_ties
from verify.strategies.matrices import matrices
from verify.strategies.programs import Program, programs
from verify.strategies.regions import points
from verify.strategies.shapes import axes, indices, integer_indices, shapes

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
