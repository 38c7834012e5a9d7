"""One self-contained page: no network, light and dark, on paper, and without scripts.

Whatever came from user code reaches the page through Jinja's escaping; the only markup let
through is the plots', which is ours, and MathML, which :mod:`verify.reporting.mathml` writes anew.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verify.files import package_data
from verify.model.accuracy import caption
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import html_case, tables, wording
from verify.reporting.as_issue import first_of_cause, issue
from verify.reporting.changes import change_words, changes_words
from verify.reporting.explain import note_lines
from verify.reporting.legible import legible
from verify.reporting.model import SCHEMA, Report

if TYPE_CHECKING:
    from jinja2 import Template

_TEMPLATES: Final = Path(__file__).parent / "templates"


def parts(report: Report) -> Iterator[str]:
    """The report as one HTML page, however many cases it has."""
    cases = list(anchor_cases(report.cases))
    order = list(Verdict)
    page = template("page.html.j2")
    yield from page.generate(
        cases=cases,
        sorted_cases=sorted(cases, key=lambda it: -order.index(it[0].verdict)),
        **context(report),
    )


def context(report: Report) -> dict[str, Any]:
    """What the templates of a report's pages know."""
    return {
        "report": report,
        "title": report.title,
        "schema": SCHEMA,
        "parts": html_case,
        "tables": tables,
        "wording": wording,
        "issue": issue,
        "first_of_cause": first_of_cause(report.cases_by_gravity),
        "note_lines": note_lines,
        "caption": caption,
        "counts": report.counts,
        "headline": wording.headline(report),
        "facts": wording.environment(report),
        "verdicts": list(Verdict)[::-1],
        "rungs": tables.rung_table(report.rungs) if report.rungs else None,
        "changes": changes_words(report),
        "changed": list(change_words(report.changes)),
        "rung_counts": wording.rungs(report.rungs),
    }


def anchor_cases(cases: Iterable[Result]) -> Iterator[tuple[Result, str, int]]:
    """Each case with its place on a page, a name, and its number."""
    taken: set[str] = set()
    for number, case in enumerate(cases, start=1):
        yield case, _anchor(case.id, taken), number


def _anchor(name: str, taken: set[str]) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80]
    base = f"case-{words}" if words else "case"
    anchor, number = base, 1
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken.add(anchor)
    return anchor


def template(name: str) -> Template:
    """A template of a page: escaped, with the words of reports, the style and the script."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=FunctionLoader(lambda name: package_data.text(_TEMPLATES / name)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_legible,
    )
    made.filters |= {
        "ulps": wording.ulps,
        "quantity": wording.quantity,
        "time": wording.time,
        "counted": wording.count_noun,
    }
    style, script = (
        Markup(package_data.text(_TEMPLATES / file).strip()) for file in ("style.css", "script.js")
    )
    digest = hashlib.sha256(script.encode()).digest()
    made.globals |= {
        "glyphs": wording.GLYPHS,
        "meanings": wording.MEANINGS,
        "style": style,
        "script": script,
        # By which a page allows its script to run, and no other.
        "script_hash": f"sha256-{base64.b64encode(digest).decode()}",
    }
    return made.get_template(name)


def _legible(value: Any) -> Any:
    from markupsafe import Markup

    return legible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def escape_json(value: Any) -> str:
    """JSON in which no text can end the element of a page that it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
