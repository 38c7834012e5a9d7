"""Every rendering says the same of a comparison; nothing of it is markup, and it keeps its size."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import verify.reporting.comparison
from benchmarks.synthetic import later, report
from tests.verify.reporting.conftest import NASTY
from tests.verify.reporting.test_as_html import Page
from verify.model.change import Kind
from verify.model.verdict import Verdict
from verify.reporting import BadReport, ForeignFile, UnwritableFolder
from verify.reporting.as_markdown import LIMIT
from verify.reporting.comparison import FORMATS, Comparison, compare, render, write
from verify.reporting.comparison.as_json import schema
from verify.reporting.comparison.as_text import show

COMMITTED = Path(verify.reporting.comparison.__file__).with_name("schema.json")


@pytest.fixture(scope="module")
def runs():
    first = report(240)
    second = later(first)
    return [first, second, later(second, seed=2, release="7.2")]


@pytest.fixture(scope="module")
def found(runs) -> Comparison:
    return compare(runs)


@pytest.fixture(scope="module")
def hostile(runs) -> Comparison:
    """Names and texts that are markup, numbers that are no numbers."""
    before = dataclasses.replace(runs[0], title=NASTY, versions={NASTY: NASTY}, created=NASTY)
    cases = [
        dataclasses.replace(
            case, id=f"{NASTY}{at}", suite=NASTY, quantity=NASTY, basis=NASTY, title=NASTY
        )
        for at, case in enumerate(before.cases[:60])
    ]
    other = [dataclasses.replace(case, verdict=Verdict.WRONG) for case in cases[:40]]
    return compare(
        [
            dataclasses.replace(before, cases=tuple(cases), suites=(NASTY,)),
            dataclasses.replace(before, cases=tuple(other), versions={}, suites=(NASTY,)),
        ],
        [NASTY, NASTY],
    )


def counts_of(found: Comparison) -> Counter[str]:
    return Counter(row.change.kind.value for row in found.rows)


def test_the_committed_schema_is_current() -> None:
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    assert committed == schema(), "run: python -m verify.reporting.comparison.as_json > schema.json"


@pytest.mark.parametrize("name", ["found", "hostile"])
def test_json_fits_the_schema_and_comes_back(name, request) -> None:
    comparison = request.getfixturevalue(name)
    data = json.loads(render(comparison, "json"))
    jsonschema.validate(data, schema())
    assert render(Comparison.from_dict(data), "json") == render(comparison, "json")
    assert Counter(row["change"]["kind"] for row in data["rows"]) == counts_of(comparison)


@pytest.mark.parametrize("change", [{"schema": "symtape.report/1"}, {"rows": [{}]}, {"more": 1}])
def test_what_is_no_comparison_is_refused(found, change) -> None:
    with pytest.raises(BadReport):
        Comparison.from_dict(found.to_dict() | change)


@pytest.mark.parametrize("name", ["found", "hostile"])
def test_junit_fails_what_is_worse_and_counts_it(name, request) -> None:
    comparison = request.getfixturevalue(name)
    root = ElementTree.fromstring(render(comparison, "junit").encode())
    worse = [row for row in comparison.rows if row.change.is_worse]
    assert len([*root.iter("failure")]) == len(worse) == int(root.attrib["failures"]) > 0
    assert len([*root.iter("testcase")]) == len(comparison.rows) == int(root.attrib["tests"])
    undecided = [row for row in comparison.rows if row.change.is_newly_undecided]
    assert len([*root.iter("error")]) == len(undecided)
    suites = [int(suite.attrib["tests"]) for suite in root.iter("testsuite")]
    assert sum(suites) == len(comparison.rows)


def test_a_failure_tells_each_run(found) -> None:
    root = ElementTree.fromstring(render(found, "junit").encode())
    failure = next(root.iter("failure"))
    assert failure.attrib["message"].startswith("worse: CORRECT → WRONG")
    assert [line.partition(":")[0] for line in failure.text.splitlines()] == [
        "celestial 7.0",
        "celestial 7.1",
        "celestial 7.2",
    ]


def test_markdown_has_the_counts_first_and_the_worst_before_all(found) -> None:
    lines = [line for line in render(found, "markdown").splitlines() if line]
    assert re.fullmatch(r"\*\*\d+ worse among \d+ cases\.\*\*", lines[1])
    assert lines[2].startswith(f"{found.counts[Kind.WORSE]} worse, ")
    rows = [line for line in lines if line.startswith("| ")][1:]
    assert len(rows) == len(found.changed)
    marked = [row.startswith("| ❌") for row in rows]
    assert marked == sorted(marked, reverse=True)
    assert sum(marked) == sum(row.change.is_worse for row in found.rows)


def test_markdown_keeps_the_limit_and_says_how_many_more(found) -> None:
    row = found.changed[0]
    rows = tuple(
        dataclasses.replace(row, change=dataclasses.replace(row.change, id=f"{at} " + "é" * 90))
        for at in range(9_000)
    )
    text = render(dataclasses.replace(found, rows=rows, renames=found.renames * 50), "markdown")
    assert len(text.encode()) <= LIMIT < 65_536
    shown = sum(line.startswith("| ❌") for line in text.splitlines())
    assert f"and {9_000 - shown:,} more: see the HTML or JSON comparison." in text
    assert shown > 100


def test_markdown_of_many_runs_has_the_first_and_the_last(runs) -> None:
    many = [
        dataclasses.replace(runs[at % 3], versions={"p": str(at)}, created=str(at))
        for at in range(12)
    ]
    head = next(it for it in render(compare(many), "markdown").splitlines() if it.startswith("| "))
    assert re.findall("p [0-9]+", head) == ["p 0", *(f"p {at}" for at in range(7, 12))]


def test_user_text_in_markdown_is_code(hostile) -> None:
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", render(hostile, "markdown"))
    assert not re.search(r"alert|@team|#1|\[red\]", text)


@pytest.mark.parametrize("name", ["found", "hostile"])
def test_the_page_is_well_formed_and_fetches_nothing(name, request) -> None:
    text = render(request.getfixturevalue(name), "html")
    page = Page(text)
    assert len(set(page.all("id"))) == len(page.all("id"))
    assert not page.all("src")
    assert all(link.startswith("#") for link in page.all("href"))
    assert not re.findall(r"https?://", text)
    assert "<script>alert" not in text
    assert not re.search("[\x00-\x08\x1b\u202e\ud800-\udfff]", text)
    [policy] = [it["content"] for it in page.tags("meta") if "http-equiv" in it]
    assert policy.startswith("default-src 'none';")


def test_the_page_has_every_case_as_data_and_what_changed_as_rows(found) -> None:
    text = render(found, "html")
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    data = json.loads(data)
    shown = Counter(data["kinds"][row[2]] for row in data["rows"])
    assert shown == counts_of(found)
    for row, given in zip(data["rows"], found.rows, strict=True):
        cells = [None if at < 0 else data["cells"][at][0] for at in row[6]]
        assert cells == [it and it.verdict.value for it in given.summaries]
    rows = [it for it in Page(text).tags("td") if "title" not in it]
    assert rows
    assert text.count('<th scope="row"><code>') == len(found.changed)


def test_text_lists_what_changed_and_ends_with_the_counts(found) -> None:
    lines = render(found, "text").splitlines()
    assert lines[0] == "celestial 7.2 beside celestial 7.0, and 1 in between"
    assert re.fullmatch(r"\d+ worse among \d+ cases\.", lines[-2])
    assert lines[-1].startswith(f"{found.counts[Kind.WORSE]} worse, ")
    for row in found.changed:
        assert any(row.change.id in line and row.change.kind.value in line for line in lines)


@pytest.mark.long
def test_files_are_written_again_and_those_of_others_are_not(found, tmp_path) -> None:
    files = write(found, tmp_path / "new", FORMATS)
    assert write(found, tmp_path / "new", FORMATS) == files
    assert {path.suffix for path in files} == set(FORMATS.values())
    files[0].write_text("{}")
    with pytest.raises(ForeignFile, match=r"comparison\.json"):
        write(found, tmp_path / "new", FORMATS)
    with pytest.raises(UnwritableFolder, match="choose another folder"):
        write(found, files[0], ["html"])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [60, 80, 100, 140, 200])
def test_on_a_terminal_no_verdict_and_no_short_id_is_broken(found, columns, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    show(found, terminal)
    said = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    table = [line for line in said.splitlines() if line.startswith(" worse ")]
    assert max(map(len, table)) <= columns
    for row in found.changed[:3]:
        [line, *_] = [line for line in table if row.change.id[:28] in line or columns < 80]
        assert columns < 80 or ("CORRECT" in line and "WRONG" in line)
