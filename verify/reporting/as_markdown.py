"""Markdown for a pull request: counts, what is not correct, and the rest folded away.

Everything that came from user code stands in a code span or a code block, where no markup,
mention or reference is read; see :mod:`verify.reporting.tables`.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Final

from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import tables, wording
from verify.reporting.as_issue import first_of_cause, issue
from verify.reporting.changes import change_words, changes_words
from verify.reporting.explain import explanation
from verify.reporting.generated import COMMENT
from verify.reporting.legible import one_line
from verify.reporting.model import Report
from verify.reporting.tables import block, code, table, table_row

LIMIT: Final = 60_000
"""Bytes of UTF-8; GitHub refuses a comment of more than 65,536 characters."""

_ROWS: Final = 100
_UNJUDGED: Final = 200
_MARKS: Final = {
    Verdict.CORRECT: "✅",
    Verdict.KINK: "🔷",
    Verdict.OUTSIDE: "⚪",
    Verdict.UNDECIDED: "❔",
    Verdict.INACCURATE: "🟠",
    Verdict.WRONG: "❌",
}


def parts(report: Report) -> Iterator[str]:
    """The report as GitHub's Markdown, of at most `LIMIT` bytes."""
    others = [it for it in report.cases_by_gravity if it.verdict is not Verdict.CORRECT or it.notes]
    correct = [it for it in report.cases if it.verdict is Verdict.CORRECT and not it.notes]
    page = _Page()
    page.add(_head(report))
    if others:
        page.add("\n".join(_table(others[:_ROWS])))
        page.add(_left_out(len(others[_ROWS:]), "row"))
    first = first_of_cause(others)
    explained = [_explain_case(case, report, first(case)) for case in others]
    page.add_while_room(explained, "explanation")
    page.add_while_room(_fold_correct_cases(correct), "list")
    page.add_while_room(_proofs(report), "table of proofs")
    for summary, found in (
        (wording.suspects(report), tables.suspect_table(report.cases)),
        (wording.not_judged(report), tables.not_judged_table(report.not_judged)),
    ):
        page.add_while_room(_fold_rows(summary, found), "list")
    yield page.text()


def _head(report: Report) -> str:
    counts = (f"{_MARKS[it]} {n:,} {it.value}" for it, n in report.counts.items() if n)
    title = code(report.title)
    lines = [f"### {title}" if title else "### symtape", "", f"**{wording.headline(report)}**"]
    lines += ["", " · ".join(counts)] if report.cases else []
    if noted := wording.count_notes(report):
        lines[-1] += f" · ⚠️ {noted}"
    if report.interrupted:
        lines += ["", "_Interrupted: only the cases that were done are here._"]
    known = (f"{name} {value}" for name, value in wording.environment(report))
    lines += ["", code(" · ".join(known), limit=400)]
    if report.baseline:
        lines += ["", code(changes_words(report)), ""]
        rows = change_words(report.changes[:_ROWS])
        lines += [f"- {code(name, 80)} {words}" for name, words in rows]
    if report.selftest:
        lines += ["", code(f"verifier self-test {report.selftest}", limit=400)]
    return "\n".join([*lines, "", code(report.replay, limit=400)]).rstrip()


def _table(cases: list[Result]) -> list[str]:
    rows = ["| | case | quantity | ulps | claim | where | evidence |", "|:-:|:-|:-|-:|:-|:-|:-|"]
    for case in cases:
        point = case.worst
        where = " ".join(filter(None, [point.op, point.origin])) if point else ""
        cells = [
            f"{_MARKS[case.verdict]} {case.verdict.value}",
            code(case.id, 80),
            code(case.quantity, 20),
            wording.ulps(case.ulps),
            code(wording.claimant(case), 80),
            code(where, 80),
            code(case.basis, 60),
        ]
        rows.append(table_row(cells))
    return rows


def _explain_case(case: Result, report: Report, first: Result | None) -> str:
    """A case in full; of one that fails as another does, for the same cause, only how."""
    summary = f"{_MARKS[case.verdict]} {case.verdict.value} {_html_code(case.id)}"
    body = issue(case, report.versions) if case.fails else block(explanation(case))
    if first is not None:
        body = f"The same code is at fault as in {code(first.id)}.\n\n{block(case.message)}"
    return _details(summary, body)


def _fold_correct_cases(cases: list[Result]) -> list[str]:
    if not cases:
        return []
    lines = [
        f"- {code(case.id, 80)} {code(case.quantity, 20)} {code(case.basis, 60)}"
        for case in cases[:300]
    ]
    lines += [_left_out(len(cases) - 300, "case")] if len(cases) > 300 else []
    count = wording.count_noun(len(cases), "case")
    return [_details(f"✅ {count} correct", "\n".join(lines))]


def _proofs(report: Report) -> list[str]:
    found = table(tables.rung_table(report.rungs), code)
    return [_details(_html_code(wording.rungs(report.rungs)), found)] if report.rungs else []


def _fold_rows(summary: str, found: tables.Table) -> list[str]:
    """A list of the rows of a table, of which there may be many."""
    lines = [f"- {' '.join(code(cell, 400) for cell in row)}" for row in found.rows[:_UNJUDGED]]
    lines += [_left_out(len(found.rows[_UNJUDGED:]), "line")]
    return [_details(summary, "\n".join(filter(None, lines)))] if found.rows else []


def _details(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _html_code(text: str) -> str:
    return f"<code>{html.escape(one_line(text, 80))}</code>"


def _left_out(number: int, noun: str) -> str:
    more = wording.count_noun(number, noun)
    return f"_… {more} left out: see the HTML or JSON report._" if number else ""


class _Page:
    """Parts of a page, up to the limit."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = LIMIT - 1_000

    def add(self, part: str) -> None:
        """Add a part, whatever its size."""
        if part:
            self._parts.append(part)
            self._room -= len(part.encode()) + 2

    def add_while_room(self, parts: list[str], noun: str) -> None:
        """Add parts in order as long as they fit, and say how many did not."""
        for at, part in enumerate(parts):
            if len(part.encode()) + 2 > self._room:
                self.add(_left_out(len(parts) - at, noun))
                return
            self.add(part)

    def text(self) -> str:
        """The page."""
        return "\n\n".join([*self._parts, COMMENT]) + "\n"
