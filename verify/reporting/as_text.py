"""The terminal's rendering: a table, what is not correct, and at the end the counts."""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TextIO

from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import wording
from verify.reporting.changes import change_words, changes_words
from verify.reporting.explain import WIDTH, Told, explain_in_brief, explain_in_full, left_out
from verify.reporting.legible import legible, one_line
from verify.reporting.model import Report

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

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
_REASONS: Final = 20
"""Of what was not judged, shown where nothing was."""
_WIDE: Final = 96
"""Columns from which there is room for the evidence."""
_UNBOUNDED: Final = 100_000
"""Columns of a file, of which no line is broken."""
_NARROWEST: Final = 30
_MARK: Final = 14
"""Columns of a verdict with its sign, and of the space behind it."""
_LABEL: Final = 13
"""Columns before the text that has a label."""
_PASTED: Final = ("at", "line", "where", "escape", "replay", "sides", "rule out", "fix")
"""Labels of text that stays on its line, to be pasted or because it is a table."""


def parts(report: Report) -> Iterator[str]:
    """The report as plain text: every case, everything there is to say, no line broken."""
    yield printed(lambda out: show(report, out, every=True, verbose=True))
    yield printed(lambda out: conclude(report, out))


def printed(write: Callable[[TextIO], None]) -> str:
    """What is printed into a file, without blanks at the ends of lines."""
    out = io.StringIO()
    write(out)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def show(
    report: Report, file: TextIO | None = None, every: bool = False, verbose: bool = False
) -> None:
    """Print the cases, in colour where `file` is a terminal and NO_COLOR is not set.

    Correct ones of many are left out, unless `every` case is asked for.
    """
    console = console_of(file)
    cases = report.cases
    if len(cases) > _LONG and not every:
        cases = tuple(it for it in cases if it.verdict is not Verdict.CORRECT or it.notes)
    if cases:
        console.print(_table(cases, evidence=console.width >= _WIDE))
    for case in report.cases_by_gravity:
        if case.verdict is not Verdict.CORRECT or case.notes or verbose:
            put(console, _explain_case(case, verbose, _width(console)).append("\n"))
    for text in _notes(report):
        wrap(console, text.append("\n"))


def conclude(report: Report, file: TextIO | None = None) -> None:
    """Print the names of the cases that do not pass, and how many there are of each verdict."""
    from rich.text import Text

    console = console_of(file)
    failing = [case for case in report.cases_by_gravity if case.verdict in wording.NOT_PASSING]
    if len(report.cases) > 1:
        for case in failing:
            line = mark(case.verdict)
            line.pad_right(_MARK - len(line))
            put(console, line.append(one_line(case.id), "not bold default"))
    text = Text(wording.headline(report), style="bold")
    if said := wording.extent(report):
        text.append(f" {said}", "not bold")
    text.append("\n" if report.cases else "")
    for verdict, count in report.counts.items():
        if count:
            text.append(f"{wording.GLYPHS[verdict]} {count:,} {verdict.value}", _STYLES[verdict])
            text.append("   ")
    text.append(wording.count_notes(report), "yellow")
    text.rstrip()
    wrap(console, text)


def console_of(file: TextIO | None) -> Console:
    """Where text is printed: as wide as the terminal, and without bounds into a file."""
    from rich.console import Console

    file = file or sys.stdout
    return Console(file=file, width=None if file.isatty() else _UNBOUNDED, legacy_windows=False)


def _width(console: Console) -> int:
    return console.width if console.width < _UNBOUNDED else 0


def put(console: Console, text: Text) -> None:
    """Print without breaking a line."""
    console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)


def wrap(console: Console, text: Text) -> None:
    """Print with lines broken between words where the terminal ends."""
    console.print(text, markup=False, highlight=False, emoji=False)


def _notes(report: Report) -> Iterator[Text]:
    """What there is to say of the run as a whole."""
    from rich.text import Text

    if report.baseline:
        text = Text(one_line(changes_words(report)), style="bold")
        for name, words in change_words(report.changes[:_LONG]):
            text.append(f"\n  {one_line(name)}  {words}", "not bold")
        yield text
    if report.interrupted:
        yield Text("Interrupted: only the cases that were done are here.", style="bold yellow")
    left = () if report.cases else report.not_judged[:_REASONS]
    for said, rows in (
        (wording.suspects(report), [(it.id, it.suspect) for it in report.cases if it.suspect]),
        (wording.not_judged(report), [(it.id, it.reason) for it in left]),
    ):
        text = Text(one_line(said), style="bold")
        for name, words in rows:
            text.append(f"\n  {one_line(name)}  {one_line(words)}", "not bold")
        if said:
            yield text
    facts = [f"self-test {report.selftest}"] if report.selftest else []
    facts.append(" · ".join(f"{name} {value}" for name, value in wording.environment(report)))
    yield Text("\n".join(one_line(fact) for fact in facts), style="dim")


def _table(cases: tuple[Result, ...], evidence: bool) -> Table:
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


def _row(case: Result, evidence: bool) -> list[Text]:
    from rich.text import Text

    cells = [
        one_line(case.id, 200),
        one_line(case.quantity, 20),
        wording.ulps(case.ulps),
        *([one_line(case.basis, 200)] if evidence else []),
        wording.time(case.seconds),
    ]
    return [mark(case.verdict), *(Text(cell) for cell in cells)]


def mark(verdict: Verdict) -> Text:
    """A verdict with its sign, in its colour."""
    from rich.text import Text

    return Text(f"{wording.GLYPHS[verdict]} {verdict.value}", _STYLES[verdict])


def _explain_case(case: Result, verbose: bool, width: int) -> Text:
    """A case in words, whose sentences are broken at `width` columns, if that is not 0."""
    told = explain_in_full(case, width or WIDTH) if verbose else explain_in_brief(case)
    text = mark(case.verdict)
    text.append(f"  {one_line(wording.claim(case))}", "bold default")
    for each in told:
        for label, line in _lines(*each, width):
            indent = f"  {label:10} " if each[0] else "  " if line else ""
            text.append(f"\n{indent}", "not bold dim")
            text.append(line, "bold default" if each[0] == "replay" else "not bold default")
    if more := "" if verbose else left_out(case, "-v"):
        text.append(f"\n  {more}", "not bold dim")
    return text


def _lines(label: str, text: str, width: int) -> Iterator[Told]:
    """The lines of what is told, of which the first has the label."""
    lines = legible(text).splitlines() or [""]
    if width and len(lines) == 1 and label not in _PASTED:
        room = max(width - (_LABEL if label else 2), _NARROWEST)
        lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
    for at, line in enumerate(lines):
        yield label if at == 0 else "", line


_RUNG: Final = 27


def show_rungs(report: Report, file: TextIO | None = None) -> None:
    """Print op, rung and domain of every row, and how many there are of each rung."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=file or sys.stdout)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    ops = max(len(row.op) for row in report.rungs)
    left = max(console.width - ops - _RUNG - 4, 12)
    table.add_column("operation", no_wrap=True, min_width=ops)
    table.add_column("rung", no_wrap=True, overflow="ellipsis", width=_RUNG)
    table.add_column("domain", no_wrap=True, overflow="ellipsis", width=left)
    for row in report.rungs:
        where = row.domain if not row.reason else f"{row.domain}; {row.reason}"
        style = "green" if row.rung.startswith("proved") else "cyan"
        style = style if row.rung == row.rung.lower() else "bold red"
        table.add_row(row.op, Text(row.rung, style), Text(where))
    console.print(table, markup=False, highlight=False, emoji=False)
    console.print(wording.rungs(report.rungs), markup=False, highlight=False)
