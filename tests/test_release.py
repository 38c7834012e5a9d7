"""What a release carries is what its sources make: ``python -m release`` runs these tests.

Apart are dates, times and versions. No other test compares files with what would be written today.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from release.overview import load_reports, overview
from release.rules import tabulate_rules
from symtape.primitives.vocabulary import vocabulary
from symtape.version import __version__
from tests.verify.conftest import run_command
from tests.verify.oracles.proofs.test_rows import CERTIFIED
from verify.files.digest import digest
from verify.model.verdict import Verdict
from verify.oracles.proofs import known
from verify.reporting import load, paths, render
from verify.selftest.score import COMMITTED, Score
from verify.selftest.table import table
from verify.suites import SUITES

pytestmark = pytest.mark.release

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "reports"
AUDITS = sorted((FOLDER / "audits").glob("*/*.json"))
FORMATS = ("json", "junit", "markdown", "html")


def test_every_row_is_proved_or_it_is_known_why_not():
    proofs = {row.name: known.find_shipped_proof(row) for row in vocabulary()}
    assert [name for name, proof in proofs.items() if proof is None] == []
    assert {name for name, proof in proofs.items() if not proof.proved} == {*CERTIFIED}


def test_the_score_is_of_these_sources_and_clean():
    score = Score.from_data(json.loads(COMMITTED.read_text(encoding="utf-8")))
    assert (score.version, score.sources) == (__version__, digest())
    assert score.complete
    assert score.clean, table(score)
    assert score.planted_count >= 1_500
    assert score.pairs >= 5_000
    assert all(finding.words for finding in score.equivalents)


@pytest.fixture(scope="module")
def committed():
    return load(FOLDER / "report.json")


@pytest.fixture(scope="module")
def today(tmp_path_factory):
    folder = tmp_path_factory.mktemp("today")
    run_command(folder, "verify", "--suites", "--out", "reports")
    return load(folder / "reports" / "report.json")


def as_of(report, other):
    """`report`, had it been made at the time and with the versions of `other`."""
    seconds = {case.id: case.seconds for case in other.cases}
    return replace(
        report,
        created=other.created,
        versions=other.versions,
        elapsed=other.elapsed,
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


def test_verdicts_evidence_and_closed_forms_come_again(committed, today):
    assert [*map(facts, committed.cases)] == [*map(facts, today.cases)]
    assert committed.rungs == today.rungs


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_comes_again_to_the_byte(form, committed, today):
    if committed.versions != today.versions:
        pytest.skip(f"made with {committed.versions}, and floats of other versions differ")
    [file] = paths(FOLDER, [form])
    assert render(as_of(today, committed), form) == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_is_rendered_from_its_json(form, committed):
    [file] = paths(FOLDER, [form])
    assert render(committed, form) == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", AUDITS, ids=lambda it: it.stem)
def test_an_audit_is_rendered_from_what_was_measured(file):
    assert render(load(file), "markdown") == file.with_suffix(".md").read_text(encoding="utf-8")


def test_the_documents_tell_what_the_audits_found():
    page, audits = (
        (ROOT / "docs" / "audits.md").read_text(),
        load_reports(FOLDER / "audits", "*/*.json"),
    )
    assert overview(audits) in page
    assert tabulate_rules(load_reports(FOLDER / "rules", "*.json"), audits) in page
