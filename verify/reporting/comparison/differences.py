"""What runs differ in beside their verdicts: said at the top, and no reason to refuse them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from verify.reporting.comparison.model import Difference
from verify.reporting.model import Report

_EFFORT: Final = re.compile(r"--effort[ =](\S+)")
_MOST: Final = 4
_ABSENT: Final = "–"


def differences(reports: Sequence[Report]) -> Iterator[Difference]:
    """Each fact in which not all reports agree.

    Examples
    --------
    >>> runs = [Report("r", (), "", {"symtape": "1"}, seed, ()) for seed in (0, 7)]
    >>> list(differences(runs))
    [Difference(name='seed', values=('0', '7'))]
    """
    names = dict.fromkeys(name for report in reports for name in report.versions)
    facts = {name: [report.versions.get(name, _ABSENT) for report in reports] for name in names}
    facts["seed"] = [str(report.seed) for report in reports]
    facts["effort"] = [_effort(report) for report in reports]
    facts["verified"] = [_list_names(report.suites) for report in reports]
    facts["interrupted"] = ["yes" if report.interrupted else "no" for report in reports]
    for name, values in facts.items():
        if len(set(values)) > 1:
            yield Difference(name, tuple(values))


def _effort(report: Report) -> str:
    """The efforts that the lines name which run the cases again; a report has no other record."""
    lines = [report.replay, *(case.replay for case in report.cases)]
    named = dict.fromkeys(found[1] for line in lines if (found := _EFFORT.search(line)))
    return _list_names(tuple(named)) if named else "as the cases say"


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(names[:_MOST]) + (f" and {more} more" if more > 0 else "") or _ABSENT
