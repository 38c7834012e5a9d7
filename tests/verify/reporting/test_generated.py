"""Only what symtape wrote is ever replaced."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from verify.cli import cli
from verify.reporting import FORMATS, ForeignFile, paths, write
from verify.reporting.generated import foreign
from verify.selftest.score import Score

MINE = "what I wrote myself\n"
MARKED = "import verify\n\n@verify.case(at=[2.0])\ndef square(x):\n    return x * x\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MARKED)
    return tmp_path


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_every_rendering_is_known_again(form, sample, hostile, empty, tmp_path):
    for report in (sample, hostile, empty):
        [path] = write(report, tmp_path, [form])
        assert not foreign(path)


def test_scores_are_known_again(tmp_path):
    (tmp_path / "selftest.json").write_text(Score("0.1.0", "2030-01-01").to_json())
    assert not foreign(tmp_path / "selftest.json")


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_written_where_one_file_is_somebodys(form, sample, tmp_path):
    theirs = tmp_path / f"report{FORMATS[form]}"
    theirs.write_text(MINE)
    with pytest.raises(ForeignFile, match=rf"report{FORMATS[form]}.*--out"):
        write(sample, tmp_path, FORMATS)
    assert [*tmp_path.iterdir()] == [theirs]
    assert theirs.read_text() == MINE


def test_what_is_no_plain_file_is_somebodys(tmp_path):
    folder, link, empty = (tmp_path / f"{name}.md" for name in ("folder", "link", "empty"))
    folder.mkdir()
    link.symlink_to(tmp_path / "nowhere")
    empty.touch()
    assert [foreign(path) for path in (folder, link, empty)] == [True, True, False]


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("verify mine.py --jobs 0 --out build", "build/mine.html"),
        ("verify seeds --jobs 0", "reports/latest/seeds.md"),
        ("verify --suites --jobs 0", "reports/latest/report.xml"),
        ("audit symtape --jobs 0 --only tanh", "reports/latest/symtape/symtape.html"),
        ("audit symtape --jobs 0 --only tanh --out build", "build/symtape.md"),
        ("selftest --only tanh --out build", "build/selftest.json"),
    ],
)
def test_a_command_refuses_before_its_run_starts(here, monkeypatch, line, file):
    def started(*args, **kwargs):
        raise AssertionError("the run was begun")

    for run in (
        "verify.campaign.campaign.run",
        "verify.selftest.run.run",
    ):
        monkeypatch.setattr(run, started)
    (here / file).parent.mkdir(parents=True)
    (here / file).write_text(MINE)
    done = CliRunner().invoke(cli, line.split())
    assert done.exit_code == 2, done.output
    assert file in done.stderr
    assert "--out" in done.stderr
    assert (here / file).read_text() == MINE


def test_a_run_replaces_its_own_reports(here):
    line = ["verify", "mine.py", "--jobs", "0", "--out", "build", *["--format", "text"]]
    line += [
        x
        for form in ("html", "markdown", "junit", "json", "sarif", "issue")
        for x in ("--format", form)
    ]
    for _ in range(2):
        assert CliRunner().invoke(cli, line).exit_code == 0
    assert {*here.glob("build/*")} == {*(here / path for path in paths("build", FORMATS, "mine"))}
