"""Reports: what was found, rendered for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

from verify.report.as_json import load
from verify.report.changes import since
from verify.report.errors import BadReport, ForeignFile, UnwritableFolder
from verify.report.files import FORMATS, paths, render, write
from verify.report.generated import refuse_foreign
from verify.report.model import SCHEMA, Change, Report, RowRung

__all__ = [
    "FORMATS",
    "SCHEMA",
    "BadReport",
    "Change",
    "ForeignFile",
    "Report",
    "RowRung",
    "UnwritableFolder",
    "load",
    "paths",
    "refuse_foreign",
    "render",
    "since",
    "write",
]
