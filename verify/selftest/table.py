"""The score for people: by kind of fault, by kind of claim, and what there is to look at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO

from verify.options.command_lines import command_line
from verify.reporting.as_text import printed
from verify.selftest.score import Finding, Score, Tally

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

_MOST: Final = 40
"""Findings of a kind that are shown; all of them are in the JSON."""

_FAULTS: Final = ("fault", "planted", "refuted", "equivalent", "survived", "score")
_CLAIMS: Final = ("right claims", "at points", "false alarms", "undecided", "not taken")


def table(score: Score, equivalents: bool = False, width: int = 100) -> str:
    """The score as plain text, without colours, `width` columns wide."""
    from rich.console import Console

    plain: dict[str, Any] = {"color_system": None, "force_terminal": False, "legacy_windows": False}
    return printed(lambda out: _print(score, equivalents, Console(file=out, width=width, **plain)))


def show(score: Score, equivalents: bool = False, file: TextIO | None = None) -> None:
    """Print the score, in colour where `file` is a terminal and NO_COLOR is not set."""
    from rich.console import Console

    _print(score, equivalents, Console(file=file or sys.stdout))


def _print(score: Score, equivalents: bool, console: Console) -> None:
    for part in _parts(score, equivalents):
        console.print(part, markup=False, highlight=False, emoji=False, soft_wrap=_flows(part))


def _flows(part: RenderableType) -> bool:
    """Whether a terminal may break the lines of it: an id is there to be copied."""
    from rich.text import Text

    return isinstance(part, Text)


def _parts(score: Score, equivalents: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    if score.faults:
        yield _table(_FAULTS, _rows(score.faults, "all faults", _fault_cells), bad=4)
    if score.claims:
        yield _table(_CLAIMS, _rows(score.claims, "all right claims", _claim_cells), bad=2)
    yield from _render_findings("Survivors", "bold red", score.survivors, score.seed)
    yield from _render_findings("False alarms", "bold red", score.alarms, score.seed)
    yield from _render_findings("Not judged", "bold yellow", score.not_judged, score.seed)
    if equivalents:
        yield from _render_findings("Equivalent, for this reason", "bold", score.equivalents, None)
    for words in score.skipped:
        yield Text(f"Skipped: {words}.", style="yellow")
    for note in _notes(score, equivalents):
        yield Text(note)
    yield Text(f"Selftest of symtape {score.version}: {score}", style=_style(score))
    known = " · ".join(f"{name} {version}" for name, version in score.versions.items())
    yield Text(f"{score.seconds:.1f} s" + (f" · {known}" if known else ""), style="dim")


def _style(score: Score) -> str:
    if not score.clean:
        return "bold red"
    return "bold yellow" if score.doubtful else "bold green"


def _notes(score: Score, equivalents: bool) -> Iterator[str]:
    if score.equivalents and not equivalents:
        count = len(score.equivalents)
        some = "1 change is" if count == 1 else f"{count:,} changes are"
        yield f"{some} equivalent, and no fault; --equivalents lists them with their reasons."
    if score.part < 1:
        yield "This was a sample; the full run is 'symtape selftest'."
    if score.interrupted:
        yield "Interrupted: only what was done is counted."


Cells = tuple[str, ...]


def _rows(tallies: Mapping[str, Tally], whole: str, cells: Callable[[Tally], Cells]) -> list[Cells]:
    total = sum(tallies.values(), Tally())
    return [(name, *cells(tally)) for name, tally in [*tallies.items(), (whole, total)]]


def _fault_cells(tally: Tally) -> Cells:
    real = tally.tried - tally.equivalent
    share = f"{100 * tally.caught / real:.1f} %" if real else "-"
    counts = (tally.tried, tally.caught, tally.equivalent, real - tally.caught)
    return (*(f"{count:,}" for count in counts), share)


def _claim_cells(tally: Tally) -> Cells:
    counts = (tally.tried, tally.caught, tally.undecided, tally.left_out)
    return tuple(f"{count:,}" for count in counts)


def _table(heads: Sequence[str], rows: Sequence[Cells], bad: int) -> Table:
    """A table whose last row is the sum; numbers other than 0 in column `bad` stand out."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold")
    made.add_column(heads[0], no_wrap=True, min_width=23)
    for head in heads[1:]:
        made.add_column(head, justify="right", no_wrap=True)
    for number, cells in enumerate(rows):
        last = number == len(rows) - 1
        shown = [
            Text(cell, "bold red" if at == bad and cell != "0" else "bold" if last else "")
            for at, cell in enumerate(cells)
        ]
        made.add_row(*shown, end_section=number == len(rows) - 2)
    return made


def _render_findings(
    title: str, style: str, findings: Sequence[Finding], seed: int | None
) -> Iterator[Text]:
    """Findings with how to replay each one; all of them, and only their words, without a seed."""
    from rich.text import Text

    if not findings:
        return
    yield Text(f"{title}:", style)
    shown = findings if seed is None else findings[:_MOST]
    for finding in shown:
        yield Text(f"  {finding.id}")
        yield Text(f"    {finding.words}", "dim")
        if seed is not None:
            line = command_line(["symtape", "selftest"], {"--only": finding.id, "--seed": seed})
            yield Text(f"    replay  {line}")
    if len(findings) > len(shown):
        yield Text(f"  and {len(findings) - len(shown):,} more, in the JSON")
    yield Text()
