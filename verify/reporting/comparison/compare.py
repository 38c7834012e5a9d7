"""Comparing: reports of the same cases at different times become one comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verify.errors import UsageError
from verify.model.change import CaseSummary, Change, Kind
from verify.reporting.changes import changes, summaries
from verify.reporting.comparison.differences import differences
from verify.reporting.comparison.model import Comparison, Row, Run
from verify.reporting.comparison.names import names_of
from verify.reporting.comparison.renames import renames
from verify.reporting.model import Report


def compare(reports: Sequence[Report], stems: Sequence[str] = ()) -> Comparison:
    """What became of each case, from the first of `reports` to the last.

    Cases are matched by their ids. Those that are only in between are rows too.

    Parameters
    ----------
    reports : sequence of Report
        The oldest first.
    stems : sequence of str
        What to call them where their versions do not tell them apart.

    Raises
    ------
    UsageError
        Fewer than two reports.
    """
    if len(reports) < 2:
        raise UsageError(f"a comparison is of two reports or more; got {len(reports)}")
    names = names_of(reports, stems)
    found = [summaries(report) for report in reports]
    last = list(changes(reports[0], reports[-1]))
    ends = {change.id for change in last}
    between = dict.fromkeys(name for each in found for name in each if name not in ends)
    rows = [
        _row(change, tuple(each.get(change.id) for each in found), names)
        for change in [*last, *(Change(name, Kind.NOT_RUN) for name in between)]
    ]
    return Comparison(
        runs=tuple(map(_run, reports, names)),
        differences=tuple(differences(reports)),
        rows=tuple(_group_by_module(rows)),
        renames=tuple(renames(reports[0], reports[-1], last)),
    )


def _run(report: Report, name: str) -> Run:
    return Run(name, report.title, report.created, len(report.cases), report.interrupted)


def _row(change: Change, found: tuple[CaseSummary | None, ...], names: Sequence[str]) -> Row:
    module, name = split(change.id)
    verdicts = [summary and summary.verdict for summary in found]
    start = len(verdicts)
    while start > 0 and verdicts[start - 1] == verdicts[-1]:
        start -= 1
    return Row(module, name, change, found, names[start] if start else "")


def split(name: str) -> tuple[str, str]:
    """The module of a case, or its suite, and the rest of its id.

    Examples
    --------
    >>> split("package.module:Model.jac[x]"), split("primitives/sin"), split("alone")
    (('package.module', 'Model.jac[x]'), ('primitives', 'sin'), ('', 'alone'))
    """
    mark = ":" if ":" in name else "/"
    module, found, rest = name.partition(mark)
    return (module, rest) if found else ("", name)


def _group_by_module(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows of a module beside each other, the module with the gravest change first."""
    modules: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row.change.rank, row.module)):
        modules.setdefault(row.module, []).append(row)
    for found in modules.values():
        yield from found
