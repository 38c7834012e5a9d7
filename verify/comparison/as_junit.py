"""JUnit XML: a suite a module, a testcase a case; what is worse, or new and failing, fails."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from verify.comparison import words
from verify.comparison.model import Comparison, Row
from verify.reporting.generated import COMMENT
from verify.reporting.legible import legible, one_line


def render(found: Comparison) -> str:
    """The comparison as JUnit XML."""
    root = ElementTree.Element("testsuites", name=one_line(words.title(found)))
    root.append(ElementTree.Comment(COMMENT.removeprefix("<!--").removesuffix("-->")))
    _count(root, found.rows)
    modules: dict[str, list[Row]] = {}
    for row in found.rows:
        modules.setdefault(row.module, []).append(row)
    for module, rows in modules.items():
        suite = ElementTree.SubElement(root, "testsuite", name=one_line(module) or "cases")
        _count(suite, rows)
        group = ElementTree.SubElement(suite, "properties")
        for it in found.differences:
            value = one_line(" → ".join(it.values))
            ElementTree.SubElement(group, "property", name=one_line(it.name), value=value)
        for row in rows:
            _testcase(suite, row, found)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n"


def _outcome(row: Row) -> str:
    """The element that says that a case did not pass, or is not there."""
    if row.change.is_worse:
        return "failure"
    if row.change.is_newly_undecided:
        return "error"
    return "skipped" if row.change.after is None else ""


def _count(element: ElementTree.Element, rows: Sequence[Row]) -> None:
    outcomes = [_outcome(row) for row in rows]
    element.set("tests", str(len(outcomes)))
    for name, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(outcomes.count(outcome)))


def _testcase(suite: ElementTree.Element, row: Row, found: Comparison) -> None:
    element = ElementTree.SubElement(
        suite, "testcase", classname=one_line(row.module), name=one_line(row.change.id)
    )
    told = one_line(f"{row.change.kind.value}: {words.became(row)}")
    if outcome := _outcome(row):
        said = ElementTree.SubElement(element, outcome, message=told)
        if outcome != "skipped":
            said.set("type", row.change.kind.value)
        said.text = legible("\n".join(words.history(row, found)))
