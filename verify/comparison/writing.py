"""Comparisons as files: rendered in any format, written whole or not at all."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from verify.comparison.model import Comparison
from verify.files.whole import whole
from verify.report.errors import UnwritableFolder
from verify.report.generated import refuse_foreign

FORMATS: Final[Mapping[str, str]] = {
    "json": ".json",
    "junit": ".xml",
    "markdown": ".md",
    "html": ".html",
    "text": ".txt",
}
"""Each format and the ending of its files."""


def render(found: Comparison, format: str) -> str:  # noqa: A002
    """The comparison in one of `FORMATS`.

    Examples
    --------
    >>> from verify.comparison.model import Run
    >>> one = Run("a 1", "a", "2030-01-01", 0)
    >>> render(Comparison((one, one), (), ()), "text").splitlines()[0]
    'a 1 beside a 1'
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {format!r}")
    text: str = importlib.import_module(f"verify.comparison.as_{format}").render(found)
    return text


def paths(folder: str | Path, formats: Iterable[str], name: str = "comparison") -> list[Path]:
    """The files that :func:`write` makes."""
    return [Path(folder) / f"{name}{FORMATS[each]}" for each in formats]


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
    texts = dict(
        zip(paths(folder, formats, name), (render(found, it) for it in formats), strict=True)
    )
    refuse_foreign(texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole() as put:
            for file, text in texts.items():
                put(file, [text])
    except OSError as error:
        raise UnwritableFolder(
            f"cannot write a comparison into {str(folder)!r}: {error.strerror or error}; "
            "choose another folder with --out, or make this one writable"
        ) from error
    return list(texts)
