"""A failing case as Markdown, ready to paste into an issue tracker.

It stands for itself: what, where, by how much, how to run it again, and with which versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from verify.model.result import PointOutcome, Result
from verify.reporting import tables, wording
from verify.reporting.kinds import kind_lines
from verify.reporting.markdown import block, code, table

_MOST_LINES: Final = 40
_NUMBERS: Final = 8
"""Longer functions are not quoted."""


def issue(case: Result, versions: Mapping[str, str] | None = None) -> str:
    """A case as GitHub's Markdown.

    Examples
    --------
    >>> from verify.model.verdict import Verdict
    >>> print(issue(Result("s/f", "f", "s", "gradient", "my_grad", Verdict.WRONG)))
    **WRONG**: `gradient` of `s/f`, claimed by `my_grad`
    """
    return "\n\n".join(part for part in _parts(case, versions or {}) if part)


def _parts(case: Result, versions: Mapping[str, str]) -> Iterator[str]:
    claimant = code(wording.claimant(case), 80)
    claim = f"{code(case.quantity, 20)} of {code(case.id)}, claimed by {claimant}"
    yield f"**{case.verdict.value}**: {claim}"
    point = case.worst
    told = [case.message.strip(), point.message.strip() if point else ""]
    said = dict.fromkeys([*kind_lines(case), *told])
    if any(said):
        yield block("\n".join(text for text in said if text))
    if point:
        facts = [(label, code(value, 400)) for label, value in _facts(case, point)]
        yield table(tables.Table(("", ""), tuple(facts), (False, False)))
        if point.kink and point.kink.slopes:
            yield table(tables.kink_table(case, point), code)
    for coordinate in case.accuracy.coordinates[:2] if case.accuracy else ():
        yield f"Accuracy over {code(coordinate.name, 60)}:"
        yield table(tables.segment_table(coordinate.segments, exactly=True))
    if case.coverage:
        yield code(wording.coverage(case.coverage), 400)
    for title, source in (("The function", case.source), ("The claim", case.claim)):
        if source is not None and source.code.count("\n") <= _MOST_LINES:
            yield f"{title}, {code(source.place, 80)}:"
            yield block(source.code.rstrip())
    for remedy in case.remedies:
        yield f"{wording.remedy(remedy)}:"
        yield block(f"{remedy.line}  # {remedy.origin}" if remedy.origin else remedy.line)
    if case.replay:
        yield block(case.replay)
    if versions:
        yield code(", ".join(f"{name} {value}" for name, value in versions.items()), 400)


def _facts(case: Result, point: PointOutcome) -> Iterator[tuple[str, str]]:
    for given in point.inputs:
        yield "at", wording.input_line(given)
        yield "exactly", f"{given.name} = {wording.exactly(given, _NUMBERS)}"
    if point.claimed:
        yield "entry", wording.entry(case, point)
        yield "claimed", f"{point.claimed.decimal} = {point.claimed.hex}"
    if point.enclosure:
        yield "exact", wording.interval(point.enclosure)
    if point.ulps is not None:
        yield "error", wording.error(point)
    if point.relative_error is not None:
        yield "relative", wording.quantity(point.relative_error)
    if point.note:
        yield "severity", point.note
    if point.op or point.origin:
        yield "operation", f"{point.op} {point.origin}".strip()
    if point.power:
        yield "power", point.power
    if point.recheck:
        yield "recheck", point.recheck
