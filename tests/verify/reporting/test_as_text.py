"""The terminal's text: counts first, failures explained, colours only where they are wanted."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re

import pytest

from verify.reporting import Report, render
from verify.reporting.as_text import conclude, show


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_failures_are_explained_and_the_counts_come_last(sample: Report) -> None:
    lines = render(sample, "text").splitlines()
    assert [line.split() for line in lines[-5:-2]] == [
        ["✗", "WRONG", "user/wave"],
        ["≈", "INACCURATE", "user/tail"],
        ["?", "UNDECIDED", "user/loop"],
    ]
    assert lines[-2] == "1 wrong and 1 inaccurate among 6 cases. 7 points tried, 7 judged."
    assert all(f"1 {verdict.value}" in lines[-1] for verdict in sample.counts)
    text = "\n".join(lines)
    for words in (
        "gradient of user/wave, claimed by my_grad",
        "claimed    -0.8414709848078965",
        "exact      0.84147098480789650665250232163029899962…",
        "line       examples/wave.py:12, in cos",
        "replay     symtape verify examples/wave.py:wave --at '[1.0, 2.0]' 0.1",
    ):
        assert words in text


@pytest.mark.usefixtures("_plain_environment")
def test_a_terminal_has_colours_unless_told_not_to(
    sample: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    coloured, plain = Terminal(), Terminal()
    show(sample, coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    show(sample, plain)
    assert "\x1b[31m" in coloured.getvalue() or "\x1b[1;31m" in coloured.getvalue()
    assert "\x1b[31m" not in plain.getvalue()
    assert "\x1b[1;31m" not in plain.getvalue()


@pytest.mark.usefixtures("_plain_environment")
def test_a_file_has_no_colours(sample: Report) -> None:
    out = io.StringIO()
    show(sample, out)
    assert "\x1b" not in out.getvalue()


def test_many_correct_cases_are_not_listed_unless_asked(large: Report) -> None:
    short, long = io.StringIO(), io.StringIO()
    show(large, short)
    show(large, long, every=True)
    assert "op_17" not in short.getvalue()
    assert "user/tail" in short.getvalue()
    assert "op_17" in long.getvalue()


def test_hostile_text_is_only_text(hostile: Report) -> None:
    text = render(hostile, "text")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]bold[/red]" in text
    text.encode("utf-8")


def test_no_cases(empty: Report) -> None:
    assert render(empty, "text").endswith("\nNo cases were run.\n")


def columns(report: Report, width: int, monkeypatch: pytest.MonkeyPatch, **how: bool) -> list[str]:
    """The lines that a terminal of this width gets, without colours."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    show(report, terminal, **how)
    conclude(report, terminal)
    return re.sub(r"\x1b\[[\d;]*m", "", terminal.getvalue()).splitlines()


@pytest.mark.usefixtures("_plain_environment")
@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_tables_and_sentences_fit_a_terminal(
    surveyed: Report, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = columns(surveyed, width, monkeypatch, verbose=True)
    start = next(at for at, line in enumerate(lines) if line.startswith("  Segment"))
    rows = list(itertools.takewhile(lambda line: "|" not in line, lines[start:]))
    assert len(rows) > 6
    assert all(len(line) <= width and "[" in line for line in rows[1:])
    prose = [line for line in lines if "1 - y*y cancels" in line or "below the last digit" in line]
    assert prose
    assert all(len(line) <= width for line in prose)


@pytest.mark.usefixtures("_plain_environment")
def test_what_is_pasted_stays_on_its_line(sample: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "symtape verify " + "a/rather/long/folder/" * 9 + "wave.py:wave --at '[1.0, 2.0]'"
    report = dataclasses.replace(sample, cases=(dataclasses.replace(sample.cases[1], replay=long),))
    out = io.StringIO()
    show(report, out)
    assert f"  replay     {long}" in out.getvalue().splitlines()
    assert f"  replay     {long}" in columns(report, 60, monkeypatch)


def test_a_failure_takes_about_ten_lines_and_says_where_the_rest_is(surveyed: Report) -> None:
    brief, long = io.StringIO(), io.StringIO()
    show(surveyed, brief)
    show(surveyed, long, verbose=True)
    blocks = brief.getvalue().split("\n\n")
    [tail] = [block for block in blocks if block.startswith("≈ INACCURATE  gradient of user/tanh")]
    assert len(tail.splitlines()) <= 12
    more = re.fullmatch(r"  \.\.\. (\d+) more lines: -v", tail.splitlines()[-1])
    assert more is not None
    assert len(long.getvalue().splitlines()) >= len(brief.getvalue().splitlines()) + int(more[1])
    assert "Segment" in long.getvalue()
    assert "Segment" not in brief.getvalue()
