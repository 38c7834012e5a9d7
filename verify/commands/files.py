"""Files and folders that a command is given."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verify.commands.refusals import Refusal
from verify.commands.stores import campaign_in, is_store

if TYPE_CHECKING:
    from verify.auditing.libraries.entries import Audit
    from verify.reporting.model import Report

_CHOOSE: Final = (
    "write one as JSON with symtape report FILE.sqlite --campaign NUMBER --format json --out DIR, "
    "and give that"
)


LATEST: Final = Path("reports/latest")
"""Where commands write by themselves; a release alone writes what lies beside it."""


def audited(result: Path) -> Audit | None:
    """The audit in a file that ``symtape audit`` wrote; None where it holds something else."""
    from verify.auditing.libraries.as_json import read
    from verify.auditing.libraries.entries import SCHEMA

    try:
        text = result.read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return None  # `loaded` says what is wrong with the file
    is_audit = isinstance(data, dict) and data.get("schema") == SCHEMA
    return read(text) if is_audit else None


def loaded(result: Path) -> Report:
    """The report in a file that ``symtape verify`` or ``symtape audit`` wrote, or in a store.

    Of a store every case is read, since the store is closed then.

    Raises
    ------
    Refusal
        There is no such file, or none that can be read.
    BadReport
        It holds something else, or half a report.
    """
    from verify.reporting import BadReport, load

    if is_store(result):
        with campaign_in(result, choose=_CHOOSE) as found:
            return replace(found, cases=tuple(found.cases))
    try:
        return load(result)
    except BadReport as error:
        if other := _other(result):
            raise BadReport(f"{result}: this is {other}") from error
        raise
    except (OSError, UnicodeDecodeError) as error:
        words = getattr(error, "strerror", None) or error
        raise Refusal(
            f"cannot read {str(result)!r}: {words}. Give the JSON file that 'symtape verify' or "
            "'symtape audit' wrote, or their store."
        ) from error


def _other(result: Path) -> str:
    """What a file of symtape's that is no report holds, in words."""
    from verify.auditing.libraries.entries import SCHEMA as AUDIT
    from verify.comparison.model import SCHEMA as COMPARISON

    try:
        data = json.loads(result.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    known = {
        AUDIT: "an audit of the derivatives that a framework has of its own functions; "
        "this needs a report of cases",
        COMPARISON: "a comparison, and no report of cases; give the reports themselves",
    }
    return known.get(str(data.get("schema")), "") if isinstance(data, dict) else ""


def probed(folder: Path, files: Iterable[Path] = ()) -> Path:
    """`folder`, made and tried; refused where one of `files` is there and not of symtape."""
    from verify.reporting import refuse_foreign

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
