"""What can go wrong with a store, in words: what SQLite says becomes what the user can do."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from verify.campaign.schema import SCHEMA
from verify.errors import UsageError

PATIENCE: Final = 30.0
"""Seconds for which another process may keep the store to itself."""

_PRIMARY: Final = 0xFF
"""Of SQLite's codes: the rest is detail."""


class BadStore(UsageError):
    """A store that cannot be used; names the file and says what to do."""


class CorruptStore(BadStore):
    """A store of which some cannot be read."""


@contextlib.contextmanager
def explain_sqlite_errors(path: Path | None) -> Iterator[None]:
    """What SQLite raises inside becomes a :class:`BadStore`."""
    try:
        yield
    except sqlite3.Error as error:
        raise refusal(path, error) from error


def refusal(path: Path | None, error: sqlite3.Error) -> BadStore:
    """What an error of SQLite's means, for the store at `path`; None for a temporary one."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY
    name = "the temporary store" if path is None else f"the store {str(path)!r}"
    words = _WORDS.get(code)
    if code == sqlite3.SQLITE_CORRUPT:
        return CorruptStore(f"{name} is corrupt: {error}")
    if words is None:
        return BadStore(f"{name} cannot be used: {error}; choose another file with --store")
    return BadStore(words.format(name=name, error=error, patience=PATIENCE))


_READ_ONLY: Final = (
    "{name} cannot be written: {error}; make the file and its folder writable, or choose another "
    "file with --store"
)
_FULL: Final = (
    "{name} cannot be written: {error}. The disk may be full. The answers so far are saved: make "
    "room, and run the same line again to resume"
)
_LOCKED: Final = (
    "{name} has been locked by another process for {patience:g} seconds. The answers so far are "
    "saved: wait for that process or end it, and run the same line again to resume"
)
_WORDS: Final = {
    sqlite3.SQLITE_NOTADB: (
        "{name} is not a SQLite file, so it is left as it is; choose another file with --store"
    ),
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: (
        "{name} cannot be opened: {error}. It must be a file in an existing folder that can be "
        "written; choose another file with --store"
    ),
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _FULL,
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
}
"""Of each code that a user can do something about."""


def no_such(path: Path) -> BadStore:
    """Refuse to read a store that is not there."""
    return BadStore(f"there is no store {str(path)!r}; symtape verify ... --store {path} makes one")


def foreign(path: Path) -> BadStore:
    """Refuse a SQLite file of something else."""
    return BadStore(
        f"{str(path)!r} is a SQLite file that symtape did not write, so it is left as it is; "
        "choose another file with --store"
    )


def schema_error(path: Path, found: int) -> BadStore:
    """Refuse a store of another version."""
    newer = "newer" if found > SCHEMA else "older"
    return BadStore(
        f"the store {str(path)!r} is of schema {found}, which {'an' if newer == 'older' else 'a'} "
        f"{newer} version of symtape wrote; this one reads and writes schema {SCHEMA}. Use that "
        "version, or start a new file with --store"
    )
