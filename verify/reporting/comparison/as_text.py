"""The terminal's rendering: what differs, a table of what changed, and at the end the counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TextIO

from verify.model.change import Kind
from verify.reporting import wording
from verify.reporting.as_text import console_of, mark, printed, put
from verify.reporting.comparison import words
from verify.reporting.comparison.model import Comparison, Row
from verify.reporting.legible import one_line

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_MOST: Final = 40
"""Rows on a terminal, unless every one is asked for."""

_LISTED: Final = 10
_RENAMED: Final = "Perhaps renamed (they count as gone and as new):"
_LONGEST, _SHORTEST = 48, 16
"""Columns of an id that are not broken, where there is room and where there is none."""

_OF_KIND, _OF_VERDICT = 13, 12
_WIDTHS: Final = {"ulps": 18, "evidence": 22, "since": 14}
"""Columns that most words of a kind take."""

_KINDS: Final = {
    Kind.WORSE: "bold red",
    Kind.NEW: "cyan",
    Kind.CHANGED: "yellow",
    Kind.GONE: "bright_black",
    Kind.FIXED: "green",
}


def render(found: Comparison) -> str:
    """The comparison as plain text: every case that changed, no line broken."""
    return printed(lambda out: show(found, out, every=True))


def show(found: Comparison, file: TextIO | None = None, every: bool = False) -> None:
    """Print the comparison, in colour where `file` is a terminal and NO_COLOR is not set.

    Of many changed cases some are left out, unless `every` one is asked for.
    """
    from rich.text import Text

    console = console_of(file)
    put(console, Text(one_line(words.title(found)), style="bold"))
    for line in _describe_runs(found):
        put(console, Text(line, style="dim"))
    changed = found.changed
    shown = changed if every else changed[:_MOST]
    if shown:
        console.print(_table(found, shown, console.width))
    if len(changed) > len(shown):
        put(console, Text(f"and {len(changed) - len(shown):,} more; -v shows them\n", style="dim"))
    renamed = [f"{it.before} → {it.after}  ({it.reason})" for it in found.renames]
    failing = [row.change.id for row in found.failing_still]
    for title, lines in (("Still failing:", failing), (_RENAMED, renamed)):
        for text in _list(title, lines, every):
            put(console, text)
    put(console, Text(words.headline(found), style="bold"))
    if said := words.counts(found):
        put(console, Text(said))


def _describe_runs(found: Comparison) -> Iterator[str]:
    width = max(len(one_line(run.name)) for run in found.runs)
    for run in found.runs:
        count = wording.count_noun(run.cases, "case")
        cut = " · interrupted" if run.interrupted else ""
        name = one_line(run.name).ljust(width)
        yield f"  {name}  {count}{cut} · created {one_line(run.created)}"
    if found.differences:
        yield "The runs differ in:"
        names = max(len(it.name) for it in found.differences)
        for it in found.differences:
            yield f"  {one_line(it.name).ljust(names)}  {one_line(' → '.join(it.values))}"


def _table(found: Comparison, rows: list[Row], width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    ends = sum(_width_of(run.name) for run in (found.runs[0], found.runs[-1]))
    most = max(min(_LONGEST, width - _OF_KIND - ends), _SHORTEST)
    longest = min(max(len(one_line(row.change.id)) for row in rows), most)
    shown = _columns(found, width - longest)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold")
    table.add_column("", no_wrap=True)
    table.add_column("case", overflow="fold", min_width=longest)
    for name in shown:
        numbers = name == "ulps"
        table.add_column(one_line(name), overflow="fold", justify="right" if numbers else "left")
    for row in rows:
        style = "bold red" if row.change.is_worse else _KINDS.get(row.change.kind, "")
        cells = _cells(row, found)
        first = [Text(row.change.kind.value, style), Text(one_line(row.change.id, 200))]
        table.add_row(*first, *(cells[name] for name in shown))
    return table


def _columns(found: Comparison, room: int) -> list[str]:
    """What there is room for beside the case: runs first, of which the ends matter most."""
    runs = [run.name for run in found.runs]
    most_wanted = [runs[0], runs[-1], "ulps", *(["since"] if len(runs) > 2 else []), "evidence"]
    room -= _OF_KIND
    kept: set[str] = set()
    for name in [*most_wanted, *runs[-2:0:-1]]:
        wide = _width_of(name)
        if wide <= room or len(kept) < 2:
            kept.add(name)
            room -= wide
    return [name for name in [*runs, "evidence", "ulps", "since"] if name in kept]


def _width_of(name: str) -> int:
    return max(len(one_line(name)), _WIDTHS.get(name, _OF_VERDICT)) + 3


def _cells(row: Row, found: Comparison) -> dict[str, Text]:
    from rich.text import Text

    summaries = zip(found.runs, row.summaries, strict=True)
    verdicts = {run.name: Text("–") if it is None else mark(it.verdict) for run, it in summaries}
    said = {"evidence": words.evidence(row.change), "ulps": words.error(row.change)}
    said["since"] = one_line(row.since)
    return verdicts | {name: Text(text) for name, text in said.items()}


def _list(title: str, lines: list[str], every: bool) -> Iterator[Text]:
    from rich.text import Text

    shown = lines if every else lines[:_LISTED]
    if shown:
        yield Text(title, style="bold")
    for line in shown:
        yield Text(f"  {one_line(line)}")
    if len(lines) > len(shown):
        yield Text(f"  and {len(lines) - len(shown):,} more; -v shows them")
