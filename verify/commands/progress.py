"""A progress bar on the standard error, where somebody sits before a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rich.progress import Progress

Start: TypeAlias = Callable[[int], None]

Tick: TypeAlias = Callable[[str, bool], None]


@contextlib.contextmanager
def progress(doing: str, total: int | None = None) -> Iterator[tuple[Start, Tick]]:
    """Show how many things are done; nothing where the standard error is no terminal.

    Yields what to call with the number that are still to be done, and what with the words for each
    that is, and with whether they stay.
    """
    if not sys.stderr.isatty():
        yield lambda missing: None, lambda words, stays: None
        return
    with _bar(doing) as bar:
        task = bar.add_task("things", total=total, last="")

        def start(missing: int) -> None:
            every = missing if total is None else total
            bar.update(task, total=every, completed=every - missing)

        def tick(words: str, stays: bool) -> None:
            bar.update(task, advance=1, last=words)
            if stays:
                bar.console.print(words, markup=False, highlight=False)

        yield start, tick


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
