"""Writing an audit: pages, Markdown and JSON, as texts or into a folder."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from verify.auditing.libraries.as_html import drawn, pages
from verify.auditing.libraries.as_json import written
from verify.auditing.libraries.as_markdown import index
from verify.auditing.libraries.entries import Audit
from verify.files.cache import write_whole
from verify.reporting import refuse_foreign

FORMATS: Final = {"html": "*.html", "markdown": "index.md", "json": "audit.json"}
"""Each format and the pattern of its files."""


def rendered(audit: Audit, format: str) -> dict[str, str]:  # noqa: A002
    """The texts of the files in one of `FORMATS`, by name; the first is where to begin."""
    if format == "html":
        return pages(audit)
    text = index(audit) if format == "markdown" else written(_lean(audit))
    return {FORMATS[format]: text}


def write(audit: Audit, folder: Path, formats: Collection[str] = tuple(FORMATS)) -> list[Path]:
    """Write an audit; pages that an earlier one left in the folder and this one lacks go.

    Parameters
    ----------
    audit : Audit
    folder : Path
        Which exists.
    formats : collection of str
        Of `FORMATS`.

    Returns
    -------
    list of Path
        The files, format by format.

    Raises
    ------
    ForeignFile
        The folder holds a file in the place of one of them that symtape did not write.
    """
    before = replaced(folder, formats)
    refuse_foreign(before)
    files = {
        folder / name: text for each in formats for name, text in rendered(audit, each).items()
    }
    for path, text in files.items():
        write_whole(path, text)
    for old in before:
        if old not in files:
            old.unlink()
    return list(files)


def replaced(folder: Path, formats: Collection[str] = tuple(FORMATS)) -> list[Path]:
    """The files of a folder that an audit in it takes the place of."""
    return [path for each in formats for path in folder.glob(FORMATS[each])]


def _lean(audit: Audit) -> Audit:
    """An audit with the plots and segments of those entries alone that the pages draw."""
    kept = {id(it) for found in audit.functions.values() for it in drawn(found)}
    entries = (
        it if id(it) in kept else replace(it, accuracy=None, stretches=()) for it in audit.entries
    )
    return replace(audit, entries=tuple(entries))
