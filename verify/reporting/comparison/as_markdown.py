"""Markdown for a pull request: counts, what is worse first, and how many more there are.

Everything that came from user code stands in a code span, where no markup is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from verify.reporting.as_markdown import LIMIT
from verify.reporting.comparison import words
from verify.reporting.comparison.model import Comparison, Row
from verify.reporting.generated import COMMENT
from verify.reporting.tables import code, table_row

_FEW: Final = 6
"""Of more runs than this only the first, those around the last change, and the last are columns."""

_LISTED: Final = 20


def render(found: Comparison) -> str:
    """The comparison as GitHub's Markdown, of at most `LIMIT` bytes."""
    head, foot = _head(found), _foot(found)
    room = LIMIT - len("\n\n".join([head, foot, COMMENT]).encode()) - 200
    return "\n\n".join(filter(None, [head, _table(found, room), foot, COMMENT])) + "\n"


def _head(found: Comparison) -> str:
    lines = [f"### {code(words.title(found))}", "", f"**{words.headline(found)}**"]
    if said := words.counts(found):
        lines += ["", said]
    if found.differences:
        lines += ["", "The runs differ in:", ""]
        for it in found.differences:
            lines.append(f"- {code(it.name, 40)} {code(' → '.join(it.values), 400)}")
    return "\n".join(lines)


def _table(found: Comparison, room: int) -> str:
    changed = found.changed
    if not changed:
        return ""
    columns = _columns(found)
    names = [code(found.runs[at].name, 40) for at in columns]
    lines = [
        table_row(["", "case", *names, "evidence", "ulps", "since"]),
        "|:-|:-|" + ":-|" * (len(names) + 3),
    ]
    room -= sum(len(line.encode()) + 1 for line in lines)
    for at, row in enumerate(changed):
        line = table_row(_cells(row, columns))
        if len(line.encode()) + 1 > room:
            more = f"and {len(changed) - at:,} more: see the HTML or JSON comparison."
            return "\n".join([*lines, "", more])
        lines.append(line)
        room -= len(line.encode()) + 1
    return "\n".join(lines)


def _columns(found: Comparison) -> Sequence[int]:
    """Which runs have room: the last of many, and the first."""
    count = len(found.runs)
    return range(count) if count <= _FEW else [0, *range(count - _FEW + 1, count)]


def _cells(row: Row, columns: Sequence[int]) -> list[str]:
    summaries = [words.cell(row.summaries[at]) for at in columns]
    then_and_now = [words.evidence(row.change), words.error(row.change)]
    kind = row.change.kind.value
    sign = f"❌ {kind}" if row.change.is_worse else kind
    return [sign, code(row.change.id, 100), *summaries, *then_and_now, code(row.since, 40)]


def _foot(found: Comparison) -> str:
    failing = [code(row.change.id, 100) for row in found.failing_still]
    renamed = [
        f"{code(it.before, 100)} → {code(it.after, 100)}: {it.reason}" for it in found.renames
    ]
    lists = {"Still failing:": failing, "Perhaps renamed (they count as gone and as new):": renamed}
    return "\n\n".join(_list(title, lines) for title, lines in lists.items() if lines)


def _list(title: str, lines: Sequence[str]) -> str:
    more = len(lines) - _LISTED
    rest = [f"and {more:,} more"] if more > 0 else []
    return "\n".join([title, "", *(f"- {line}" for line in [*lines[:_LISTED], *rest])])
