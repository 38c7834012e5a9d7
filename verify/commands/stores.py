"""Stores that a command is given to read: which campaign is meant, and its report."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from verify.commands.refusals import Refusal
from verify.options.command_lines import option_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.campaign.record import Record
    from verify.reporting.model import Report

_MAGIC: Final = b"SQLite format 3\0"
_ENDINGS: Final = (".sqlite", ".sqlite3", ".db")


def is_store(file: Path) -> bool:
    """Whether `file` is one of SQLite's, or is called like one."""
    try:
        with file.open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC or file.suffix in _ENDINGS
    except OSError:
        return file.suffix in _ENDINGS


@contextlib.contextmanager
def campaign_in(
    file: Path, number: int | None = None, choose: str = "choose with --campaign"
) -> Iterator[Report]:
    """The report of a campaign, as far as it is known; says so where it is not finished.

    Parameters
    ----------
    file : Path
    number : int, optional
        Of the campaign; the only one if it is not said.
    choose : str
        What to do where there are several.
    """
    from verify.campaign.record import records
    from verify.campaign.store import Store

    with Store(file, reading=True) as store:
        record = _choose_record(file, records(store), number, choose)
        done, planned, ended = record.done, record.planned_count, record.ended
        report = _report_of(file, record)
        if done < planned:
            kind = record.identity.kind
            click.echo(f"Unfinished: {done:,} of {planned:,} {kind} are done.", err=True)
        if ended:
            click.echo(
                f"{ended:,} of them ended without an answer; --retry runs them again.", err=True
            )
        yield report


def _report_of(file: Path, record: Record) -> Report:
    from verify.auditing import run as audits
    from verify.campaign import verification
    from verify.reporting.proofs import add_rungs

    about = record.identity
    if about.kind == audits.KIND:
        return audits.report_of(record)
    if about.kind != verification.KIND:
        raise Refusal(f"{str(file)!r} keeps {about.kind}, which have no report here.")
    return add_rungs(verification.report_of(record), about.options.get("--case", ()))


def _choose_record(file: Path, known: Sequence[Record], number: int | None, choose: str) -> Record:
    listed = "".join(f"\n  {it.number}  {it.identity.title}{_format_options(it)}" for it in known)
    if not known:
        raise Refusal(f"the store {str(file)!r} keeps no campaign yet.")
    if number is None and len(known) > 1:
        raise Refusal(f"{str(file)!r} keeps several campaigns; {choose}:{listed}")
    found = [it for it in known if number in (None, it.number)]
    if not found:
        raise Refusal(f"--campaign {number}: {str(file)!r} has no such one, but{listed}")
    return found[0]


def _format_options(record: Record) -> str:
    """What tells a campaign from others of the same title."""
    about = record.identity
    told = [f"--seed {about.seed}"] if about.seed else []
    told += map(" ".join, option_words(about.options))
    return f" ({', '.join([*told, f'begun {record.created}'])})"
