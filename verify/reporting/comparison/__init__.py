"""Comparisons of runs over time: what became of each case, over any number of saved reports.

Builds on the one notion of change in ``verify.model.change``; renders, and judges nothing.
"""

from __future__ import annotations

from verify.reporting.comparison.compare import compare as compare
from verify.reporting.comparison.model import SCHEMA as SCHEMA
from verify.reporting.comparison.model import Comparison as Comparison
from verify.reporting.comparison.writing import FORMATS as FORMATS
from verify.reporting.comparison.writing import paths as paths
from verify.reporting.comparison.writing import render as render
from verify.reporting.comparison.writing import write as write
