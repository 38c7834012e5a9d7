"""What a result shows of itself, as ``verify.model.rendering`` asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from symtape.one_line import clip_line
from verify.files import places
from verify.judging.diagnosis.stated import describe_both
from verify.model.outcome import PointOutcome
from verify.model.result import Result
from verify.reporting import wording
from verify.reporting.explain import explanation
from verify.reporting.reported import add_explanations
from verify.reporting.reported import prepare_report as prepare_report


def render_html(result: Result) -> str:
    """The case as a report's page shows it, for notebooks."""
    from verify.reporting.of_results import frame_case

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


_NUMBERS: Final = 3
"""Entries of an argument that are shown."""


def render_one_line(case: Result) -> str:
    """The verdict, of what, where, and the point that fared worst.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.gradient(np.sin, at=[0.5], claimed=lambda x: -np.cos(x))
    <Result WRONG: gradient of sin at x = 0.5; the gradient is -0.8775826; the exact value is \
0.8775826>
    >>> verify.gradient(np.sin, over=[0, 1])  # doctest: +ELLIPSIS
    <Result CORRECT: gradient of sin over x in [0, 1]; proved on the whole region; ...>
    """
    head = f"<Result {case.verdict.value}: {case.quantity} of {case.id}"
    worst = case.worst
    if not case.fails or worst is None:
        region = f" over {case.coverage.region}" if case.coverage else _format_place(worst)
        said = case.basis if bool(case) else case.message.partition("\n")[0]
        return clip_line(f"{head}{region}{f'; {said}' if said else ''}>", ">")
    line = f", {places.relative(worst.origin)}" if worst.origin else ""
    return clip_line(
        f"{head}{_format_place(worst)}{line}; {_describe_error(worst, case.quantity)}>", ">"
    )


def render_point_line(point: PointOutcome) -> str:
    """The verdict, where, and the numbers.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.gradient(np.sin, at=[0.5], claimed=lambda x: -np.cos(x)).witness
    <PointOutcome WRONG at x = 0.5; the derivative is -0.8775826; the exact value is 0.8775826>
    """
    found = _describe_error(point, "derivative")
    said = f"; {found}" if found else ""
    return clip_line(f"<PointOutcome {point.verdict.value}{_format_place(point)}{said}>", ">")


def _format_place(point: PointOutcome | None) -> str:
    inputs = () if point is None else point.inputs
    return f" at {', '.join(wording.input_line(it, _NUMBERS) for it in inputs)}" if inputs else ""


def _describe_error(point: PointOutcome, quantity: str) -> str:
    worst = point.worst
    if worst is None or not point.verdict.fails:
        return point.message.partition("\n")[0] or wording.error(point)
    return describe_both(quantity, worst, point.wrt)
