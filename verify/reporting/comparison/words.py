"""A comparison in words that every rendering shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from verify.model.change import CaseSummary, Change, Kind
from verify.reporting import wording
from verify.reporting.changes import change_words, count_changes
from verify.reporting.comparison.model import Comparison, Row

KINDS: Final = {
    Kind.WORSE: "wrong or inaccurate now, and was not; or WRONG where it was INACCURATE",
    Kind.NEW: "in the last run, and not in the first",
    Kind.CHANGED: "another verdict, quantity or rung of evidence, or a failure with another error",
    Kind.GONE: "in the first run, and not in the last, which covers its suite, file or package",
    Kind.FIXED: "was wrong or inaccurate, and is not",
    Kind.NOT_RUN: "not in the last run, which does not cover all of its suite, file or package",
    Kind.FAILING: "wrong or inaccurate, as it was, with an error of the same size",
    Kind.UNCHANGED: "the same verdict, on the same rung of evidence",
}
"""What each kind of change says."""


def title(found: Comparison) -> str:
    """Which runs stand beside each other.

    Examples
    --------
    >>> from verify.reporting.comparison.model import Run
    >>> title(Comparison((Run("a 1", "", "", 0), Run("a 2", "", "", 0)), (), ()))
    'a 2 beside a 1'
    """
    first, last = found.runs[0].name, found.runs[-1].name
    between = len(found.runs) - 2
    return f"{last} beside {first}" + (f", and {between:,} in between" if between else "")


def headline(found: Comparison) -> str:
    """The outcome in one sentence."""
    if not found.is_comparable:
        return "The runs have no case in common."
    changes = [row.change for row in found.rows]
    worse = sum(change.kind is Kind.WORSE for change in changes)
    failing = sum(change.is_worse for change in changes) - worse
    if worse or failing:
        said = [
            f"{worse:,} worse" if worse else "",
            f"{failing:,} newly failing" if failing else "",
        ]
        total = wording.count_noun(found.runs[-1].cases, "case")
        return f"{' and '.join(filter(None, said))} among {total}."
    undecided = sum(change.is_newly_undecided for change in changes)
    if undecided:
        return f"Nothing is worse; {wording.count_noun(undecided, 'case')} newly undecided."
    if found.runs[-1].interrupted:
        return "Nothing is worse so far; the last run was interrupted."
    return "Nothing is worse." if found.changed else "Nothing changed."


def counts(found: Comparison) -> str:
    """How many cases there are of each kind of change."""
    return count_changes(row.change for row in found.rows)


def became(row: Row) -> str:
    """What became of a case."""
    [(_, words)] = change_words([row.change])
    return words


def cell(summary: CaseSummary | None) -> str:
    """What a run found of a case, in a word; a dash where it is not there.

    Examples
    --------
    >>> cell(None)
    '–'
    """
    return "–" if summary is None else summary.verdict.value


def describe_summary(summary: CaseSummary | None) -> str:
    """What a run found of a case: verdict, evidence, worst error.

    Examples
    --------
    >>> from verify.model.verdict import Verdict
    >>> basis = "certified at 1 point to 2⁻³⁰⁰"
    >>> describe_summary(CaseSummary(Verdict.WRONG, "gradient", basis, 2e9))
    'WRONG, 2 × 10⁹ ulps; certified at 1 point to 2⁻³⁰⁰'
    """
    if summary is None:
        return "not there"
    error = "" if summary.ulps is None else f", {wording.ulps(summary.ulps)} ulps"
    evidence = f"; {summary.evidence}" if summary.evidence else ""
    return f"{summary.verdict.value}{error}{evidence}"


def history(row: Row, found: Comparison) -> Iterator[str]:
    """A line for each run: what it found of a case."""
    for run, summary in zip(found.runs, row.summaries, strict=True):
        yield f"{run.name}: {describe_summary(summary)}"


def evidence(change: Change) -> str:
    """The rungs then and now.

    Examples
    --------
    >>> from verify.model.verdict import Verdict
    >>> then, now = (CaseSummary(Verdict.CORRECT, "", it, 0.5) for it in ("proved", "sampled"))
    >>> change = Change.from_summaries("f", then, now)
    >>> evidence(change), error(change)
    ('proved → sampled', '0.5')
    """
    return _then_and_now(change, lambda it: it.rung.value if it.rung else "–")


def error(change: Change) -> str:
    """The worst errors then and now, in ulps."""
    return _then_and_now(change, lambda it: wording.ulps(it.ulps))


def _then_and_now(change: Change, of: Callable[[CaseSummary], str]) -> str:
    found = [of(summary) for summary in (change.before, change.after) if summary is not None]
    return " → ".join(dict.fromkeys(found))
