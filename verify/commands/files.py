"""Files and folders that a command is given."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from verify.commands.refusals import Refusal

if TYPE_CHECKING:
    from verify.audit.entries import Audit
    from verify.report.model import Report


def audited(result: Path) -> Audit | None:
    """The audit in a file that ``symtape audit`` wrote; None where it holds something else."""
    from verify.audit.as_json import read
    from verify.audit.entries import SCHEMA

    try:
        text = result.read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, ValueError):
        return None  # `loaded` says what is wrong with the file
    is_audit = isinstance(data, dict) and data.get("schema") == SCHEMA
    return read(text) if is_audit else None


def loaded(result: Path) -> Report:
    """The report in a file that ``symtape verify`` wrote."""
    from verify.report import load

    try:
        return load(result)
    except (OSError, UnicodeDecodeError) as error:
        words = getattr(error, "strerror", None) or error
        raise Refusal(
            f"cannot read {str(result)!r}: {words}. Give the JSON file that 'symtape verify' or "
            "'symtape audit' wrote; reports/report.json is of the built-in suites."
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
