"""Tally: the verdicts of a whole run, from all of its processes, in a line and in reports."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, Final

import pytest

from verify.pytest_plugin import options

_WORDS: Final = ("CORRECT", "WRONG", "INACCURATE", "KINK", "OUTSIDE", "UNDECIDED")
"""The verdicts, in the order in which they are told."""

_MOST_SEEDS: Final = 3


class Tally:
    """Counts what the reports of tests bring along; in the process that reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._started = time.perf_counter()
        self._claims: list[dict[str, Any]] = []
        self._written: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of the claims of a test."""
        self._claims += getattr(report, "symtape", [])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the reports, of what there is even if the run was interrupted."""
        folder = options.folder(self._config)
        if folder is None or not self._claims:
            return
        from verify.pytest_plugin.reporting import write_reports

        interrupted = exitstatus == pytest.ExitCode.INTERRUPTED
        seconds = time.perf_counter() - self._started
        cases = [claim["case"] for claim in self._claims if "case" in claim]
        self._written = write_reports(cases, folder, seconds, interrupted)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The line at the end, and what was written."""
        if self._claims:
            terminalreporter.write_line(line(self._claims))
        for path in self._written:
            terminalreporter.write_line(f"symtape: wrote {path}")


def line(claims: list[dict[str, Any]]) -> str:
    """All verdicts in a line.

    Examples
    --------
    >>> claim = {"verdict": "CORRECT", "rung": "certified", "points": 40, "seed": 0}
    >>> line([claim, claim, {"verdict": "UNDECIDED", "rung": "", "points": 0, "seed": 0}])
    'symtape: 3 claims: 2 correct, 1 undecided (certified at 80 points; seed 0)'
    """
    counts = Counter(claim["verdict"] for claim in claims)
    verdicts = ", ".join(f"{counts[word]:,} {word.lower()}" for word in _WORDS if counts[word])
    noted = sum(bool(claim.get("noted")) for claim in claims)
    verdicts += f", {noted:,} with notes" if noted else ""
    known = "; ".join(words for words in (_evidence(claims), _seeds(claims)) if words)
    total = f"{len(claims):,} claim{'s' * (len(claims) != 1)}"
    return f"symtape: {total}: {verdicts}{f' ({known})' if known else ''}"


def _evidence(claims: list[dict[str, Any]]) -> str:
    """At how many points there were enclosures, and at how many only values."""
    sampled = sum(claim["points"] for claim in claims if claim["rung"] == "sampled")
    certified = sum(claim["points"] for claim in claims if claim["rung"] != "sampled")
    counts = (("certified", certified), ("sampled", sampled))
    said = [f"{word} at {n:,} point{'s' * (n != 1)}" for word, n in counts if n]
    return ", ".join(said)


def _seeds(claims: list[dict[str, Any]]) -> str:
    seeds = sorted({claim["seed"] for claim in claims if claim["seed"] is not None})
    if not seeds:
        return ""
    if len(seeds) > _MOST_SEEDS:
        return f"{len(seeds)} seeds"
    return f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}"
