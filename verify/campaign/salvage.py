"""Salvage: what can still be read of a corrupt store, in a new file beside it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from verify.campaign.schema import checksum, has_tables, make_tables

_MOST_PROBED: Final = 100_000
"""Rows between the first and the last that cannot be read, which are asked for one by one."""

_TASK: Final = "number, key, id, text, ended, seconds, budget, attempts, checksum"


def salvage(path: Path) -> str:
    """Copy what can be read of the store at `path`; the corrupt file stays as it is.

    Returns
    -------
    str
        How much there is, where, and how to go on; or why there is nothing.
    """
    new = path.with_name(f"{path.stem}.salvaged{path.suffix}")
    if new.exists():
        return f"The readable part of it is in {str(new)!r} already: go on with --store {new}"
    try:
        kept = _copy(path, new)
    except (sqlite3.Error, OSError) as error:
        new.unlink(missing_ok=True)
        return (
            f"Nothing of it could be saved in {str(new)!r}: {error}. Start a new file with --store"
        )
    if not kept:
        new.unlink(missing_ok=True)
        return "No answer in it can be read; start a new file with --store"
    answers = f"{kept:,} answer{'s' * (kept != 1)}"
    return f"The {answers} that can be read are in {str(new)!r}: go on with --store {new}"


def _copy(path: Path, new: Path) -> int:
    source = f"{path.resolve().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(source, uri=True)) as old,
        closing(sqlite3.connect(new, isolation_level=None)) as into,
    ):
        into.execute("BEGIN")
        if not has_tables(into):
            make_tables(into)
        kept = 0
        for row in _tasks(old):
            if row[-1] == checksum(row[3]):
                into.execute(f"INSERT OR IGNORE INTO task VALUES ({_marks(row)})", row)
                kept += 1
        for table in ("campaign", "plan"):
            with contextlib.suppress(sqlite3.DatabaseError):
                for row in old.execute(f"SELECT * FROM {table}"):
                    into.execute(f"INSERT OR IGNORE INTO {table} VALUES ({_marks(row)})", row)
        into.execute("COMMIT")
        return kept


def _tasks(old: sqlite3.Connection) -> Iterator[Any]:
    """From the first on, from the last back, and one by one what is between."""
    first, last = 0, 0
    for row in _read_until_corrupt(old, "ASC"):
        first = row[0]
        yield row
    for row in _read_until_corrupt(old, "DESC"):
        if row[0] <= first:
            return
        last = row[0]
        yield row
    for number in range(first + 1, min(last, first + _MOST_PROBED)):
        with contextlib.suppress(sqlite3.DatabaseError):
            yield from old.execute(f"SELECT {_TASK} FROM task WHERE number = ?", (number,))


def _read_until_corrupt(old: sqlite3.Connection, order: str) -> Iterator[Any]:
    with contextlib.suppress(sqlite3.DatabaseError):
        yield from old.execute(f"SELECT {_TASK} FROM task NOT INDEXED ORDER BY number {order}")


def _marks(row: Any) -> str:
    return ", ".join("?" * len(row))
