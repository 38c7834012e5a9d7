"""Reports: what was found, rendered for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

from verify.model.change import Change
from verify.report.as_json import load
from verify.report.changes import since
from verify.report.errors import BadReport, ForeignFile, UnwritableFolder
from verify.report.files import FORMATS, parts, paths, render, write
from verify.report.generated import refuse_foreign
from verify.report.model import SCHEMA, NotJudged, Report, RowRung

__all__ = [
    "FORMATS",
    "SCHEMA",
    "BadReport",
    "Change",
    "ForeignFile",
    "NotJudged",
    "Report",
    "RowRung",
    "UnwritableFolder",
    "load",
    "parts",
    "paths",
    "refuse_foreign",
    "render",
    "since",
    "write",
]
