"""Reports: one model, and its renderings for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

from verify.report.accuracy import Accuracy
from verify.report.changes import Change, since
from verify.report.errors import BadReport, UnwritableFolder
from verify.report.figures import HeatMap, Lines, Plot, Scatter, Series
from verify.report.files import FORMATS, load, render, write
from verify.report.model import (
    SCHEMA,
    Case,
    ClosedForm,
    Coverage,
    Enclosure,
    Float,
    Input,
    Kink,
    Located,
    Point,
    Report,
    RowRung,
    Slope,
    Source,
)

__all__ = [
    "FORMATS",
    "SCHEMA",
    "Accuracy",
    "BadReport",
    "Case",
    "Change",
    "ClosedForm",
    "Coverage",
    "Enclosure",
    "Float",
    "HeatMap",
    "Input",
    "Kink",
    "Lines",
    "Located",
    "Plot",
    "Point",
    "Report",
    "RowRung",
    "Scatter",
    "Series",
    "Slope",
    "Source",
    "UnwritableFolder",
    "load",
    "render",
    "since",
    "write",
]
