"""What can go wrong with a report as a file."""

from __future__ import annotations

from symtape.errors import SymtapeError


class BadReport(SymtapeError, ValueError):
    """Data that is no report of a schema known here; names the place and what was expected."""


class ForeignFile(SymtapeError, FileExistsError):
    """A file that symtape did not write is where a report is to go; names the file."""


class UnwritableFolder(SymtapeError, OSError):
    """A folder in which no report can be written; names the folder and the reason."""
