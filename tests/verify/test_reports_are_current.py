"""The reports in ``reports/`` are what the suites say today, times and versions apart."""

from pathlib import Path

import pytest

from verify import campaign
from verify.report import load
from verify.suites import SUITES
from verify.verdict import Verdict

FOLDER = Path(__file__).parents[2] / "reports"


@pytest.fixture(scope="module")
def committed():
    return load(FOLDER / "report.json")


def test_every_case_is_there_and_no_other(committed):
    expected = [case.id for suite in SUITES.values() for case in suite()]
    assert [case.id for case in committed.cases] == expected


def test_every_verdict_is_good(committed):
    allowed = {Verdict.CORRECT, Verdict.KINK, Verdict.OUTSIDE}
    assert {case.id: case.verdict for case in committed.cases if case.verdict not in allowed} == {}


@pytest.mark.parametrize("suite", sorted(SUITES))
def test_the_verdicts_are_those_of_today(committed, monkeypatch, suite):
    monkeypatch.setattr(campaign, "_EFFORT", 1.0)
    reported = {case.id: case for case in committed.cases}
    for case in SUITES[suite]():
        today, then = campaign.judge_case(case, 60.0, 0), reported[case.id]
        assert today.verdict is then.verdict, case.id
        # How many points a search settles on depends on the last digits of NumPy's functions.
        assert case.over is not None or today.evidence == then.evidence, case.id
        assert [form.text for form in today.closed_forms] == [
            form.text for form in then.closed_forms
        ], case.id


@pytest.mark.parametrize("ending", ["html", "xml", "md"])
def test_the_other_renderings_are_of_the_same_run(committed, ending):
    text = (FOLDER / f"report.{ending}").read_text()
    assert committed.created in text or committed.cases[0].id in text
    for case in committed.cases:
        assert case.id.split("/")[-1] in text or ending == "md"
