"""The option ``--baseline``: a run is told beside an earlier one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from verify.commands.files import load_report
from verify.commands.options import RegularFile

if TYPE_CHECKING:
    from verify.reporting.model import Report

baseline: Final = click.option(
    "--baseline",
    type=RegularFile(),
    metavar="RESULT",
    help="Compare with an earlier run, a JSON report or a store, and say which cases are worse, "
    "fixed, changed, new and gone.",
)
"""The option of a command; its value is the argument of `earlier`."""


def earlier(given: Path | None) -> Report | None:
    """The report of the option, to be read before a long run is begun; None without it."""
    return None if given is None else load_report(given)


def add_changes(report: Report, before: Report | None, whole: bool = True) -> Report:
    """`report` with what is different from `before`, which every rendering then shows.

    Parameters
    ----------
    report : Report
    before : Report or None
        What `earlier` gave; without one nothing is added.
    whole : bool
        Whether the run was of all that it names, so that a case that is not there is gone.
    """
    from verify.reporting import add_changes

    return report if before is None else add_changes(report, before, whole=whole)
