"""The terminal's text: counts first, failures explained, colours only where they are wanted."""

from __future__ import annotations

import io

import pytest

from verify.report import Report, render
from verify.report.as_text import show


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_counts_come_first_and_failures_are_explained(sample: Report) -> None:
    lines = render(sample, "text").splitlines()
    assert lines[0] == "1 wrong and 1 inaccurate among 6 cases."
    assert all(f"1 {verdict.value}" in lines[1] for verdict in sample.counts)
    text = "\n".join(lines)
    for words in (
        "gradient of user/wave, claimed by my_grad",
        "claimed    -0.8414709848078965",
        "exact      0.84147098480789650665250232163029899962…",
        "operation  cos",
        "line       examples/wave.py:12",
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
    assert render(empty, "text").startswith("No cases were run.\n")
