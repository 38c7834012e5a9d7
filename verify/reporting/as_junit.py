"""JUnit XML: a suite a suite, a testcase a case, for the dashboards that read it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from verify.files import package_data
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import wording
from verify.reporting.explain import explanation, summary
from verify.reporting.generated import COMMENT
from verify.reporting.legible import legible, one_line
from verify.reporting.model import Report

_TEMPLATE: Final = Path(__file__).parent / "templates" / "junit.xml.j2"

_OUTCOMES: Final[Mapping[Verdict, str]] = {
    Verdict.WRONG: "failure",
    Verdict.INACCURATE: "failure",
    Verdict.UNDECIDED: "error",
}
"""The element that says a case did not pass; a kink passes, as the command does."""


class JudgedCase(NamedTuple):
    """A case, and the element that tells its outcome, if there is one."""

    attributes: Mapping[str, str]
    facts: Mapping[str, str] = MappingProxyType({})
    outcome: str = ""
    said: Mapping[str, str] = MappingProxyType({})
    text: str = ""


class Suite(NamedTuple):
    """Cases with what they have in common."""

    attributes: Mapping[str, str]
    facts: Mapping[str, str]
    cases: Iterable[JudgedCase]


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


def write_suites(title: str, counts: Mapping[str, str], suites: Iterable[Suite]) -> Iterator[str]:
    """A document of suites, in parts."""
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    made.filters |= {"attributes": _write_attributes, "text": lambda text: escape(legible(text))}
    page = made.from_string(package_data.text(_TEMPLATE))
    return page.generate(attributes={"name": title, **counts}, comment=COMMENT, suites=suites)


def _write_attributes(given: Mapping[str, str]) -> str:
    pairs = ((name, escape(one_line(value), {'"': "&quot;"})) for name, value in given.items())
    return "".join(f' {name}="{value}"' for name, value in pairs)


def _suite(name: str, cases: Sequence[Result], report: Report) -> Suite:
    facts = [("interrupted", str(report.interrupted).lower()), ("selftest", report.selftest)]
    facts = [*wording.environment(report), *(fact for fact in facts if fact[1])]
    counts = _counts(cases, sum(case.seconds for case in cases))
    attributes = {"name": name, "timestamp": report.created, **counts}
    return Suite(attributes, dict(facts), map(_case, cases))


def _counts(cases: Iterable[Result], seconds: float) -> dict[str, str]:
    outcomes = [_OUTCOMES.get(case.verdict) for case in cases]
    numbers = {
        "tests": len(outcomes),
        "failures": outcomes.count("failure"),
        "errors": outcomes.count("error"),
    }
    return {name: str(number) for name, number in numbers.items()} | {"time": _time(seconds)}


def _case(case: Result) -> JudgedCase:
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
        return JudgedCase(attributes, facts, outcome, said, explanation(case))
    told = case.verdict is not Verdict.CORRECT or case.notes
    text = explanation(case) if told else ""
    return JudgedCase(attributes, facts, "system-out" if told else "", text=text)


def _time(seconds: float) -> str:
    return f"{seconds:.3f}" if math.isfinite(seconds) else "0.000"
