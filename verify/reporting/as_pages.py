"""A large report as pages: an index with a table of all cases, and pages of details beside it.

A browser takes seconds to lay out ten thousand cases. The index holds the first rows as markup and
all of them as data, of which a script shows a part; whatever is filtered, sorted or searched is so
over all cases. Without scripts the first rows and the links to all pages of details remain. Nothing
is fetched, so that the pages work from a folder as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import wording
from verify.reporting.as_html import anchor_cases, context, escape_json, template
from verify.reporting.legible import legible
from verify.reporting.model import Report

MOST: Final = 500
"""More cases than this are not shown on one page."""

_SIZE: Final = 50
"""Cases on a page of details."""

_FIRST: Final = 100
"""Rows of the table at a time."""

_Placed: TypeAlias = tuple[Result, str, int]
"""A case, its anchor and its number in the report."""


def files(report: Report, name: str, folder: str) -> Iterator[tuple[str, Iterator[str]]]:
    """The pages, each by its path and in parts: the index first.

    The index is called `name`; the pages of details are in `folder`, beside it.
    """
    order = list(Verdict)
    cases = sorted(anchor_cases(report.cases), key=lambda it: -order.index(it[0].verdict))
    yield f"{name}.html", _index(report, cases, folder)
    for number in range(math.ceil(len(cases) / _SIZE)):
        yield f"{folder}/{_page(number)}", _details(report, cases, number, name)


def _page(number: int) -> str:
    return f"{number + 1:04d}.html"


def _index(report: Report, cases: Sequence[_Placed], folder: str) -> Iterator[str]:
    from markupsafe import Markup

    count = math.ceil(len(cases) / _SIZE)
    page = template("index.html.j2")
    yield from page.generate(
        cases=cases,
        first=[
            (case, anchor, f"{folder}/{_page(at // _SIZE)}#{anchor}")
            for at, (case, anchor, _) in enumerate(cases[:_FIRST])
        ],
        places=[
            (at * _SIZE + 1, min((at + 1) * _SIZE, len(cases)), f"{folder}/{_page(at)}")
            for at in range(count)
        ],
        pages=count,
        lean=sum(_is_lean(case) for case in report.cases),
        data=map(Markup, _data(cases, folder)),
        **context(report),
    )


def _data(cases: Sequence[_Placed], folder: str) -> Iterator[str]:
    """Lines of JSON of what the table shows of each case; words that repeat stand at the end."""
    known: dict[str, int] = {}
    verdicts = [(verdict.value, wording.GLYPHS[verdict]) for verdict in reversed(Verdict)]
    head = {"folder": folder, "size": _SIZE, "shown": _FIRST, "verdicts": verdicts}
    yield f'{escape_json(head)[:-1]},"rows":['
    for number, (case, anchor, _) in enumerate(cases, start=1):
        yield escape_json(_row(case, anchor, known)) + ("," if number < len(cases) else "")
    yield f'],"words":{escape_json(list(known))}}}'


def _row(case: Result, anchor: str, known: dict[str, int]) -> list[Any]:
    def word(text: str) -> int:
        return known.setdefault(legible(text), len(known))

    seconds = case.seconds if math.isfinite(case.seconds) else str(case.seconds)
    ulps = -1.0 if case.ulps is None else case.ulps
    return [
        legible(case.id),
        anchor,
        len(Verdict) - 1 - list(Verdict).index(case.verdict),
        word(case.quantity),
        word(case.basis),
        word(f"{case.claimant} {case.title if case.title != case.id else ''}".rstrip()),
        ulps if math.isfinite(ulps) else str(ulps),
        wording.ulps(case.ulps),
        len(case.points),
        seconds,
        wording.time(case.seconds),
    ]


def _details(report: Report, cases: Sequence[_Placed], number: int, name: str) -> Iterator[str]:
    start = number * _SIZE
    shown = cases[start : start + _SIZE]
    page = template("details.html.j2")
    yield from page.generate(
        cases=[(_lean(case), anchor, place) for case, anchor, place in shown],
        index=f"../{name}.html",
        total=len(cases),
        words=f"Cases {start + 1:,} to {start + len(shown):,}",
        before=_page(number - 1) if number else "",
        after=_page(number + 1) if start + _SIZE < len(cases) else "",
        **context(report),
    )


def _is_lean(case: Result) -> bool:
    """Whether its plots are left out: there is little to see, and they are most of a page."""
    return case.verdict is Verdict.CORRECT and not case.notes and case.accuracy is not None


def _lean(case: Result) -> Result:
    return replace(case, accuracy=None) if _is_lean(case) else case
