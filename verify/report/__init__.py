"""Reports: one model, and its renderings for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

from verify.model.figures import HeatMap, Lines, Plot, Scatter, Series
from verify.report.accuracy import Accuracy
from verify.report.changes import since
from verify.report.errors import BadReport, ForeignFile, UnwritableFolder
from verify.report.files import FORMATS, load, paths, render, write
from verify.report.generated import refuse_foreign
from verify.report.model import (
    SCHEMA,
    Case,
    Change,
    ClosedForm,
    Coverage,
    Enclosure,
    Float,
    Input,
    KinkFacts,
    Located,
    PointOutcome,
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
    "ForeignFile",
    "HeatMap",
    "Input",
    "KinkFacts",
    "Lines",
    "Located",
    "Plot",
    "PointOutcome",
    "Report",
    "RowRung",
    "Scatter",
    "Series",
    "Slope",
    "Source",
    "UnwritableFolder",
    "load",
    "paths",
    "refuse_foreign",
    "render",
    "since",
    "write",
]
