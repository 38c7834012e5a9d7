"""Files and folders that a command is given."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from verify.commands.refusals import Refusal

if TYPE_CHECKING:
    from verify.report.model import Report

__all__ = ["loaded", "probed"]


def loaded(result: Path) -> Report:
    """The report in a file that ``symtape verify`` wrote."""
    from verify.report import load

    try:
        return load(result)
    except (OSError, UnicodeDecodeError) as error:
        words = getattr(error, "strerror", None) or error
        raise Refusal(
            f"cannot read {str(result)!r}: {words}. Give the JSON file that "
            "'symtape verify' wrote, reports/report.json for the built-in suites."
        ) from error


def probed(folder: Path, files: Iterable[Path] = ()) -> Path:
    """`folder`, made and tried; refused where one of `files` is there and not of symtape."""
    from verify.report import refuse_foreign

    refuse_foreign(files)
    probe = folder / f".symtape-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise Refusal(
            f"cannot write reports into {str(folder)!r}: {error.strerror or error}. "
            "Choose another folder with --out, or make this one writable."
        ) from error
    return folder
