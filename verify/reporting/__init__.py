"""Reports: what was found, rendered for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

from verify.model.change import Change
from verify.reporting.as_json import load
from verify.reporting.changes import add_changes
from verify.reporting.errors import BadReport, ForeignFile, UnwritableFolder
from verify.reporting.files import FORMATS, parts, paths, render, write
from verify.reporting.generated import refuse_foreign
from verify.reporting.model import SCHEMA, NotJudged, Report, RowRung

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
    "add_changes",
    "load",
    "parts",
    "paths",
    "refuse_foreign",
    "render",
    "write",
]
