"""Audits as pages: an index, and a page for each function. No network, no scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verify.auditing.libraries.as_markdown import (
    among_many,
    headline,
    issue,
    segments_of,
    summary_of,
    title_of,
    worst_of,
)
from verify.auditing.libraries.entries import WORDS, Audit, Entry, rank
from verify.model.accuracy import caption
from verify.model.verdict import Verdict
from verify.reporting import tables
from verify.reporting.accuracy_plot import svg
from verify.reporting.as_html import environment, markup

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES: Final = Path(__file__).parent / "templates"
_SHOWN: Final = 1
"""Entries of a function that are drawn, the gravest; the others are in its table."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot of a page."""

    caption: str
    svg: Any


@dataclass(frozen=True, slots=True)
class Section:
    """An entry at fault, as its page shows it."""

    entry: Entry
    figures: tuple[Figure, ...]
    segments: tuple[tuple[str, tables.Table], ...]


def stem(name: str) -> str:
    """What the page of a function is called.

    Examples
    --------
    >>> stem("log_ndtr")
    'log_ndtr'
    """
    return re.sub(r"[^\w-]+", "-", name)


def pages(audit: Audit) -> dict[str, str]:
    """Every page by the name of its file: ``index.html`` and ``FUNCTION.html``.

    Of functions without a fault only the index speaks.
    """
    templates = _environment()
    functions = audit.functions
    cells = {name: _cells(audit, found) for name, found in functions.items()}
    shared = {"audit": audit, "title": title_of(audit)}
    found = {
        "index.html": templates.get_template("index.html.j2").render(
            **shared,
            headline=headline(audit),
            functions=functions,
            worst={name: worst_of(it) for name, it in functions.items()},
            columns=_columns(audit),
            cells=cells,
        )
    }
    for name, entries in functions.items():
        if any(it.is_fault for it in entries):
            sections = [_section(it, n) for n, it in enumerate(drawn(entries))]
            found[f"{stem(name)}.html"] = templates.get_template("function.html.j2").render(
                **shared,
                name=name,
                worst=worst_of(entries),
                entries=entries,
                sections=sections,
                markdown=issue(audit, entries),
            )
    return found


def _columns(audit: Audit) -> list[tuple[str, int]]:
    """The columns of the index: a format and an order."""
    return list(dict.fromkeys((it.format, _order(it)) for it in audit.entries))


def _order(entry: Entry) -> int:
    return 2 if "²" in entry.derivative else 1


def _cells(audit: Audit, entries: list[Entry]) -> list[Entry | None]:
    """The gravest entry in each column."""
    cells: list[Entry | None] = []
    for form, order in _columns(audit):
        here = [it for it in entries if it.format == form and _order(it) == order]
        cells.append(min(here, key=rank, default=None))
    return cells


def drawn(entries: list[Entry]) -> list[Entry]:
    """The gravest entries of a page, given all in their order."""
    faults = [it for it in entries if it.is_fault]
    return faults[:_SHOWN]


def _section(entry: Entry, number: int) -> Section:
    from markupsafe import Markup

    figures, segments = [], []
    accuracy = entry.accuracy
    for at, coordinate in enumerate(accuracy.coordinates if accuracy else ()):
        assert accuracy is not None
        for n, profile in enumerate(coordinate.profiles):
            drawing = svg(accuracy, coordinate, profile, f"p{number}-{at}-{n}")
            figures.append(Figure(f"over {coordinate.name}, {caption(profile)}", Markup(drawing)))
        segments.append((coordinate.name, segments_of(entry, coordinate)))
    return Section(entry, tuple(figures), tuple(segments))


def _environment() -> Environment:
    made = environment(_TEMPLATES)
    made.filters |= {
        "summary": summary_of,
        "stem": stem,
        "gravity": _gravity,
        "among_many": among_many,
    }
    made.globals |= {
        "verdicts": list(Verdict)[::-1],
        "ranking": WORDS,
        "style": markup(_TEMPLATES / "style.css"),
    }
    return made


def _gravity(severity: float) -> str:
    """A severity in a word.

    Examples
    --------
    >>> _gravity(0.5), _gravity(0.05), _gravity(1e-9)
    ('grave', 'notable', 'slight')
    """
    return "grave" if severity >= 0.2 else "notable" if severity >= 1e-3 else "slight"
