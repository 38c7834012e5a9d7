"""One self-contained page: a table of the cases by module, with a column for each run.

The first rows are markup; all rows are data in the page, of which a script shows those that are
filtered for, a part at a time, so that ten thousand of them open at once.
"""

from __future__ import annotations

from typing import Any, Final

from verify.model.change import QUIET, CaseSummary, Kind
from verify.model.verdict import Verdict
from verify.reporting import wording
from verify.reporting.as_html import escape_json, template
from verify.reporting.comparison import words
from verify.reporting.comparison.model import SCHEMA, Comparison, Row
from verify.reporting.legible import legible

_FIRST: Final = 200
"""Rows that are markup, and that the script shows at a time."""


def render(found: Comparison) -> str:
    """The comparison as one HTML page."""
    from markupsafe import Markup

    page = template("comparison.html.j2")
    return page.render(
        found=found,
        cases=found.rows,
        schema=SCHEMA,
        title=words.title(found),
        headline=words.headline(found),
        counts=found.counts,
        kinds=words.KINDS,
        quiet=QUIET,
        rows=_first(found),
        became=words.became,
        brief=brief,
        in_full=words.describe_summary,
        data=Markup(_data(found)),
    )


def _first(found: Comparison) -> list[Row]:
    """The rows that are shown at first: what changed, if anything did."""
    changed = [row for row in found.rows if row.change.kind not in QUIET]
    return (changed or list(found.rows))[:_FIRST]


def brief(summary: CaseSummary) -> str:
    """What stands below a verdict: the rung of evidence, and of what fails the error.

    Examples
    --------
    >>> brief(CaseSummary(Verdict.WRONG, "gradient", "certified at 1 point to 2⁻³⁰⁰", 2e9))
    '2 × 10⁹ ulps, certified'
    """
    error = summary.verdict.fails and summary.ulps is not None
    said = [f"{wording.ulps(summary.ulps)} ulps" if error else ""]
    said.append(summary.rung.value if summary.rung else "")
    return ", ".join(filter(None, said))


def _data(found: Comparison) -> str:
    """The rows as JSON, in which no text can end the element that it stands in."""
    known: dict[str, int] = {}
    seen: dict[tuple[Any, ...], int] = {}
    rows = [_row(row, known, seen) for row in found.rows]
    kinds = [kind.value for kind in Kind]
    glyphs = {verdict.value: wording.GLYPHS[verdict] for verdict in Verdict}
    cells = list(seen)
    data = {
        "shown": _FIRST,
        "kinds": kinds,
        "glyphs": glyphs,
        "cells": cells,
        "words": list(known),
        "rows": rows,
    }
    return escape_json(data)


def _row(row: Row, known: dict[str, int], seen: dict[tuple[Any, ...], int]) -> list[Any]:
    def word(text: str) -> int:
        return known.setdefault(legible(text), len(known))

    def cell(summary: CaseSummary | None) -> int:
        if summary is None:
            return -1
        shown = (summary.verdict.value, brief(summary), legible(words.describe_summary(summary)))
        return seen.setdefault(shown, len(seen))

    return [
        word(row.module),
        legible(row.name),
        list(Kind).index(row.change.kind),
        int(row.change.is_worse),
        word(words.became(row)),
        word(row.since),
        [cell(summary) for summary in row.summaries],
    ]
