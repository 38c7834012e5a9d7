"""Store: one SQLite file that keeps the answers of campaigns, each as soon as it is there.

An answer is kept under its content address, and so belongs to every campaign that asks for it.
Campaigns keep what they are and the order of their tasks. Each answer is a transaction of its own
in WAL mode: what was written survives the end of any process, readers never wait, and processes
that write at once take turns. The file must lie on a disk of the machine that writes it, since WAL
does not work over a network; workers never open it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

from verify.campaign.schema import APPLICATION, SCHEMA, checksum, has_tables, make_tables, salvage
from verify.errors import UsageError


class Store:
    """Answers and campaigns in a file; to be closed, or used as a context manager.

    Parameters
    ----------
    path : Path, optional
        Made if it is not there; without one, a temporary file that is gone when it is closed.
    reading : bool
        Whether nothing is to be written, and the file must be there.

    Raises
    ------
    BadStore
        It cannot be read or written, or is no store of this version. Of a corrupt one, what can
        be read is in a new file beside it.

    Examples
    --------
    >>> with Store() as store:
    ...     store.one("SELECT count(*) FROM task")
    (0,)
    """

    def __init__(self, path: Path | None = None, *, reading: bool = False) -> None:
        if reading and path is not None and not path.is_file():
            raise no_such(path)
        self.path = path
        self._reading = reading
        with self._explain_errors():
            self._connection = sqlite3.connect(
                self._address(), uri=True, timeout=PATIENCE, isolation_level=None
            )
            try:
                self._connection.create_function("checksum_of", 1, checksum, deterministic=True)
                self._prepare()
            except BaseException:  # no connection is left open by what cannot be used
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def _address(self) -> str:
        if self.path is None:
            return ""
        file = self.path.resolve()
        if not self._reading:
            return file.as_uri()
        # Where nobody can write, a reader can take no part in locking, and needs not.
        alone = not os.access(file.parent, os.W_OK) and not Path(f"{file}-wal").exists()
        return f"{file.as_uri()}?mode=ro{'&immutable=1' if alone else ''}"

    def _prepare(self) -> None:
        """Make the tables, or see that they are those of this version."""
        if not self._reading and not has_tables(self._connection):
            self._make_tables()
        if self.path is not None:
            self._refuse_other_files(self.path)
        if not self._reading:
            self._write_ahead()

    def _make_tables(self) -> None:
        with self._transaction("EXCLUSIVE"):
            if not has_tables(self._connection):  # and no other process was faster
                make_tables(self._connection)

    def _refuse_other_files(self, path: Path) -> None:
        if self._pragma("application_id") != APPLICATION:
            raise foreign(path)
        if (schema := self._pragma("user_version")) != SCHEMA:
            raise schema_error(path, schema)
        [(said,)] = self._connection.execute("PRAGMA quick_check(1)").fetchall()
        if said != "ok":
            raise CorruptStore(f"the store {str(path)!r} is corrupt: {' '.join(said.split())}")

    def _write_ahead(self) -> None:
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if self._connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            # While another process uses the file it stays as it is, which does as well.
            with contextlib.suppress(sqlite3.OperationalError):
                self._connection.execute("PRAGMA journal_mode = WAL")

    def _pragma(self, name: str) -> int:
        (found,) = self._connection.execute(f"PRAGMA {name}").fetchone()
        return int(found)

    def one(self, query: str, *values: Any) -> Any:
        """The first row that a query finds; None if there is none."""
        with self._explain_errors():
            return self._connection.execute(query, values).fetchone()

    def rows(self, query: str, *values: Any) -> Iterator[Any]:
        """The rows that a query finds, read as they are asked for."""
        with self._explain_errors():
            yield from self._connection.execute(query, values)

    @contextlib.contextmanager
    def write_together(self) -> Iterator[sqlite3.Connection]:
        """Statements that are kept together, or not at all."""
        with self._explain_errors(), self._transaction("IMMEDIATE"):
            yield self._connection

    @contextlib.contextmanager
    def _transaction(self, kind: str) -> Iterator[None]:
        self._connection.execute(f"BEGIN {kind}")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:  # Ctrl-C as well undoes what is half done
            if self._connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """What goes wrong, in words; of what is corrupt, what can be read is kept."""
        try:
            with explain_sqlite_errors(self.path):
                yield
        except CorruptStore as error:
            if self.path is None:
                raise
            raise CorruptStore(f"{error}. {salvage(self.path)}") from error


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
