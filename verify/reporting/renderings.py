"""What a result shows of itself, as ``verify.model.rendering`` asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from verify.model.result import Result
from verify.reporting.explain import explanation
from verify.reporting.in_one_line import summarise_point, summarise_result
from verify.reporting.reported import add_explanations
from verify.reporting.reported import prepare_report as prepare_report

render_one_line = summarise_result
render_point_line = summarise_point


def render_html(result: Result) -> str:
    """The case as a report's page shows it, for notebooks."""
    from verify.reporting.as_notebook import frame_case

    return frame_case(result)


def save(results: Iterable[Result], path: str | Path, title: str) -> Path:
    """Write a report of results, in the format that the ending of `path` names."""
    from verify.reporting.of_results import report

    return report(results, path, title)


def plot(result: Result) -> Any:
    """A figure of the error: over the region, or of the entries at the worst point."""
    from verify.reporting.error_figure import figure

    return figure(result)


def render_brief(result: Result) -> str:
    """What there is to say in about ten lines."""
    return explanation(add_explanations(result), more="print(result.explain())")


def render_full(result: Result) -> str:
    """Everything there is to say."""
    return explanation(add_explanations(result))


def render_json(result: Result) -> str:
    """The case as JSON, in the schema of the reports."""
    from verify.reporting.codec import encode  # slow to import, and words need it not

    return json.dumps(encode(prepare_report(result)), indent=2)
