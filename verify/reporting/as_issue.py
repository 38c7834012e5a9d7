"""Failing cases as Markdown, ready to paste into an issue tracker: one text for each cause.

It stands for itself: what, a script that shows it without symtape, where, by how much, how to run
it again, and with which versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from verify.model.result import PointOutcome, Result
from verify.reporting import tables, wording
from verify.reporting.explain import kind_lines
from verify.reporting.generated import COMMENT
from verify.reporting.model import Report
from verify.reporting.tables import block, code, table

_MOST_LINES: Final = 40
_NUMBERS: Final = 8
"""Longer functions are not quoted."""

_INSTALLED: Final = re.compile(r"[^\s`'\"(]*/(?:site|dist)-packages/")
"""Where a package lies on this machine, which is nobody's business."""


def parts(report: Report) -> Iterator[str]:
    """The texts to post, one under the other, each with a title; the gravest first."""
    groups = group_by_cause(report.cases_by_gravity)
    for group in groups:
        yield _INSTALLED.sub("", _post(group, report.versions)) + "\n\n"
    yield f"{'' if groups else 'There is nothing to report.'}\n{COMMENT}\n".lstrip()


def _post(group: Sequence[Result], versions: Mapping[str, str]) -> str:
    case, *others = group
    what, _, _ = (case.title or case.id).partition("; ")
    lines = [f"# {code(what)} is {case.verdict.value.lower()}", issue(case, versions)]
    if others:
        lines.append("The same code, or line, is at fault in:")
        lines.append("\n".join(f"- {code(it.id)}: {code(it.message, 200)}" for it in others))
    return "\n\n".join(lines)


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
    yield from _remedies(case, reproducing=True)
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
    yield from _remedies(case, reproducing=False)
    if case.replay:
        yield block(case.replay)
    if versions:
        yield code(", ".join(f"{name} {value}" for name, value in versions.items()), 400)


def _remedies(case: Result, reproducing: bool) -> Iterator[str]:
    for remedy in case.remedies:
        if remedy.kind == "upstream" and not reproducing:
            yield f"{wording.remedy(remedy)}: {remedy.line}"  # a link, which a block is not
        elif (remedy.kind == "reproduce") == reproducing:
            yield f"{wording.remedy(remedy)}:"
            yield block(f"{remedy.line}  # {remedy.origin}" if remedy.origin else remedy.line)


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


def group_by_cause(cases: Iterable[Result]) -> list[tuple[Result, ...]]:
    """The cases that fail, those of one cause together, in the order of the first of each.

    The cause is the line at fault, where one is known, or else the code of the claim, which many
    classes may inherit.
    """
    groups: dict[str, list[Result]] = {}
    for case in cases:
        if case.fails:
            line = case.worst.origin if case.worst is not None else None
            claim = case.claim.place if case.claim is not None else case.id
            groups.setdefault(line or claim, []).append(case)
    return [tuple(group) for group in groups.values()]


def first_of_cause(cases: Iterable[Result]) -> Callable[[Result], Result | None]:
    """What tells the first case of the cause of each case; None of those that are the first."""
    groups = group_by_cause(cases)
    first = {id(case): group[0] for group in groups for case in group[1:]}
    return lambda case: first.get(id(case))
