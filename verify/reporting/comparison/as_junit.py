"""JUnit XML: a suite a module, a testcase a case; what is worse, or new and failing, fails."""

from __future__ import annotations

from collections.abc import Sequence

from verify.reporting.as_junit import JudgedCase, Suite, write_suites
from verify.reporting.comparison import words
from verify.reporting.comparison.model import Comparison, Row
from verify.reporting.legible import one_line


def render(found: Comparison) -> str:
    """The comparison as JUnit XML."""
    modules: dict[str, list[Row]] = {}
    for row in found.rows:
        modules.setdefault(row.module, []).append(row)
    facts = {it.name: " → ".join(it.values) for it in found.differences}
    suites = (
        Suite({"name": name or "cases", **_counts(rows)}, facts, (_case(it, found) for it in rows))
        for name, rows in modules.items()
    )
    return "".join(write_suites(words.title(found), _counts(found.rows), suites))


def _outcome(row: Row) -> str:
    """The element that says that a case did not pass, or is not there."""
    if row.change.is_worse:
        return "failure"
    if row.change.is_newly_undecided:
        return "error"
    return "skipped" if row.change.after is None else ""


def _counts(rows: Sequence[Row]) -> dict[str, str]:
    outcomes = [_outcome(row) for row in rows]
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {name: str(outcomes.count(outcome)) for name, outcome in kinds.items()}
    return {"tests": str(len(outcomes)), **counts}


def _case(row: Row, found: Comparison) -> JudgedCase:
    kind, outcome = row.change.kind.value, _outcome(row)
    said = {"message": one_line(f"{kind}: {words.became(row)}")}
    if outcome != "skipped":
        said["type"] = kind
    text = "\n".join(words.history(row, found))
    attributes = {"classname": row.module, "name": row.change.id}
    return JudgedCase(attributes, outcome=outcome, said=said, text=text)
