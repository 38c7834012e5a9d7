"""The rules of libraries as tables for the documents: what is proved, and how exact floats are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from release.overview import library_of
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.rules.linear_algebra import ARRAY_FUNCTIONS
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import Report, tables
from verify.reporting.tables import table
from verify.reporting.wording import quantity

START, END = "<!-- rules -->", "<!-- end of rules -->"
_WORDS: Final = {
    Verdict.CORRECT: "proved",
    Verdict.WRONG: "**refuted**",
    Verdict.INACCURATE: "approximation",
    Verdict.UNDECIDED: "not decided",
}
_COUNTED: Final = (
    "Library",
    "Proved",
    "Refuted",
    "Approximations",
    "Not decided",
    "Without a derivative",
    "Seconds",
)
_LONGEST: Final = 120
_FORMAT: Final = "float64"


def tabulate_rules(rules: Sequence[Report], audits: Sequence[Report]) -> str:
    """What became of each rule, with the largest measured error, as Markdown.

    Examples
    --------
    >>> print(tabulate_rules([], []).splitlines()[0])
    | Library | Proved | Refuted | Approximations | Not decided | Without a derivative | Seconds |
    """
    parts = [_counts(rules), *(_details(report) for report in rules)]
    if rules:
        parts.insert(1, _by_function(rules, _measured(audits)))
    return "\n\n".join(parts)


def _counts(rules: Sequence[Report]) -> str:
    rows = tuple(
        (
            library_of(it),
            *(str(it.counts[verdict]) for verdict in _WORDS),
            str(len(it.not_judged)),
            f"{sum(case.seconds for case in it.cases):.0f}",
        )
        for it in rules
    )
    return table(tables.Table(_COUNTED, rows, (False, *(True for _ in _COUNTED[1:]))))


def _measured(audits: Iterable[Report]) -> Mapping[str, str]:
    """The largest error of first derivatives in float64, by library and function."""
    found: dict[str, list[float]] = {}
    for audit in audits:
        for case in audit.cases:
            name, _, form = case.id.split(" ")
            if case.quantity == "gradient" and form == _FORMAT:
                ulps = [it.ulps for it in case.points if case.fails and it.ulps is not None]
                found.setdefault(name, []).extend(math.inf if math.isnan(it) else it for it in ulps)
    return {name: quantity(max(ulps)) if ulps else "right" for name, ulps in found.items()}


def _by_function(rules: Sequence[Report], ulps: Mapping[str, str]) -> str:
    """A row for each function, with two columns for each library."""
    every = {case.id: case for report in rules for case in report.cases}
    order = [*FUNCTIONS, *ARRAY_FUNCTIONS]
    names = sorted(
        {name.partition(":")[2].removesuffix(" rule") for name in every},
        key=lambda name: (order.index(name.partition("-")[0]), name),
    )
    libraries = {library_of(report): report.cases[0].suite for report in rules}
    heads = ["Function", *(head for name in libraries for head in (name, "ulps"))]
    rows = []
    for name in names:
        row = [f"`{name}`"]
        for library in libraries.values():
            case = every.get(f"{library}:{name} rule")
            row += [_tell(case), ulps.get(f"{library}:{name}", "")]
        rows.append(tuple(row))
    return table(
        tables.Table(tuple(heads), tuple(rows), tuple(k % 2 == 0 < k for k in range(len(heads))))
    )


def _tell(case: Result | None) -> str:
    """A cell: what became of a rule, and where it is refuted."""
    if case is None:
        return "–"
    words = _WORDS[case.verdict]
    if case.points:
        return f"{words} at {_describe_point(case)}"
    if case.verdict is Verdict.CORRECT and " that points take" in case.message:
        return f"{words} by paths"
    return words


def _describe_point(case: Result) -> str:
    return ", ".join(f"{it.name} = {it.values[0]:g}" for it in case.points[0].inputs)


def _details(report: Report) -> str:
    """What is refuted, and why nothing is known of the others."""
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    lines = [
        f"**{library_of(report)}** ({versions}; {report.created[:10]}; `{report.replay}`):",
        "",
    ]
    for verdict in (Verdict.WRONG, Verdict.INACCURATE):
        lines += [
            f"- `{_name(case)}`, {_WORDS[verdict].strip('*')} at {_describe_point(case)}: "
            f"{_shorten(case.message)}."
            for case in report.cases
            if case.verdict is verdict
        ]
    reasons: dict[str, list[str]] = {}
    for case in report.cases:
        if case.verdict is Verdict.UNDECIDED:
            reasons.setdefault(_shorten(case.message), []).append(f"`{_name(case)}`")
    lines += [f"- not decided, {', '.join(names)}: {why}." for why, names in reasons.items()]
    lacking = [f"`{_name(it)}`" for it in report.not_judged]
    lines += [f"- without a derivative: {', '.join(lacking)}."] if lacking else []
    return "\n".join(lines)


def _name(case: object) -> str:
    return str(getattr(case, "id", "")).partition(":")[2].removesuffix(" rule")


def _shorten(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rpartition(' ')[0]} …"
