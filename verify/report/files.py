"""Reports as files: rendered in any format, written whole or not at all."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from verify.files.cache import write_whole
from verify.report.errors import UnwritableFolder
from verify.report.generated import refuse_foreign
from verify.report.model import Report

__all__ = ["FORMATS", "load", "paths", "render", "write"]

FORMATS: Final[Mapping[str, str]] = {
    "json": ".json",
    "junit": ".xml",
    "markdown": ".md",
    "html": ".html",
    "text": ".txt",
}
"""Each format and the ending of its files."""


def render(report: Report, format: str) -> str:  # noqa: A002
    """The report in one of `FORMATS`.

    Examples
    --------
    >>> render(Report("nothing", (), "", {}, 0, ()), "text").splitlines()[-1]
    'No cases were run.'
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {format!r}")
    module = importlib.import_module(f"verify.report.as_{format}")
    text: str = module.render(report)
    return text


def paths(folder: str | Path, formats: Iterable[str], name: str = "report") -> list[Path]:
    """The files that :func:`write` makes.

    Examples
    --------
    >>> [path.as_posix() for path in paths("build", ["junit", "html"])]
    ['build/report.xml', 'build/report.html']
    """
    return [Path(folder) / f"{name}{FORMATS[each]}" for each in formats]


def write(
    report: Report, folder: str | Path, formats: Iterable[str], name: str = "report"
) -> list[Path]:
    """Write the report into `folder`, one file a format.

    Everything is rendered before anything is written, and each file appears whole, by a rename.

    Parameters
    ----------
    report : Report
    folder : path
        Made if it is not there.
    formats : iterable of str
        Of `FORMATS`.
    name : str
        The files' name before its ending.

    Returns
    -------
    list of Path
        The files, in the order of `formats`.

    Raises
    ------
    ValueError
        An unknown format.
    UnwritableFolder
        The folder cannot be made or written in.
    ForeignFile
        A file of that name is there that symtape did not write.
    """
    folder = Path(folder)
    if isinstance(formats, str):
        formats = [formats]
    rendered = {each: render(report, each) for each in formats}
    texts = dict(zip(paths(folder, rendered, name), rendered.values(), strict=True))
    refuse_foreign(texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            write_whole(path, text)
    except OSError as error:
        raise UnwritableFolder(
            f"cannot write a report into {str(folder)!r}: {error.strerror or error}; "
            "choose another folder with --out, or make this one writable"
        ) from error
    return list(texts)


def load(path: str | Path) -> Report:
    """A report from its JSON file.

    Raises
    ------
    BadReport
        The file holds no report of a schema known here; says what is wrong with it.
    OSError
        It cannot be read.
    """
    from verify.report.as_json import load as read

    return read(path)
