"""What runs are called: by the version of what was verified, if that tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from verify.reporting.model import Report

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
