"""The overview of several audits of libraries for the documents, from their reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from verify.auditing.libraries.judging import KINDS
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import Report, load, tables
from verify.reporting.tables import table

_COUNTS: Final = ("Functions", "At fault", "Derivatives", "WRONG", "INACCURATE", "Right", "Unknown")
_ROWS: Final = {
    "a wrong sign": "wrong sign",
    "no number where the derivative is one": "not finite",
    "0 where the derivative is a normal float": "wrong zero",
    "fewer digits than the format holds": "inaccurate",
}
_COUNTED: Final = 1e-8
"""Below this severity are faults at inputs that are no normal floats."""
_TITLES: Final = re.compile(r"Accuracy of the derivatives of |Rules of ")


def load_reports(folder: Path, pattern: str) -> list[Report]:
    """The reports in a folder whose files match a pattern, by the name of the library."""
    return [load(file) for file in sorted(folder.glob(pattern))]


def overview(audits: Sequence[Report]) -> str:
    """How many derivatives are right, and which functions are at fault in what way, as Markdown.

    Examples
    --------
    >>> print(overview([]))
    | Library | Functions | At fault | Derivatives | WRONG | INACCURATE | Right | Unknown |
    |:-|-:|-:|-:|-:|-:|-:|-:|
    """
    parts = [
        table(
            tables.Table(
                ("Library", *_COUNTS),
                tuple((library_of(it), *_counts(it)) for it in audits),
                (False, *(True for _ in _COUNTS)),
            )
        ),
        *(_findings(it) for it in audits),
    ]
    return "\n\n".join(parts)


def library_of(audit: Report) -> str:
    """The library that a report of an audit is of, by its title."""
    return _TITLES.sub("", audit.title, count=1)


def _functions(names: Iterable[str]) -> set[str]:
    return {name.partition(" ")[0] for name in names}


def _counts(audit: Report) -> tuple[str, ...]:
    unknown = [it.id for it in audit.not_judged]
    functions = _functions([*(case.id for case in audit.cases), *unknown])
    faulty = _functions(case.id for case in audit.cases if case.fails)
    verdicts = [audit.counts[it] for it in (Verdict.WRONG, Verdict.INACCURATE, Verdict.CORRECT)]
    numbers = (
        *(len(functions), len(faulty), len(audit.cases) + len(unknown), *verdicts),
        audit.counts[Verdict.UNDECIDED] + len(unknown),
    )
    return tuple(f"{number:,}" for number in numbers)


def _findings(audit: Report) -> str:
    """What is wrong with first derivatives, and where."""
    assert set(_ROWS.values()) <= set(KINDS.values())
    versions = ", ".join(f"{name} {version}" for name, version in audit.versions.items())
    made = f"{versions}; {audit.created[:10]}; `{audit.replay}`"
    lines = [f"**{library_of(audit)}** ({made}), first derivatives:"]
    for words, kind in _ROWS.items():
        found: dict[str, list[str]] = {}
        for case in audit.cases:
            if _is_told(case, kind):
                name, _, form = case.id.partition(":")[2].split(" ")
                forms = found.setdefault(name, [])
                forms += [form] if form not in forms else []
        told = [f"`{name}` ({', '.join(forms)})" for name, forms in sorted(found.items())]
        lines.append(f"- {words}: {'; '.join(told) or 'none'}.")
    return "\n".join([lines[0], "", *lines[1:]])


def _is_told(case: Result, kind: str) -> bool:
    first = case.quantity == "gradient"
    return first and case.fails and case.severity >= _COUNTED and f"{kind} ×" in case.message
