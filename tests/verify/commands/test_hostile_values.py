"""Whatever an option is given, the command answers in words; what is empty is refused by all."""

from __future__ import annotations

import os
import textwrap

import click
import pytest
from click.testing import CliRunner

from verify import cli
from verify.commands.refusals import FAILED, USAGE

FILE = """
    import numpy as np
    import verify

    @verify.case(at=[[1.0, 2.0]])
    def energy(x):
        return np.sum(x * x)
"""

BASES = {
    "verify": ["mine.py:energy", "--at", "[1.0]", "--list"],
    "derive": ["mine.py:nothing", "--at", "[1.0]"],
    "report": ["no_report.json"],
    "compare": ["no_report.json", "no_report.json"],
    "recheck": ["no_report.json"],
    "check": ["no_certificates"],
    "audit": ["no_such_package", "--list"],
    "selftest": ["--jobs", "0", "--only", "positive:sign"],
    "calibrate": ["no_such_row"],
    "ops": ["no_such_op"],
}
"""What each command is given besides: little work, or none at all."""

HOSTILE = [
    "-1",
    "nan",
    "inf",
    "1e400",
    "x",
    "itself.py",
    "pipe.py",
    "folder.py",
    "itself",
    "no/such/folder",
    "a" * 5000,
    "1" * 5000,
    "a" * 5000 + ".py:f",
    "[",
    "()",
    "None",
    ":",
    "\n.",
    "box(0, 1, shape=(1000000000,))",
    "positive_definite(100000)",
    "simplex(100000000)",
    "mine.py:nothing",
]


def _values() -> list[tuple[str, str]]:
    """Each command with each of its options and arguments that take a value."""
    return [
        (name, "" if isinstance(one, click.Argument) else one.opts[0])
        for name, command in cli.cli.commands.items()
        for one in command.params
        if not getattr(one, "is_flag", False)
    ]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(textwrap.dedent(FILE))
    for name in ("itself", "itself.py"):
        (tmp_path / name).symlink_to(name)
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    return tmp_path


def _called(name: str, option: str, value: str) -> click.testing.Result:
    base = ["--jobs", "0"] if option == "--only" else BASES[name]
    given = [option, value] if option else [value]
    return CliRunner().invoke(cli.cli, [name, *(base if option else base[1:]), *given])


@pytest.mark.parametrize("value", ["", " ", "\t\n"])
@pytest.mark.parametrize(("name", "option"), _values())
def test_an_empty_value_is_refused(here, name, option, value):
    found = _called(name, option, value)
    assert found.exit_code == USAGE, found.output
    assert "it is empty; is a variable of the shell not set?" in found.output
    assert sorted(path.name for path in here.iterdir()) == [
        *("folder.py", "itself", "itself.py", "mine.py", "pipe.py")
    ]


@pytest.fixture
def short(monkeypatch):
    """A self-test of one row, for otherwise a text that may be in an id plants all that have it."""
    monkeypatch.setattr("verify.selftest.rows.names", lambda: ["positive"])
    for name in ("functions.FUNCTIONS", "corpora.LIBRARIES", "recordings.LOSSES"):
        monkeypatch.setattr(f"verify.selftest.{name}", {})
    for name in (
        "corners.CORNERS",
        "miscompiled.programs.NAMES",
        "miscompiled.computations.COMPUTATIONS",
    ):
        monkeypatch.setattr(f"verify.selftest.{name}", {})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), _values())
def test_a_hostile_value_is_answered_in_words(here, short, name, option):
    if os.name != "posix":
        pytest.skip("no pipes")
    # What an audit is given is read in a process of its own, which takes its time to start.
    for value in HOSTILE if name != "audit" else ["nan", "pipe.py", "itself"]:
        found = _called(name, option, value)
        assert found.exception is None or isinstance(found.exception, SystemExit), (
            f"{option} {value[:40]}: {found.exception!r}"
        )


@pytest.mark.parametrize("command", ["verify", "derive", "audit", "selftest"])
@pytest.mark.parametrize("value", ["nan", "inf", "1e400", "1e300", "1e9", "0", "-1", "x"])
def test_seconds_that_no_clock_counts_are_refused(here, command, value):
    found = _called(command, "--budget", value)
    assert found.exit_code == USAGE
    assert f"'--budget': '{value}': expected a number above 0 and below 1e9" in found.output


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--only", "tahn:sign", "only='tahn:sign': no fault and no claim has 'tahn' in its id; "),
        ("--only", "9" * 5000, "no fault and no claim has '999"),
        ("--corpus", "no_such_module", "corpus='no_such_module': No module named"),
        ("--corpus", ".", "corpus='.': "),
        ("--corpus", "math", "corpus='math' has no function rows()"),
        ("--corpus", "broken", "corpus='broken': division by zero; expected a module"),
        ("--seed", "1.5", "'--seed': '1.5': expected a whole number from 0"),
        ("--out", "mine.py", "cannot write reports into 'mine.py'"),
    ],
)
def test_a_selftest_refuses_before_it_plants_anything(here, monkeypatch, option, value, words):
    (here / "broken.py").write_text("1 / 0\n")
    monkeypatch.setattr("verify.selftest.run.perform", None)
    base = [] if option == "--only" else BASES["selftest"]
    found = CliRunner().invoke(cli.cli, ["selftest", *base, option, value])
    assert found.exit_code == USAGE, found.output
    assert words in " ".join(found.output.split())
    assert len(found.output) < 1000


def test_what_is_empty_is_refused_behind_two_dashes_as_well(here):
    found = CliRunner().invoke(cli.cli, ["verify", "--at", "[1.0]", "--", "mine.py:energy", ""])
    assert found.exit_code == USAGE


def test_an_error_inside_has_an_exit_status_of_its_own(here, monkeypatch, capsys):
    def broken(*args: object, **given: object) -> None:
        raise RuntimeError("a row is missing")

    monkeypatch.setattr("verify.campaign.tasks.plan", broken)
    with pytest.raises(SystemExit) as ended:
        cli.main(["verify", "mine.py"])
    assert ended.value.code == FAILED == 4
    said = capsys.readouterr().err
    assert "RuntimeError: a row is missing" in said
    assert "symtape itself failed" in said


def test_files_that_cannot_be_read_twice_are_refused_at_once(here):
    for command in (["report"], ["recheck"], ["compare", "mine.py"]):
        found = CliRunner().invoke(cli.cli, [*command, "pipe.py"])
        assert found.exit_code == USAGE
        assert "'pipe.py' is a pipe or a device" in found.output


def test_pipes_among_the_files_of_a_folder_are_passed_by(here):
    found = CliRunner().invoke(cli.cli, ["verify", "--list"])
    assert found.exit_code == 0, found.output
    assert "energy" in found.output
