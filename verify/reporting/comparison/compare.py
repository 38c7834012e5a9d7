"""Comparing: reports of the same cases at different times become one comparison."""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Final

from verify.errors import UsageError
from verify.model.change import CaseSummary, Change, Kind
from verify.model.result import Result
from verify.reporting.changes import changes, summaries
from verify.reporting.comparison.model import Comparison, Difference, Rename, Row, Run
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


_UNDER: Final = ("Python", "numpy", "scipy", "sympy", "python-flint", "platform")
"""What symtape itself stands on, whose versions name no run."""


def packages_of(report: Report) -> dict[str, str]:
    """The packages that were verified, and their versions, as far as a report knows them."""
    beside = (*_UNDER, "symtape")
    return {name: it for name, it in report.versions.items() if name not in beside}


def names_of(reports: Sequence[Report], stems: Sequence[str] = ()) -> list[str]:
    """A name for each report, each another.

    The `stems` are those of the files that they are from.

    Examples
    --------
    >>> runs = [Report("r", (), "2030", {"thermo": it}, 0, ()) for it in ("0.5", "0.6")]
    >>> names_of(runs)
    ['thermo 0.5', 'thermo 0.6']
    """
    candidates = list(_candidates(reports, stems))
    for names in candidates:
        if all(names) and len(set(names)) == len(names):
            return names
    return _number_repeats(stems or [report.title for report in reports])


def _candidates(reports: Sequence[Report], stems: Sequence[str]) -> Iterator[list[str]]:
    packages = [packages_of(report) for report in reports]
    differing = _differing_packages(packages)
    yield [" ".join(f"{name} {it[name]}" for name in differing if name in it) for it in packages]
    versions = [{"symtape": report.versions.get("symtape", "")} for report in reports]
    yield [f"symtape {it['symtape']}" if it["symtape"] else "" for it in versions]
    if stems:
        yield list(stems)
    yield [report.created for report in reports]


def _differing_packages(packages: Sequence[Mapping[str, str]]) -> list[str]:
    known = dict.fromkeys(name for each in packages for name in each)
    return [name for name in known if len({each.get(name) for each in packages}) > 1]


def _number_repeats(names: Sequence[str]) -> list[str]:
    """Names that repeat, with a number behind them."""
    total, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        label = name or "run"
        found.append(f"{label} ({seen[name]})" if total[name] > 1 else label)
    return found


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


_CLOSE: Final = 0.8
"""How similar two ids are that are taken for a misspelling of each other."""

_FEW: Final = 200
"""Of more ids than this, which ones are similar is not asked: each is compared with each."""


def renames(before: Report, after: Report, found: Sequence[Change]) -> Iterator[Rename]:
    """Pairs of cases of which one is gone and the other new, each case in at most one pair."""
    gone_ids = {change.id for change in found if change.kind is Kind.GONE}
    new_ids = {change.id for change in found if change.kind is Kind.NEW}
    gone = {case.id: case for case in before.cases if case.id in gone_ids}
    new = {case.id: case for case in after.cases if case.id in new_ids}
    for key, reason in _KEYS:
        for old, now in _sharing(gone, new, key):
            del gone[old], new[now]
            yield Rename(old, now, reason)
    if len(gone) <= _FEW and len(new) <= _FEW:
        for old in list(gone):
            close = difflib.get_close_matches(old, new, n=1, cutoff=_CLOSE)
            if close and new[close[0]].quantity == gone[old].quantity:
                del new[close[0]]
                yield Rename(old, close[0], "similar names")


def _code(case: Result) -> Hashable:
    """The code of the function and of the claim, where it is known."""
    written = tuple(it.code for it in (case.source, case.claim) if it is not None)
    return (written, case.quantity) if written else None


def _last_name(case: Result) -> Hashable:
    """What is left of the id without the module."""
    module, mark, rest = case.id.rpartition(":")
    return (rest, case.quantity) if mark and module else None


_KEYS: Final = ((_code, "the same code"), (_last_name, "the same name in another module"))


def _sharing(
    gone: dict[str, Result], new: dict[str, Result], key: Callable[[Result], Hashable]
) -> list[tuple[str, str]]:
    """Pairs that alone have a key in common."""
    old, now = _group_by_key(gone, key), _group_by_key(new, key)
    return [(old[it][0], now[it][0]) for it in old if len(old[it]) == len(now.get(it, ())) == 1]


def _group_by_key(
    cases: dict[str, Result], key: Callable[[Result], Hashable]
) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = defaultdict(list)
    for name, case in cases.items():
        if (value := key(case)) is not None:
            found[value].append(name)
    return dict(found)
