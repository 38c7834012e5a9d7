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
    from verify.reporting.model import Report

_CHOOSE: Final = (
    "write one as JSON with symtape report FILE.sqlite --campaign NUMBER --format json --out DIR, "
    "and give that"
)


LATEST: Final = Path("reports/latest")
"""Where commands write by themselves; a release alone writes what lies beside it."""


def load_report(result: Path) -> Report:
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
        if _is_comparison(result):
            raise BadReport(
                f"{result}: this is a comparison, not a report of cases; give the reports "
                "themselves"
            ) from error
        raise
    except (OSError, UnicodeDecodeError) as error:
        words = getattr(error, "strerror", None) or error
        raise Refusal(
            f"cannot read {str(result)!r}: {words}. Give the JSON file that 'symtape verify' or "
            "'symtape audit' wrote, or their store."
        ) from error


def _is_comparison(result: Path) -> bool:
    """Whether a file that is no report is a comparison of some."""
    from verify.reporting.comparison.model import SCHEMA

    try:
        data = json.loads(result.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("schema") == SCHEMA


def probe_folder(folder: Path, files: Iterable[Path] = ()) -> Path:
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
