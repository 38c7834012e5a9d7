"""Writing an audit: pages, Markdown and JSON into a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from verify.audit.as_html import drawn, pages
from verify.audit.as_json import written
from verify.audit.as_markdown import index
from verify.audit.entries import Audit
from verify.report import refuse_foreign

__all__ = ["replaced", "write"]


def write(audit: Audit, folder: Path) -> list[Path]:
    """Write an audit; what an earlier one left in the folder and this one lacks goes.

    Parameters
    ----------
    audit : Audit
    folder : Path
        Which exists.

    Returns
    -------
    list of Path
        The index as a page, as Markdown and as JSON, then the pages of the functions.

    Raises
    ------
    ForeignFile
        The folder holds a page, or a file of these names, that symtape did not write.
    """
    refuse_foreign(replaced(folder))
    files = {"index.md": index(audit), "audit.json": written(_lean(audit)), **pages(audit)}
    order = ["index.html", "index.md", "audit.json"]
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for old in folder.glob("*.html"):
        if old.name not in files:
            old.unlink()
    return [folder / name for name in (*order, *sorted(files.keys() - set(order)))]


def replaced(folder: Path) -> list[Path]:
    """The files of a folder that an audit in it takes the place of."""
    return [*folder.glob("*.html"), folder / "index.md", folder / "audit.json"]


def _lean(audit: Audit) -> Audit:
    """An audit with the plots and segments of those entries alone that the pages draw."""
    kept = {id(it) for found in audit.functions.values() for it in drawn(found)}
    entries = (
        it if id(it) in kept else replace(it, accuracy=None, stretches=()) for it in audit.entries
    )
    return replace(audit, entries=tuple(entries))
