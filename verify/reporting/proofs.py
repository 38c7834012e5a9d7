"""The rung of every row of the vocabulary, for the report of the suite ``primitives``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symtape.primitives.vocabulary import vocabulary
from verify.model.result import Result
from verify.model.verdict import Verdict, gravest
from verify.oracles.proofs.row import prove_rows
from verify.reporting.model import Report, RowRung


def rungs(cases: Sequence[Result]) -> tuple[RowRung, ...]:
    """One line for each row, by name, given what became of the cases of the suite.

    A row that is not proved is *certified* if its cases are correct; if not, it is what the
    gravest of them is.
    """
    rows = sorted(vocabulary(), key=lambda row: row.name)
    verdicts: dict[str, list[Verdict]] = {row.name: [] for row in rows}
    for case in cases:
        name = case.id.removeprefix("primitives/").split(".")[0].split("[")[0]
        if case.suite == "primitives" and name in verdicts:
            verdicts[name].append(case.verdict)
    found = []
    for row, proof in zip(rows, prove_rows(rows), strict=True):
        worst = gravest(verdicts[row.name]) if verdicts[row.name] else Verdict.UNDECIDED
        rung = proof.rung if worst in (Verdict.CORRECT, Verdict.KINK) else worst.value
        found.append(RowRung(row.name, rung, proof.domain, proof.reason))
    return tuple(found)


def add_rungs(report: Report, only: Sequence[str]) -> Report:
    """`report` with the rungs of the rows, where the suite of them was run in whole."""
    if "primitives" not in report.suites or only or report.interrupted:
        return report
    return replace(report, rungs=rungs(report.cases))
