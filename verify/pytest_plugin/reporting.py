"""The reports of a run, as ``symtape verify`` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from verify.model.result import Result
from verify.pytest_plugin.options import FORMATS
from verify.reporting import write
from verify.reporting.codec import decode
from verify.reporting.generated import ForeignFile, UnwritableFolder
from verify.reporting.of_results import report_of
from verify.selftest import describe_last_score


def write_reports(
    cases: Sequence[Any], folder: str | Path, seconds: float, interrupted: bool
) -> list[str]:
    """Write the reports.

    The cases are plain data, as :func:`verify.reporting.codec.encode` gives it.

    Returns
    -------
    list of str
        The files; or why there are none.
    """
    found = [decode(Result, case, "case") for case in cases]
    report = replace(
        report_of(found, "Derivatives in tests"),
        elapsed=seconds,
        interrupted=interrupted,
        selftest=describe_last_score(),
    )
    try:
        return [str(path) for path in write(report, folder, FORMATS)]
    except (ForeignFile, UnwritableFolder) as error:
        return [f"no report: {error}"]
