"""Reports of a campaign that was stopped and went on are those of one that was not."""

from __future__ import annotations

import json
import sys
import textwrap
from dataclasses import replace

import pytest
from click.testing import CliRunner

from tests.verify.campaign import works
from tests.verify.campaign.of_cases import run
from verify.campaign import deciding
from verify.campaign.load import Target
from verify.campaign.store import Store
from verify.campaign.tasks import plan
from verify.cli import cli
from verify.reporting import FORMATS, load, render

FILE = """
    import numpy as np
    import verify

    def lost(x):
        return 1 - np.tanh(x) ** 2

    @verify.case(at=[0.5, 2.0])
    def square(x):
        return x * x

    @verify.case(over=[-60, 60], claimed=lost)
    def tanh(x):
        return np.tanh(x)

    @verify.case(at=[0.0])
    def corner(x):
        return np.abs(x)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(deciding, "_EFFORT", 0.1)
    (tmp_path / "mine.py").write_text(textwrap.dedent(FILE))
    return tmp_path


def timeless(report):
    """`report` without dates and times."""
    cases = tuple(replace(case, seconds=0.0) for case in report.cases)
    return replace(report, created="2030-01-01T00:00:00", elapsed=0.0, cases=cases)


@pytest.mark.long
def test_they_are_the_same_to_the_byte(here):
    def interrupt(case):
        raise KeyboardInterrupt

    tasks = plan([Target("mine.py")])
    whole = run(tasks, jobs=0, store=here / "whole.sqlite")
    for done in (1, 2):
        part = run(tasks, jobs=0, store=here / "stopped.sqlite", on_result=interrupt)
        assert (part.interrupted, len(part.cases)) == (True, done)
    resumed = run(tasks, jobs=0, store=here / "stopped.sqlite")
    assert not resumed.interrupted
    for form in FORMATS:
        assert render(timeless(resumed), form) == render(timeless(whole), form)


def call(*words, status=None):
    done = CliRunner().invoke(cli, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert status in (None, done.exit_code), done.output
    return done


def verify(*words, **given):
    return call("verify", "mine.py", "--jobs", "0", "--store", "kept.sqlite", *words, **given)


@pytest.mark.long
def test_what_is_kept_is_not_judged_again(here, monkeypatch):
    first = verify("--out", "a", status=1)
    monkeypatch.setattr(deciding, "_EFFORT", None)  # which no search could go by
    again = verify("--out", "b", status=1)
    assert "kept.sqlite keeps 3 of 3 answers; 0 to go." in again.stderr
    assert again.stdout.replace("b/", "a/") == first.stdout
    for file in (here / "a").iterdir():
        assert (here / "b" / file.name).read_text() == file.read_text()


@pytest.mark.long
def test_only_what_changed_is_judged_again(here):
    verify(status=1)
    file = here / "mine.py"
    file.write_text(file.read_text().replace("x * x", "x * x * x"))
    assert "kept.sqlite keeps 2 of 3 answers; 1 to go." in verify(status=1).stderr


@pytest.mark.long
def test_what_changes_while_it_runs_is_left_for_the_next_run(here, monkeypatch):
    file = here / "mine.py"

    def edit(case, *given):
        file.write_text(file.read_text().replace("x * x", "x * x * x"))
        return decide(case, *given)

    decide = deciding.decide
    monkeypatch.setattr("verify.campaign.tasks.decide", edit)
    done = verify(status=1)
    assert done.stderr.count("mine.py has changed since the campaign was planned") == 1
    assert "Interrupted: 1 of 3 cases were done." in done.stderr
    assert "kept.sqlite keeps 1 of 3 answers; 2 to go." in verify(status=1).stderr


@pytest.mark.long
def test_a_report_is_rendered_from_the_store_at_any_time(here, monkeypatch):
    def stop(case, *given):
        if case.title == "corner":
            raise KeyboardInterrupt
        return judge(case, *given)

    judge = deciding.judge_case
    with monkeypatch.context() as patch:
        patch.setattr("verify.campaign.tasks.decide", lambda case, *given: stop(case, *given[:2]))
        done = verify("--out", "part", "--format", "json", status=1)
    assert "Interrupted: 2 of 3 cases were done." in done.stderr
    early = call("report", "kept.sqlite", "--format", "json", status=0)
    assert "Unfinished: 2 of 3 cases are done." in early.stderr
    assert early.stdout == (here / "part" / "mine.json").read_text()
    every = [word for form in FORMATS if form != "text" for word in ("--format", form)]
    verify("--out", "whole", *every, status=1)
    for form, ending in FORMATS.items():
        late = call("report", "kept.sqlite", "--format", form, "--out", "late", status=0)
        assert late.stderr == ""
        if form != "text":  # which symtape verify writes only if asked for
            written = (here / "late" / f"kept{ending}").read_text()
            assert written == (here / "whole" / f"mine{ending}").read_text()


@pytest.mark.long
def test_of_several_campaigns_one_is_chosen(here):
    verify(status=1)
    assert call("report", "kept.sqlite", "--campaign", "1", status=0).stderr == ""
    verify("--seed", "3", "--case", "mine.py:square", status=0)
    refused = call("report", "kept.sqlite", status=2)
    assert "keeps several campaigns; choose with --campaign:" in refused.stderr
    assert "  2  mine.py (--seed 3, --case mine.py:square, begun 20" in refused.stderr
    chosen = call("report", "kept.sqlite", "--campaign", "2", status=0)
    assert "seed 3" in chosen.stdout
    assert "no such one" in call("report", "kept.sqlite", "--campaign", "9", status=2).stderr
    verify("--out", "a", "--format", "json")
    assert "is not a store" in call("report", "a/mine.json", "--campaign", "1", status=2).stderr


@pytest.mark.long
def test_a_store_is_compared_as_the_report_of_it_is(here):
    verify("--out", "a", "--format", "json", status=1)
    file = here / "mine.py"
    file.write_text(file.read_text().replace("1 - np.tanh(x) ** 2", "1 / np.cosh(x) ** 2"))
    told = call("verify", "mine.py", "--jobs", "0", "--store", "new.sqlite", status=0)
    assert "since the campaign" not in told.stdout
    kept = call("compare", "kept.sqlite", "new.sqlite", "--format", "json", status=0)
    saved = call("compare", "a/mine.json", "new.sqlite", "--format", "json", status=0)
    assert [row["change"] for row in json.loads(kept.stdout)["rows"]] == [
        row["change"] for row in json.loads(saved.stdout)["rows"]
    ]
    again = ("verify", "mine.py", "--jobs", "0", "--store", "new.sqlite")
    beside = [call(*again, "--baseline", it).stdout for it in ("kept.sqlite", "a/mine.json")]
    assert "1 fixed" in beside[0]
    assert beside[0] == beside[1]


def test_of_several_campaigns_one_is_written_before_it_is_compared(here):
    verify("--case", "mine.py:square", status=0)
    verify("--case", "mine.py:corner", status=0)
    refused = call("compare", "kept.sqlite", "kept.sqlite", status=2)
    assert "keeps several campaigns; write one as JSON with symtape report" in refused.stderr
    assert "  2  mine.py (--case mine.py:corner, begun 20" in refused.stderr


@pytest.mark.long
def test_what_ended_is_run_again_if_asked_for(here):
    verify(status=1)
    with Store(here / "kept.sqlite") as store, store.write_together() as connection:
        connection.execute("UPDATE task SET ended = 'it died' WHERE id = 'mine.py:square'")
    told = "1 of them ended without an answer; --retry runs them again."
    assert told in call("report", "kept.sqlite").stderr
    assert "keeps 3 of 3 answers" in verify().stderr
    assert "keeps 2 of 3 answers" in verify("--retry").stderr
    assert told not in call("report", "kept.sqlite").stderr


def test_a_campaign_of_other_answers_has_no_report_of_cases(here):
    works.run(here / "kept.sqlite", works.squares(2))
    refused = call("report", "kept.sqlite", status=2)
    assert "keeps squares, which have no report here" in refused.stderr


def test_retrying_needs_a_store(here):
    refused = call("verify", "mine.py", "--retry", status=2)
    assert "--retry: which campaign? Name its file with --store" in refused.stderr


def test_a_bad_store_is_refused_before_anything_is_judged(here, monkeypatch):
    monkeypatch.setattr(deciding, "_EFFORT", None)
    (here / "kept.sqlite").write_text("a diary")
    assert "is not a SQLite file" in verify(status=2).stderr
    assert "is not a SQLite file" in call("report", "kept.sqlite", status=2).stderr
    assert "there is no store" in call("report", "other.sqlite", status=2).stderr


@pytest.mark.long
def test_counterexamples_of_earlier_runs_are_no_part_of_what_is_kept(here):
    call("verify", "mine.py", "--jobs", "0")
    verify("--out", "a", "--format", "json")
    assert {case.coverage.replayed for case in load("a/mine.json").cases if case.coverage} == {0}
