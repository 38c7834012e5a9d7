"""The overview of several audits for the documents, from what they wrote as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from verify.auditing.libraries.as_json import read
from verify.auditing.libraries.as_markdown import title_of
from verify.auditing.libraries.entries import Audit, Entry
from verify.auditing.libraries.judging import KINDS
from verify.model.verdict import Verdict
from verify.reporting import tables
from verify.reporting.markdown import table

_COUNTS: Final = ("Functions", "At fault", "Derivatives", "WRONG", "INACCURATE", "Right", "Unknown")
_ROWS: Final = {
    "a wrong sign": "wrong sign",
    "no number where the derivative is one": "not finite",
    "0 where the derivative is a normal float": "wrong zero",
    "fewer digits than the format holds": "inaccurate",
}
_COUNTED: Final = 1e-8
"""Below this severity are faults at inputs that are no normal floats."""


def collected(folder: Path) -> list[Audit]:
    """The audits in the folders of a folder, by the name of the library."""
    return [read(file.read_text("utf-8")) for file in sorted(folder.glob("*/audit.json"))]


def overview(audits: Sequence[Audit]) -> str:
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
                tuple((title_of(it), *_counts(it)) for it in audits),
                (False, *(True for _ in _COUNTS)),
            )
        ),
        *(_findings(it) for it in audits),
    ]
    return "\n\n".join(parts)


def _counts(audit: Audit) -> tuple[str, ...]:
    functions, counts = audit.functions, audit.counts
    faulty = sum(any(it.is_fault for it in found) for found in functions.values())
    verdicts = (Verdict.WRONG, Verdict.INACCURATE, Verdict.CORRECT, Verdict.UNDECIDED)
    numbers = (len(functions), faulty, len(audit.entries), *(counts[v] for v in verdicts))
    return tuple(f"{number:,}" for number in numbers)


def _findings(audit: Audit) -> str:
    """What is wrong with first derivatives, and where."""
    assert set(_ROWS.values()) <= set(KINDS.values())
    versions = ", ".join(f"{name} {version}" for name, version in audit.versions.items())
    made = f"{versions}; {audit.created[:10]}; `{audit.command}`"
    lines = [f"**{title_of(audit)}** ({made}), first derivatives:"]
    for words, kind in _ROWS.items():
        found: dict[str, list[str]] = {}
        for entry in audit.entries:
            if _is_told(entry, kind):
                forms = found.setdefault(entry.function, [])
                forms += [entry.format] if entry.format not in forms else []
        told = [f"`{name}` ({', '.join(forms)})" for name, forms in sorted(found.items())]
        lines.append(f"- {words}: {'; '.join(told) or 'none'}.")
    return "\n".join([lines[0], "", *lines[1:]])


def _is_told(entry: Entry, kind: str) -> bool:
    first = "²" not in entry.derivative
    return first and entry.is_fault and entry.severity >= _COUNTED and kind in entry.kinds
