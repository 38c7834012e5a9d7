"""Reports: one model, and its renderings for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

from verify.report.errors import BadReport, UnwritableFolder
from verify.report.figures import HeatMap, Lines, Plot, Scatter, Series
from verify.report.files import FORMATS, load, render, write
from verify.report.model import (
    SCHEMA,
    Case,
    ClosedForm,
    Enclosure,
    Float,
    Input,
    Located,
    Point,
    Report,
    Source,
)

__all__ = [
    "FORMATS",
    "SCHEMA",
    "BadReport",
    "Case",
    "ClosedForm",
    "Enclosure",
    "Float",
    "HeatMap",
    "Input",
    "Lines",
    "Located",
    "Plot",
    "Point",
    "Report",
    "Scatter",
    "Series",
    "Source",
    "UnwritableFolder",
    "load",
    "render",
    "write",
]
