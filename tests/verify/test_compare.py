"""The command compare, and --baseline, as a user meets them."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.synthetic import later, report
from verify.cli import cli
from verify.model.verdict import Verdict
from verify.reporting import add_changes, load, write

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Three saved runs, of which the second is worse, and files that are none."""
    folder = tmp_path_factory.mktemp("saved")
    old = report(60)
    new = later(report(60), seed=5)
    worse = dataclasses.replace(
        new, cases=(dataclasses.replace(new.cases[1], verdict=Verdict.WRONG), *new.cases[2:])
    )
    for name, each in (("old", old), ("new", worse), ("same", old)):
        write(each, folder, ["json"], name)
    text = (folder / "old.json").read_text(encoding="utf-8")
    (folder / "half.json").write_text(text[: len(text) // 2], encoding="utf-8")
    (folder / "lines.json").write_text("\n".join(text.splitlines()[:9]), encoding="utf-8")
    (folder / "empty.json").write_text("")
    (folder / "deep.json").write_text("[" * 100_000)
    newer = text.replace("symtape.report/1", "symtape.report/12", 1)
    (folder / "newer.json").write_text(newer, encoding="utf-8")
    (folder / "binary.sqlite").write_bytes(b"SQLite format 3\x00\xff\xfe")
    (folder / "other.json").write_text('{"a": 1}')
    (folder / "comparison.json").write_text('{"schema": "symtape.comparison/1"}')
    return folder


@pytest.fixture
def here(saved, monkeypatch):
    monkeypatch.chdir(saved)
    return saved


def call(line: str):
    result = CliRunner().invoke(cli, shlex.split(line))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


MISTAKES = [
    ("compare old.json absent.json", "cannot read 'absent.json'", "No such file"),
    ("compare old.json half.json", "half.json", "ends in the middle"),
    ("compare lines.json old.json", "lines.json", "ends in the middle"),
    ("compare old.json empty.json", "empty.json", "it is empty"),
    ("compare old.json deep.json", "deep.json", "too deep"),
    ("compare old.json newer.json", "'symtape.report/12'", "a newer symtape wrote it"),
    ("compare old.json binary.sqlite", "binary.sqlite", "is not a SQLite file"),
    ("compare old.json other.json", "other.json", "lacks 'schema'"),
    ("compare old.json comparison.json", "this is a comparison", "give the reports themselves"),
    ("compare old.json", "a comparison needs two files", "OLD.json NEW.json"),
    ("compare", "Missing argument"),
    ("compare old.json new.json --format html --format json", "several formats", "--out DIR"),
    ("compare old.json new.json --format pdf", "pdf", "junit"),
    ("compare old.json new.json --out old.json", "cannot write", "--out"),
    ("report old.json --case nothing", "--case 'nothing'", "no such case"),
]


@pytest.mark.parametrize(("line", "words"), [(line, words) for line, *words in MISTAKES])
def test_a_mistake_exits_with_2_and_says_what_to_do(here, line, words) -> None:
    result = call(line)
    assert result.exit_code == 2, result.output
    for word in words:
        assert word in result.stderr
    assert not result.stdout


def test_what_is_worse_exits_with_1_and_is_named(here) -> None:
    result = call("compare old.json new.json")
    assert result.exit_code == 1
    assert load("old.json").cases[1].id in result.stdout
    assert "celestial 7.1 beside celestial 7.0" in result.stdout


def test_the_same_run_exits_with_0(here) -> None:
    result = call("compare old.json same.json")
    assert result.exit_code == 0
    assert result.stdout.endswith("Nothing changed.\n3 still failing, 57 unchanged\n")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "junit", "markdown", "html"])
def test_a_rendering_goes_to_the_output(here, form) -> None:
    result = call(f"compare old.json new.json --format {form}")
    assert result.exit_code == 1
    assert "celestial 7.1" in result.stdout
    if form == "json":
        assert json.loads(result.stdout)["schema"] == "symtape.comparison/1"


def test_files_go_into_a_folder_and_are_told(here, tmp_path) -> None:
    result = call(f"compare old.json same.json new.json --out {tmp_path / 'out'}")
    assert result.exit_code == 1
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"comparison.{end}" for end in ("html", "json", "md", "xml")]
    assert result.stdout.count("wrote ") == 4


def test_the_examples_of_the_help_parse() -> None:
    text = CliRunner().invoke(cli, ["compare", "--help"]).stdout
    lines = re.findall(r"^\s*symtape compare (.*?)(?: > .*)?$", text, re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        with click.Context(cli) as parent:
            cli.commands["compare"].make_context("compare", shlex.split(line), parent=parent)


def test_one_case_is_rendered_alone(here) -> None:
    name = load("old.json").cases[3].id
    page = call(f"report old.json --case '{name}' --format html").stdout
    assert page.count('<details class="case') == 1
    assert name in page


def test_a_baseline_tells_what_compare_tells(here) -> None:
    old, new = load("old.json"), load("new.json")
    told = add_changes(new, old)
    rows = json.loads(call("compare old.json new.json --format json").stdout)["rows"]
    quiet = ("unchanged", "still failing", "not run")
    expected = {
        (it["change"]["id"], it["change"]["kind"])
        for it in rows
        if it["change"]["kind"] not in quiet
    }
    assert {(it.id, it.kind.value) for it in told.changes} == expected
    assert told.baseline == old.created
