"""The reports in ``reports/`` are what the suites say today.

Apart are dates, times, versions, and the score of the self-test, which is of other sources as soon
as a comment changes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from verify.model.verdict import Verdict
from verify.report import load, paths, render
from verify.suites import SUITES

FOLDER = Path(__file__).parents[3] / "reports"
FORMATS = ("json", "junit", "markdown", "html")
EVERY = 5
"""Of so many cases one is verified again; all are by a campaign, as ``.ci/run`` does."""


@pytest.fixture(scope="module")
def committed():
    return load(FOLDER / "report.json")


def made_now(command, folder, *words):
    command(folder, "verify", "--suites", *words, "--out", "reports")
    return load(folder / "reports" / "report.json")


@pytest.fixture(scope="module")
def today(command, tmp_path_factory):
    return made_now(command, tmp_path_factory.mktemp("today"))


@pytest.fixture(scope="module")
def some(committed, command, tmp_path_factory):
    names = [word for case in committed.cases[::EVERY] for word in ("--case", case.id)]
    return made_now(command, tmp_path_factory.mktemp("some"), *names)


def as_of(report, other):
    """`report`, had it been made at the time and with the versions of `other`."""
    seconds = {case.id: case.seconds for case in other.cases}
    return replace(
        report,
        created=other.created,
        versions=other.versions,
        elapsed=other.elapsed,
        selftest=other.selftest,
        cases=tuple(replace(case, seconds=seconds[case.id]) for case in report.cases),
    )


def facts(case):
    """What does not depend on the last digits of NumPy's functions."""
    forms = [(form.name, form.text) for form in case.closed_forms]
    basis = "" if case.coverage else case.basis
    return (case.id, case.title, case.quantity, case.verdict, basis, case.source, forms)


def test_every_case_is_there_and_no_other(committed):
    expected = [case.id for suite in SUITES.values() for case in suite()]
    assert [case.id for case in committed.cases] == expected


def test_every_verdict_is_good(committed):
    allowed = {Verdict.CORRECT, Verdict.KINK, Verdict.OUTSIDE}
    assert {case.id: case.verdict for case in committed.cases if case.verdict not in allowed} == {}


def test_some_verdicts_evidence_and_closed_forms_are_those_of_today(committed, some):
    known = replace(committed, cases=committed.cases[::EVERY])
    assert [*map(facts, known.cases)] == [*map(facts, some.cases)]
    if known.versions == some.versions:
        assert list(as_of(some, known).cases) == list(known.cases)


@pytest.mark.campaign
def test_the_verdicts_evidence_and_closed_forms_are_those_of_today(committed, today):
    assert [*map(facts, committed.cases)] == [*map(facts, today.cases)]
    assert committed.rungs == today.rungs


@pytest.mark.campaign
@pytest.mark.parametrize("form", FORMATS)
def test_the_reports_are_those_of_today_to_the_byte(form, committed, today):
    if committed.versions != today.versions:
        pytest.skip(f"made with {committed.versions}, and floats of other versions differ")
    [file] = paths(FOLDER, [form])
    assert render(as_of(today, committed), form) == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_the_renderings_are_of_the_same_run(form, committed):
    [file] = paths(FOLDER, [form])
    assert render(committed, form) == file.read_text(encoding="utf-8")
