"""Rungs of the rows, for reports of the suite of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.reporting.model import Report


def add_rungs(report: Report, only: Sequence[str]) -> Report:
    """`report` with the rungs of the rows, where the suite of them was run in whole."""
    from dataclasses import replace

    from verify.reporting.proofs import rungs

    if "primitives" not in report.suites or only or report.interrupted:
        return report
    return replace(report, rungs=rungs(report.cases))
