"""The tables of a store, and by what a file with them is known."""

from __future__ import annotations

import sqlite3
import zlib
from typing import Final

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
