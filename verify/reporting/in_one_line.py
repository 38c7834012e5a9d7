"""A result, or what was found at a point, on one line: for prompts and debuggers."""

from __future__ import annotations

from typing import Final

from symtape.one_line import clip_line
from verify.files import places
from verify.judging.diagnosis.stated import describe_both
from verify.model.outcome import PointOutcome
from verify.model.result import Result
from verify.reporting import wording

_NUMBERS: Final = 3
"""Entries of an argument that are shown."""


def summarise_result(case: Result) -> str:
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


def summarise_point(point: PointOutcome) -> str:
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
