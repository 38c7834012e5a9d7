"""Comparisons as files: rendered in any format, written whole or not at all."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from verify.reporting import files
from verify.reporting.comparison.model import Comparison
from verify.reporting.files import refuse_unknown, write_files
from verify.reporting.generated import refuse_foreign

FORMATS: Final = {
    name: ending for name, ending in files.FORMATS.items() if name not in ("sarif", "issue")
}
"""All but SARIF, which tells of findings and not of changes."""

paths = functools.partial(files.paths, name="comparison")
"""The files that :func:`write` makes."""


def render(found: Comparison, format: str) -> str:  # noqa: A002
    """The comparison in one of `FORMATS`.

    Examples
    --------
    >>> from verify.reporting.comparison.model import Run
    >>> one = Run("a 1", "a", "2030-01-01", 0)
    >>> render(Comparison((one, one), (), ()), "text").splitlines()[0]
    'a 1 beside a 1'
    """
    refuse_unknown([format], FORMATS)
    text: str = importlib.import_module(f"verify.reporting.comparison.as_{format}").render(found)
    return text


def write(
    found: Comparison, folder: str | Path, formats: Iterable[str], name: str = "comparison"
) -> list[Path]:
    """Write the comparison into `folder`, one file a format; all of them appear, or none.

    Raises
    ------
    UnwritableFolder
        The folder cannot be made or written in.
    ForeignFile
        A file of that name is there that symtape did not write.
    """
    folder, formats = Path(folder), list(dict.fromkeys(formats))
    files = paths(folder, formats, name=name)
    refuse_foreign(files)
    texts = [(file.name, [render(found, it)]) for file, it in zip(files, formats, strict=True)]
    write_files(folder, texts, "a comparison")
    return files
