"""The tables of a store: by what a file is known to have them, and a corrupt one read."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

SCHEMA: Final = 3
"""The version of the tables below; a change of them raises it."""

APPLICATION: Final = 0x73_79_6D_74
"""By which SQLite knows files of symtape: "symt"."""

_TABLES: Final = """
CREATE TABLE campaign (
    number INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE, -- a hash of `about`
    about TEXT NOT NULL,           -- JSON: kind, title, seed, suites, options
    versions TEXT NOT NULL,        -- JSON: of symtape, Python, libraries and the platform
    selftest TEXT NOT NULL,        -- the score of the verifier
    not_judged TEXT NOT NULL,      -- JSON: what is not among the tasks, and why
    plan TEXT NOT NULL,            -- a hash of the addresses of the tasks, in order
    created TEXT NOT NULL,         -- when these tasks were begun
    elapsed REAL NOT NULL          -- seconds that they have taken
);
CREATE TABLE plan (
    campaign INTEGER NOT NULL,
    place INTEGER NOT NULL,
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (campaign, place)
) WITHOUT ROWID;
CREATE TABLE task (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,      -- the content address
    id TEXT NOT NULL,
    text TEXT NOT NULL,            -- the answer, as JSON
    ended TEXT NOT NULL,           -- why there is none; empty where there is one
    seconds REAL NOT NULL,
    budget REAL NOT NULL,          -- that was given, in seconds
    attempts INTEGER NOT NULL,
    checksum INTEGER NOT NULL      -- CRC-32 of the text
);
CREATE TABLE claim (
    key TEXT PRIMARY KEY,          -- of a task that is being done
    driver TEXT NOT NULL,          -- a folder, held for as long as the driver lives
    until REAL NOT NULL            -- when others do it all the same, in seconds of the epoch
) WITHOUT ROWID;
"""


def make_tables(connection: sqlite3.Connection) -> None:
    """The tables, empty, in a file that has none; inside of a transaction."""
    for statement in _TABLES.split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def has_tables(connection: sqlite3.Connection) -> bool:
    """Whether there is anything in a file."""
    found: tuple[int] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return found != (0,)


def checksum(text: str) -> int:
    """CRC-32 of an answer, by which one that was damaged is known."""
    return zlib.crc32(text.encode())


_MOST_PROBED: Final = 100_000
"""Rows that are asked for where it cannot be read how many there are."""

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
    """Those that can be read, one by one."""
    last = _MOST_PROBED
    with contextlib.suppress(sqlite3.DatabaseError):
        (last,) = old.execute("SELECT coalesce(max(number), 0) FROM task").fetchone()
    for number in range(1, last + 1):
        with contextlib.suppress(sqlite3.DatabaseError):
            yield from old.execute(f"SELECT {_TASK} FROM task WHERE number = ?", (number,))


def _marks(row: Any) -> str:
    return ", ".join("?" * len(row))
