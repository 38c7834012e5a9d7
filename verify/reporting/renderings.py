"""What a result shows of itself, as ``verify.model.rendering`` asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from verify.model.result import PointOutcome, Result
from verify.reporting import in_one_line as one_line
from verify.reporting.explain import explanation
from verify.reporting.reported import explained, reported

__all__ = [
    "in_brief",
    "in_full",
    "in_html",
    "in_json",
    "in_one_line",
    "plot",
    "point_in_one_line",
    "reported",
    "save",
]


def in_one_line(result: Result) -> str:
    """The verdict, of what, where, and the worst point."""
    return one_line.of_result(result)


def point_in_one_line(point: PointOutcome) -> str:
    """The verdict, where, and the numbers."""
    return one_line.of_point(point)


def in_html(result: Result) -> str:
    """The case as a report's page shows it, for notebooks."""
    from verify.reporting.as_notebook import framed

    return framed(result)


def save(results: Iterable[Result], path: str | Path, title: str) -> Path:
    """Write a report of results, in the format that the ending of `path` names."""
    from verify.reporting.of_results import report

    return report(results, path, title)


def plot(result: Result) -> Any:
    """A figure of the error: over the region, or of the entries at the worst point."""
    from verify.reporting.error_figure import figure

    return figure(result)


def in_brief(result: Result) -> str:
    """What there is to say in about ten lines."""
    return explanation(explained(result), more="print(result.explain())")


def in_full(result: Result) -> str:
    """Everything there is to say."""
    return explanation(explained(result))


def in_json(result: Result) -> str:
    """The case as JSON, in the schema of the reports."""
    from verify.reporting.codec import encode  # slow to import, and words need it not

    return json.dumps(encode(reported(result)), indent=2)
