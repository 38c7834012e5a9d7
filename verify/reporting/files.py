"""Reports as files: rendered in any format, part by part, written whole or not at all."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from verify.files.whole import write_atomically
from verify.reporting.generated import UnwritableFolder, refuse_foreign
from verify.reporting.model import Report

FORMATS: Final[Mapping[str, str]] = {
    "json": ".json",
    "junit": ".xml",
    "sarif": ".sarif",
    "markdown": ".md",
    "issue": ".issues.md",
    "html": ".html",
    "text": ".txt",
}
"""Each format and the ending of its files."""


def render(report: Report, format: str) -> str:  # noqa: A002
    """The report in one of `FORMATS`, as one text.

    Examples
    --------
    >>> render(Report("nothing", (), "", {}, 0, ()), "text").splitlines()[-1]
    'No cases were run.'
    """
    return "".join(parts(report, format))


def parts(report: Report, format: str) -> Iterator[str]:  # noqa: A002
    """The same text, case by case where the format allows it, so that a large one needs no room."""
    refuse_unknown([format])
    found: Iterator[str] = importlib.import_module(f"verify.reporting.as_{format}").parts(report)
    return found


def refuse_unknown(formats: Iterable[str], known: Iterable[str] = FORMATS) -> None:
    """Refuse what is not among the `known` formats."""
    for each in formats:
        if each not in known:
            raise ValueError(f"format must be one of {', '.join(known)}; got {each!r}")


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

    The HTML of a large report is an index, with pages of details in a folder beside it; those of
    an earlier report go. All files appear at the end, each whole, by a rename.

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
        The files, in the order of `formats`; pages of details are not listed.

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
    formats = list(dict.fromkeys([formats] if isinstance(formats, str) else formats))
    refuse_unknown(formats)
    files = paths(folder, formats, name)
    before = _details(folder, name) if "html" in formats else []
    refuse_foreign([*files, *before])
    texts = (file for each in formats for file in _files(report, each, name))
    try:
        now = write_files(folder, texts, "a report")
        for old in before:
            if old not in now:
                old.unlink()
    finally:
        with contextlib.suppress(OSError):
            (folder / details_of(name)).rmdir()
    return files


def write_files(folder: Path, files: Iterable[tuple[str, Iterable[str]]], what: str) -> set[Path]:
    """Write files, each by its name and in parts, into a folder; all of them appear, or none.

    Raises
    ------
    UnwritableFolder
        The folder cannot be made or written in.
    """
    now = set()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with write_atomically() as write:
            for file, text in files:
                (folder / file).parent.mkdir(exist_ok=True)
                write(folder / file, text)
                now.add(folder / file)
    except OSError as error:
        raise UnwritableFolder(
            f"cannot write {what} into {str(folder)!r}: {error.strerror or error}; "
            "choose another folder with --out, or make this one writable"
        ) from error
    return now


def details_of(name: str) -> str:
    """The folder of the pages of details of a large report, beside its index.

    Examples
    --------
    >>> details_of("report")
    'report-cases'
    """
    return f"{name}-cases"


def _details(folder: Path, name: str) -> list[Path]:
    """The pages of details that are there."""
    return sorted((folder / details_of(name)).glob("*.html"))


def _files(report: Report, form: str, name: str) -> Iterator[tuple[str, Iterator[str]]]:
    if form == "html":
        from verify.reporting import as_pages

        if len(report.cases) > as_pages.MOST:
            yield from as_pages.files(report, name, details_of(name))
            return
    yield f"{name}{FORMATS[form]}", parts(report, form)
