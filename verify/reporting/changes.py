"""What became of the cases since another run: worse, fixed, changed, new and gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from verify.model.change import QUIET, CaseSummary, Change, Kind
from verify.reporting import wording
from verify.reporting.model import Report


def add_changes(report: Report, baseline: Report, whole: bool = True) -> Report:
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
    found = (it for it in changes(baseline, report, whole) if it.kind not in QUIET)
    return replace(
        report, baseline=baseline.created, changes=tuple(sorted(found, key=lambda it: it.rank))
    )


def changes(before: Report, after: Report, whole: bool = True) -> Iterator[Change]:
    """What became of each case, matched by ids: those of `after` in their order, then the others.

    Parameters
    ----------
    before, after : Report
    whole : bool
        Whether `after` is of all that it names; it is not, if it was interrupted.
    """
    then, now = summaries(before), summaries(after)
    for name, summary in now.items():
        yield Change.from_summaries(name, then.get(name), summary)
    suites = {case.id: case.suite for case in before.cases}
    for name, summary in then.items():
        if name not in now:
            ran = whole and not after.interrupted and _was_run(suites.get(name, ""), after)
            yield Change.from_summaries(name, summary, None, ran)


def summaries(report: Report) -> dict[str, CaseSummary]:
    """What is known of each case by its id; ids that repeat are numbered."""
    found: dict[str, CaseSummary] = {}
    seen: Counter[str] = Counter()
    for case in report.cases:
        seen[case.id] += 1
        name = case.id if seen[case.id] == 1 else f"{case.id} ({seen[case.id]})"
        found[name] = CaseSummary.from_result(case)
    return found


def _was_run(suite: str, report: Report) -> bool:
    """Whether a report is of a suite, or of a package that it is a part of."""
    run = {*report.suites, *(case.suite for case in report.cases)}
    return any(suite == it or suite.startswith(f"{it}.") for it in run)


def changes_words(report: Report) -> str:
    """What changed since the baseline, in numbers; empty without one.

    Examples
    --------
    >>> from verify.reporting.model import Report
    >>> run = Report("r", (), "2030-01-02", {}, 0, ())
    >>> changes_words(add_changes(run, run))
    'since the run of 2030-01-02: no verdict changed'
    """
    if not report.baseline:
        return ""
    said = count_changes(report.changes) or "no verdict changed"
    return f"since the run of {report.baseline}: {said}"


def count_changes(found: Iterable[Change]) -> str:
    """How many changes there are of each kind, the gravest first.

    Examples
    --------
    >>> from verify.model.verdict import Verdict
    >>> wrong = Change.from_summaries("h", None, CaseSummary(Verdict.WRONG))
    >>> count_changes([Change("f", Kind.GONE), Change("g", Kind.WORSE), wrong])
    '1 worse, 1 new (1 failing), 1 gone'
    """
    found = list(found)
    counts = Counter(change.kind for change in found)
    failing = sum(change.kind is Kind.NEW and change.is_worse for change in found)
    said = {kind: f"{counts[kind]:,} {kind.value}" for kind in Kind if counts[kind]}
    if failing:
        said[Kind.NEW] += f" ({failing:,} failing)"
    return ", ".join(said.values())


def change_words(found: Sequence[Change]) -> Iterator[tuple[str, str]]:
    """Each changed case, by its id, and what became of it.

    Examples
    --------
    >>> from verify.model.verdict import Verdict
    >>> proved = CaseSummary(Verdict.CORRECT, evidence="proved", ulps=0.5)
    >>> wrong = CaseSummary(Verdict.WRONG, evidence="certified at 1 point to 2⁻³⁰⁰", ulps=2e9)
    >>> [words for _, words in change_words([Change.from_summaries("f", proved, wrong)])]
    ['CORRECT → WRONG: error 0.5 → 2 × 10⁹ ulps']
    """
    for change in found:
        before, after = change.before, change.after
        words = f"{_verdict(before, 'new')} → {_verdict(after, 'gone')}"
        details = [] if before is None or after is None else list(_details(before, after))
        yield change.id, f"{words}: {', '.join(details)}" if details else words


def _verdict(summary: CaseSummary | None, absent: str) -> str:
    return absent if summary is None else summary.verdict.value


def _details(before: CaseSummary, after: CaseSummary) -> Iterator[str]:
    if before.quantity != after.quantity:
        yield f"{before.quantity} → {after.quantity}"
    failing = before.verdict.fails or after.verdict.fails
    if not failing and before.rung and after.rung and before.rung is not after.rung:
        yield f"{before.rung.value} → {after.rung.value}"
    if failing and before.ulps != after.ulps:
        yield f"error {wording.ulps(before.ulps)} → {wording.ulps(after.ulps)} ulps"
