"""A progress bar on the standard error, where somebody sits before a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from verify.model.result import Result


@contextlib.contextmanager
def progress(total: int) -> Iterator[tuple[Callable[[int], None], Callable[[Result], None]]]:
    """Show how many of `total` cases are done.

    Yields what to call with the number that are to be verified, and what with each that is. Where
    the standard error is no terminal nothing is shown.
    """
    if not sys.stderr.isatty():
        yield lambda missing: None, lambda case: None
        return
    with _bar("verifying") as bar:
        task = bar.add_task("cases", total=total, last="")

        def start(missing: int) -> None:
            bar.update(task, completed=total - missing)

        def report_case(case: Result) -> None:
            bar.update(task, advance=1, last=f"{case.verdict.value} {case.id}")
            if case.verdict.fails:
                bar.console.print(f"{case.verdict.value} {case.id}", markup=False, highlight=False)

        yield start, report_case


@contextlib.contextmanager
def ticks(doing: str) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """Show how many things are done.

    Yields what to call with the number of things, and what with the name of each.
    """
    if not sys.stderr.isatty():
        yield lambda total: None, lambda name: None
        return
    with _bar(doing) as bar:
        task = bar.add_task("things", total=None, last="")
        yield (
            lambda total: bar.update(task, total=total),
            lambda name: bar.update(task, advance=1, last=name),
        )


def _bar(doing: str) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn(
            "{task.fields[last]}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis"),
        ),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
