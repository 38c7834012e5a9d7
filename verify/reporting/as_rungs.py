"""The terminal's table of operations: how strong the evidence for each one's rules is."""

from __future__ import annotations

import sys
from typing import Final, TextIO

from verify.reporting import wording
from verify.reporting.model import Report

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
