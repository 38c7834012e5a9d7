"""Comparisons of runs over time: what became of each case, over any number of saved reports.

Builds on the one notion of change in ``verify.model.change``; renders, and judges nothing.
"""

from __future__ import annotations

from verify.reporting.comparison.compare import compare
from verify.reporting.comparison.model import SCHEMA, Comparison
from verify.reporting.comparison.writing import FORMATS, paths, render, write

__all__ = ["FORMATS", "SCHEMA", "Comparison", "compare", "paths", "render", "write"]
