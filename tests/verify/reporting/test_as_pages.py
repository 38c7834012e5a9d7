"""A large report is an index with pages of details; every case is in both, and nothing is lost."""

from __future__ import annotations

import dataclasses
import html
import json
import re
from pathlib import Path

import pytest

from benchmarks.synthetic import report
from tests.verify.reporting.test_as_html import Page
from verify.model.verdict import Verdict
from verify.reporting import ForeignFile, Report, UnwritableFolder, as_pages, load, write
from verify.reporting import files as files_of_reports

MOST, SIZE, FIRST = 20, 6, 10


@pytest.fixture(scope="module", autouse=True)
def small_pages():
    """Pages of few cases, for these tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("MOST", MOST), ("_SIZE", SIZE), ("_FIRST", FIRST)):
            patch.setattr(as_pages, name, value)
        yield


@pytest.fixture(scope="module")
def large_report() -> Report:
    return report(2 * MOST)


@pytest.fixture(scope="module")
def folder(large_report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    written = write(large_report, made, ["html", "json"])
    assert [path.name for path in written] == ["report.html", "report.json"]
    return made


@pytest.fixture(scope="module")
def details(folder: Path) -> dict[str, str]:
    files = sorted((folder / "report-cases").iterdir())
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def data_of(index: str) -> dict:
    [text] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', index, re.S)
    return json.loads(text)


@pytest.mark.long
def test_a_report_of_a_page_stays_one_file(large_report: Report, tmp_path: Path) -> None:
    fitting = dataclasses.replace(large_report, cases=large_report.cases[:MOST])
    write(fitting, tmp_path, ["html"])
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.long
def test_the_data_of_the_index_has_every_case_gravest_first(folder, large_report) -> None:
    data = data_of((folder / "report.html").read_text(encoding="utf-8"))
    names = [name for name, _ in data["verdicts"]]
    shown = {row[0]: (names[row[2]], data["words"][row[3]]) for row in data["rows"]}
    assert shown == {it.id: (it.verdict.value, it.quantity) for it in large_report.cases}
    assert [row[2] for row in data["rows"]] == sorted(row[2] for row in data["rows"])


def test_every_row_leads_to_the_details_of_its_case(folder, details) -> None:
    data = data_of((folder / "report.html").read_text(encoding="utf-8"))
    for at, row in enumerate(data["rows"]):
        page = details[f"{at // data['size'] + 1:04d}.html"]
        above = page[: page.index(f'id="{row[1]}"')]
        name = above.rpartition('<h3 class="name">')[2].partition("</h3>")[0]
        assert name == html.escape(row[0])


def test_without_scripts_the_gravest_rows_and_all_pages_are_there(folder, details) -> None:
    page = Page((folder / "report.html").read_text(encoding="utf-8"))
    links = [link for link in page.all("href") if link.startswith("report-cases/")]
    assert {link.partition("#")[0].partition("/")[2] for link in links} == set(details)
    rows = [it["data-verdict"] for it in page.tags("tr") if "data-verdict" in it]
    assert len(rows) == FIRST
    assert rows[0] == max(rows, key=list(Verdict.__members__).index)
    for link in (it for it in links if "#" in it):
        name, _, anchor = link.partition("/")[2].partition("#")
        assert f'id="{anchor}"' in details[name]


def test_pages_lead_to_each_other_and_back(folder, details) -> None:
    for name, text in details.items():
        page = Page(text)
        links = {link for link in page.all("href") if not link.startswith("#")}
        assert "../report.html" in links
        assert links - {"../report.html"} <= set(details) - {name}
        assert len(set(page.all("id"))) == len(page.all("id"))


@pytest.mark.parametrize("which", ["index", "details"])
def test_nothing_is_fetched_and_only_our_script_runs(folder, details, which: str) -> None:
    text = (folder / "report.html").read_text("utf-8") if which == "index" else details["0001.html"]
    page = Page(text)
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not page.all("src")
    [policy] = [it["content"] for it in page.tags("meta") if "http-equiv" in it]
    assert policy.startswith("default-src 'none';")
    running = [it for it in page.tags("script") if it.get("type") != "application/json"]
    assert len(running) == 1


def test_plots_are_of_what_is_not_simply_correct(large_report, details) -> None:
    text = "".join(details.values())
    drawn = [it for it in large_report.cases if it.accuracy and it.verdict is not Verdict.CORRECT]
    assert text.count("Accuracy over the region") == len(drawn)


@pytest.mark.long
def test_hostile_text_is_only_text(hostile: Report, tmp_path: Path) -> None:
    case = dataclasses.replace(hostile.cases[0], plots=(), closed_forms=())
    many = dataclasses.replace(hostile, cases=(case,) * (MOST + 1))
    write(many, tmp_path, ["html"])
    for file in tmp_path.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert not re.search("[\x00-\x08\x1b\u202e\ud800-\udfff]", text)
    rows = data_of((tmp_path / "report.html").read_text(encoding="utf-8"))["rows"]
    assert len({row[1] for row in rows}) == MOST + 1


@pytest.mark.long
def test_pages_of_an_earlier_report_go(large_report: Report, tmp_path: Path) -> None:
    write(large_report, tmp_path, ["html"])
    fewer = dataclasses.replace(large_report, cases=large_report.cases[:-8])
    write(fewer, tmp_path, ["json"])
    assert len([*(tmp_path / "report-cases").iterdir()]) == 7
    write(dataclasses.replace(fewer, cases=fewer.cases[:2]), tmp_path, ["html"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


def test_files_of_others_are_not_overwritten(large_report: Report, tmp_path: Path) -> None:
    (tmp_path / "report-cases").mkdir()
    theirs = tmp_path / "report-cases" / "0002.html"
    theirs.write_text("<p>mine</p>")
    with pytest.raises(ForeignFile, match=r"0002\.html"):
        write(large_report, tmp_path, ["html"])
    assert [*tmp_path.rglob("*.html")] == [theirs]


@pytest.mark.long
def test_a_write_that_fails_leaves_what_was_there(
    large_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(large_report, tmp_path, ["html", "json"])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def files(*_):
        yield "report.html", iter(["half of"])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files_of_reports, "_files", files)
    with pytest.raises(UnwritableFolder, match="No space left"):
        write(large_report, tmp_path, ["html"])
    assert {it: it.read_bytes() for it in tmp_path.rglob("*") if it.is_file()} == before


def test_the_json_beside_it_is_the_report(folder, large_report) -> None:
    assert load(folder / "report.json") == large_report
