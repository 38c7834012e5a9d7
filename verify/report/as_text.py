"""The terminal's rendering: counts, a table, and what failed."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Final, TextIO

from verify.report import wording
from verify.report.changes import change_words, changes_words
from verify.report.explain import at_kink, facts, searched, surveyed
from verify.report.legible import legible, one_line
from verify.report.model import Case, Report
from verify.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["render", "show"]

_STYLES: Final = {
    Verdict.CORRECT: "green",
    Verdict.KINK: "cyan",
    Verdict.OUTSIDE: "bright_black",
    Verdict.UNDECIDED: "yellow",
    Verdict.INACCURATE: "bold magenta",
    Verdict.WRONG: "bold red",
}
_LONG: Final = 40
"""More cases than this are not listed on a terminal when they are correct."""
_WIDE: Final = 96
"""Columns from which there is room for the evidence."""


def render(report: Report, width: int = 100) -> str:
    """The report as plain text, without colours, `width` columns wide."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False
    )
    _print(report, console, every=True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def show(report: Report, file: TextIO | None = None, every: bool = False) -> None:
    """Print the report, in colour where `file` is a terminal and NO_COLOR is not set.

    Parameters
    ----------
    report : Report
    file : text file, optional
        The standard output by default.
    every : bool
        List every case even when there are many and they are correct.
    """
    from rich.console import Console

    console = Console(file=file or sys.stdout)
    _print(report, console, every)


def _print(report: Report, console: Console, every: bool) -> None:
    for part in _parts(report, every, evidence=console.width >= _WIDE):
        console.print(part, markup=False, highlight=False, emoji=False)


def _parts(report: Report, every: bool, evidence: bool) -> list[RenderableType]:
    from rich.text import Text

    parts: list[RenderableType] = [_head(report)]
    cases = report.cases
    if len(cases) > _LONG and not every:
        cases = tuple(case for case in cases if case.verdict is not Verdict.CORRECT)
    if cases:
        parts += [Text(), _table(cases, evidence)]
    for case in report.by_gravity:
        if case.verdict is not Verdict.CORRECT:
            parts += [Text(), _explained(case)]
    if report.baseline:
        parts += [Text(), Text(one_line(changes_words(report)), style="bold")]
        for name, words in change_words(report.changes[:_LONG]):
            parts.append(Text(f"  {one_line(name)}  {words}"))
    if report.interrupted:
        note = "Interrupted: only the cases that were done are here."
        parts += [Text(), Text(note, style="bold yellow")]
    if report.selftest:
        parts += [Text(), Text(one_line(f"selftest: {report.selftest}", 200), style="dim")]
    known = " · ".join(f"{name} {value}" for name, value in wording.environment(report))
    return [*parts, Text(), Text(one_line(known), style="dim")]


def _head(report: Report) -> Text:
    from rich.text import Text

    text = Text(wording.headline(report), style="bold")
    text.append("\n")
    for verdict, count in report.counts.items():
        if count:
            text.append(f"{wording.GLYPHS[verdict]} {count:,} {verdict.value}", _STYLES[verdict])
            text.append("   ")
    text.rstrip()
    return text


def _table(cases: tuple[Case, ...], evidence: bool) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold")
    table.add_column("verdict", no_wrap=True)
    longest = max(len(one_line(case.id)) for case in cases)
    table.add_column("case", overflow="fold", min_width=min(longest, 32))
    table.add_column("quantity", no_wrap=True)
    table.add_column("ulps", justify="right", no_wrap=True)
    if evidence:
        table.add_column("evidence", overflow="fold")
    table.add_column("time", justify="right", no_wrap=True)
    for case in cases:
        table.add_row(*_row(case, evidence))
    return table


def _row(case: Case, evidence: bool) -> list[Text]:
    from rich.text import Text

    mark = f"{wording.GLYPHS[case.verdict]} {case.verdict.value}"
    cells = [
        one_line(case.id, 200),
        one_line(case.quantity, 20),
        wording.ulps(case.ulps),
        *([one_line(case.evidence, 200)] if evidence else []),
        wording.time(case.seconds),
    ]
    return [Text(mark, _STYLES[case.verdict]), *(Text(cell) for cell in cells)]


def _explained(case: Case) -> Text:
    from rich.text import Text

    text = Text(f"{wording.GLYPHS[case.verdict]} {case.verdict.value}", _STYLES[case.verdict])
    text.append(f"  {one_line(case.quantity)} of ", "not bold default")
    text.append(one_line(case.id), "bold default")
    text.append(f", claimed by {one_line(case.claimant)}", "not bold default")
    point = case.worst
    for message in dict.fromkeys([case.message, point.message if point else ""]):
        for line in legible(message).strip().splitlines():
            text.append(f"\n  {line}", "not bold default")
    known = facts(case, point) if point else []
    known += at_kink(case, point) if point else []
    known += searched(case)
    known += [("where", it.text) for it in case.path[:8]]
    known += [("escape", f"{it.text} {it.origin}".strip()) for it in case.escapes[:8]]
    for label, value in [*known, ("replay", case.replay)]:
        for at, line in enumerate(legible(value).splitlines()):
            text.append(f"\n  {label if at == 0 else '':10} ", "not bold dim")
            text.append(line, "bold default" if label == "replay" else "not bold default")
    for line in surveyed(case):
        text.append(f"\n  {line}".rstrip(" "), "not bold default")
    return text
