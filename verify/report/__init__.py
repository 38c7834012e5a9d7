"""Reports: what was found, rendered for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from verify.model.change import Change
from verify.model.result import Result
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


class _Callable(ModuleType):
    """Lets ``verify.report(results, path)`` be written, whose name is this package's."""

    def __call__(
        self, results: Iterable[Result], path: str | Path, title: str = "Verification"
    ) -> Path:
        """Write one report of `results`; see ``verify.report.of_results.report``."""
        from verify.report.of_results import report

        return report(results, path, title)


sys.modules[__name__].__class__ = _Callable
