"""JUnit XML: a suite a suite, a testcase a case, for the dashboards that read it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
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
    counts = _counts(report.cases, report.elapsed)
    suites = (_suite(name, cases, report) for name, cases in by_suite.items())
    yield from write_suites(report.title, counts, suites)


def write_suites(
    title: str, counts: Mapping[str, str], suites: Iterable[Iterable[str]]
) -> Iterator[str]:
    """A document of suites that :func:`write_suite` writes."""
    root = ElementTree.Element("testsuites", {"name": one_line(title), **counts})
    root.append(ElementTree.Comment(COMMENT.removeprefix("<!--").removesuffix("-->")))
    yield "<?xml version='1.0' encoding='utf-8'?>\n"
    yield from _wrap_children(root, suites, 0)
    yield "\n"


def write_suite(
    attributes: Mapping[str, str], facts: Mapping[str, str], cases: Iterable[Iterable[str]]
) -> Iterator[str]:
    """A suite of cases that :func:`write_case` writes."""
    suite = ElementTree.Element("testsuite", _legible(attributes))
    _add_properties(suite, facts)
    yield from _wrap_children(suite, cases, 1)


def write_case(
    attributes: Mapping[str, str],
    facts: Mapping[str, str] = MappingProxyType({}),
    outcome: str = "",
    said: Mapping[str, str] = MappingProxyType({}),
    text: str = "",
) -> Iterator[str]:
    """A case, and the element that tells its outcome, if there is one."""
    element = ElementTree.Element("testcase", _legible(attributes))
    if facts:
        _add_properties(element, facts)
    if outcome:
        ElementTree.SubElement(element, outcome, dict(said)).text = legible(text)
    ElementTree.indent(element, level=2)
    yield ElementTree.tostring(element, encoding="unicode")


def _legible(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: one_line(value) for name, value in attributes.items()}


def _add_properties(parent: ElementTree.Element, facts: Mapping[str, str]) -> None:
    group = ElementTree.SubElement(parent, "properties")
    for name, value in facts.items():
        ElementTree.SubElement(group, "property", name=one_line(name), value=one_line(value))


def _suite(name: str, cases: Sequence[Result], report: Report) -> Iterator[str]:
    facts = [("interrupted", str(report.interrupted).lower()), ("selftest", report.selftest)]
    facts = [*wording.environment(report), *(fact for fact in facts if fact[1])]
    counts = _counts(cases, sum(case.seconds for case in cases))
    attributes = {"name": name, "timestamp": report.created, **counts}
    return write_suite(attributes, dict(facts), map(_case, cases))


def _wrap_children(
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


def _counts(cases: Iterable[Result], seconds: float) -> dict[str, str]:
    outcomes = [_OUTCOMES.get(case.verdict) for case in cases]
    numbers = {
        "tests": len(outcomes),
        "failures": outcomes.count("failure"),
        "errors": outcomes.count("error"),
    }
    return {name: str(number) for name, number in numbers.items()} | {"time": _time(seconds)}


def _case(case: Result) -> Iterator[str]:
    attributes = {"classname": case.suite, "name": case.id, "time": _time(case.seconds)}
    if case.source:
        attributes |= {"file": case.source.file, "line": str(case.source.line)}
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
    facts = {name: value for name, value in facts.items() if value}
    if outcome := _OUTCOMES.get(case.verdict):
        how = f": {case.misbehaviour.value}" if case.misbehaviour else ""
        said = {"type": f"{case.verdict.value}{how}", "message": summary(case)}
        return write_case(attributes, facts, outcome, said, explanation(case))
    told = case.verdict is not Verdict.CORRECT or case.notes
    text = explanation(case) if told else ""
    return write_case(attributes, facts, "system-out" if told else "", text=text)


def _time(seconds: float) -> str:
    return f"{seconds:.3f}" if math.isfinite(seconds) else "0.000"
