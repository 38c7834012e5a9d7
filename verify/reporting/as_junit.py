"""JUnit XML: a suite a suite, a testcase a case, for the dashboards that read it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from xml.etree import ElementTree

from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import wording
from verify.reporting.explain import explanation, summary
from verify.reporting.generated import COMMENT
from verify.reporting.legible import legible, one_line
from verify.reporting.model import Report

_OUTCOMES: Final[Mapping[Verdict, str]] = {
    Verdict.WRONG: "failure",
    Verdict.INACCURATE: "failure",
    Verdict.UNDECIDED: "error",
}
"""The element that says a case did not pass; a kink passes, as the command does."""

_INDENT: Final = "  "


def parts(report: Report) -> Iterator[str]:
    """The report as JUnit XML."""
    by_suite: dict[str, list[Result]] = {}
    for name in [*report.suites, *(case.suite for case in report.cases)]:
        by_suite.setdefault(name, [])
    for case in report.cases:
        by_suite[case.suite].append(case)
    root = ElementTree.Element("testsuites", name=one_line(report.title))
    root.append(ElementTree.Comment(COMMENT.removeprefix("<!--").removesuffix("-->")))
    _count(root, report.cases, report.elapsed)
    yield "<?xml version='1.0' encoding='utf-8'?>\n"
    yield from _around(root, (_suite(name, it, report) for name, it in by_suite.items()), 0)
    yield "\n"


def _suite(name: str, cases: Sequence[Result], report: Report) -> Iterator[str]:
    suite = ElementTree.Element(
        "testsuite", name=one_line(name), timestamp=one_line(report.created)
    )
    _count(suite, cases, sum(case.seconds for case in cases))
    facts = [("interrupted", str(report.interrupted).lower()), ("selftest", report.selftest)]
    facts = [*wording.environment(report), *(fact for fact in facts if fact[1])]
    _properties(suite, dict(facts))
    yield from _around(suite, map(_testcase, cases), 1)


def _around(
    element: ElementTree.Element, children: Iterable[Iterable[str]], level: int
) -> Iterator[str]:
    """An element with further children, which are written one by one as they come."""
    ElementTree.indent(element, level=level)
    text = ElementTree.tostring(element, encoding="unicode")
    head, closing, tag = text.rpartition("</")
    head, margin = head.rstrip(), _INDENT * level
    yield head
    for child in children:
        yield f"\n{_INDENT}{margin}"
        yield from child
    yield f"\n{margin}{closing}{tag}"


def _count(element: ElementTree.Element, cases: Iterable[Result], seconds: float) -> None:
    outcomes = [_OUTCOMES.get(case.verdict) for case in cases]
    element.set("tests", str(len(outcomes)))
    element.set("failures", str(outcomes.count("failure")))
    element.set("errors", str(outcomes.count("error")))
    element.set("time", _time(seconds))


def _testcase(case: Result) -> Iterator[str]:
    element = ElementTree.Element(
        "testcase",
        classname=one_line(case.suite),
        name=one_line(case.id),
        time=_time(case.seconds),
    )
    if case.source:
        element.set("file", one_line(case.source.file))
        element.set("line", str(case.source.line))
    ulps = "" if case.ulps is None else repr(float(case.ulps))
    facts = {
        "verdict": case.verdict.value,
        "evidence": case.basis,
        "quantity": case.quantity,
        "claimant": case.claimant,
        "misbehaviour": case.misbehaviour.value if case.misbehaviour else "",
        "sampled": str(case.sampled) if case.sampled else "",
        "ulps": ulps,
        "points": str(len(case.points)),
        "replay": case.replay,
        "notes": str(len(case.notes)) if case.notes else "",
        "searched": wording.coverage(case.coverage) if case.coverage else "",
        "severity": f"{case.severity:.3g}" if case.fails and case.severity else "",
    }
    _properties(element, {name: value for name, value in facts.items() if value})
    outcome = _OUTCOMES.get(case.verdict)
    if outcome:
        how = f": {case.misbehaviour.value}" if case.misbehaviour else ""
        said = ElementTree.SubElement(
            element, outcome, type=f"{case.verdict.value}{how}", message=summary(case)
        )
        said.text = legible(explanation(case))
    elif case.verdict is not Verdict.CORRECT or case.notes:
        ElementTree.SubElement(element, "system-out").text = legible(explanation(case))
    ElementTree.indent(element, level=2)
    yield ElementTree.tostring(element, encoding="unicode")


def _properties(parent: ElementTree.Element, facts: Mapping[str, str]) -> None:
    group = ElementTree.SubElement(parent, "properties")
    for name, value in facts.items():
        ElementTree.SubElement(group, "property", name=one_line(name), value=one_line(value))


def _time(seconds: float) -> str:
    return f"{seconds:.3f}" if math.isfinite(seconds) else "0.000"
