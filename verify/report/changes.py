"""What became of the cases since another run: verdicts that changed, cases new and gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from verify.model.verdict import Verdict
from verify.report.model import Change, Report


def since(report: Report, baseline: Report, whole: bool = True) -> Report:
    """`report`, with what is different from `baseline`.

    Parameters
    ----------
    report, baseline : Report
    whole : bool
        Whether all of the suites was run, so that a case that is not there is gone.

    Returns
    -------
    Report
        The gravest changes first. A case of a suite that was not run again is not gone.
    """
    before = {case.id: case.verdict for case in baseline.cases}
    after = {case.id: case.verdict for case in report.cases}
    suites = {*report.suites, *(case.suite for case in report.cases)} if whole else set()
    gone = [it.id for it in baseline.cases if it.id not in after and it.suite in suites]
    found = [
        Change(name, before.get(name), after.get(name))
        for name in [*after, *gone]
        if before.get(name) is not after.get(name)
    ]
    return replace(report, baseline=baseline.created, changes=tuple(sorted(found, key=_gravity)))


def _gravity(change: Change) -> int:
    return -1 if change.after is None else -list(Verdict).index(change.after)


def changes_words(report: Report) -> str:
    """How many verdicts changed since the baseline; empty without one.

    Examples
    --------
    >>> from verify.report.model import Report
    >>> run = Report("r", (), "2030-01-02", {}, 0, ())
    >>> changes_words(since(run, run))
    'since the run of 2030-01-02: no verdict changed'
    """
    if not report.baseline:
        return ""
    counts = _counts(report.changes)
    said = [f"{count:,} {words}" for words, count in counts.items() if count]
    return f"since the run of {report.baseline}: {', '.join(said) or 'no verdict changed'}"


def _counts(changes: Sequence[Change]) -> Mapping[str, int]:
    gone = sum(change.after is None for change in changes)
    new = sum(change.before is None for change in changes)
    return {"changed": len(changes) - gone - new, "new": new, "gone": gone}


def change_words(changes: Sequence[Change]) -> Iterator[tuple[str, str]]:
    """Each changed case, by its id, and what became of it.

    Examples
    --------
    >>> [words for _, words in change_words([Change("f", Verdict.CORRECT, Verdict.WRONG)])]
    ['CORRECT → WRONG']
    """
    for change in changes:
        before = "new" if change.before is None else change.before.value
        after = "gone" if change.after is None else change.after.value
        yield change.id, f"{before} → {after}"
