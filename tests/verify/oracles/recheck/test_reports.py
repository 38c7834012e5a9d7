"""``symtape recheck``: reports, of audits too, as they were written and tampered with."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from verify.cli import cli
from verify.model.outcome import Enclosure, Float, Input
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.reporting import Report, write

MARKED = """
import numpy as np
import verify

@verify.case(at=[0.5], claimed=lambda x: -np.cos(x))
def wave(x):
    return np.sin(x)

@verify.case(at=[2.0])
def cube(x):
    return x**3

@verify.case(at=[0.0], claimed=lambda x: 3.0)
def size(x):
    return np.abs(x)

@verify.case(at=[[1.0, 2.0]], claimed=lambda x: 1 / 0)
def raising(x):
    return np.sum(x)
"""


def recheck(path: Path, *options: str) -> Any:
    """The command's result."""
    return CliRunner().invoke(cli, ["recheck", str(path), *options])


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("marked.py").write_text(MARKED)
    words = ["verify", "marked.py", "--jobs", "0", "--out", ".", "--format", "json"]
    assert CliRunner().invoke(cli, words).exit_code == 1
    return tmp_path / "marked.json"


def test_findings_are_confirmed_and_what_shows_no_value_is_said(report: Path) -> None:
    found = recheck(report, "-v")
    assert "marked.py:wave #1: confirmed: 0.87758256189037272" in found.output
    assert "marked.py:cube #1: confirmed: 12.0" in found.output
    assert "marked.py:size #1: confirmed: -1.0 and 1.0" in found.output
    assert "marked.py:raising #1: not rechecked: it shows no value: " in found.output
    assert "findings: 3 (2 confirmed, 0 contradicted, 1 not rechecked)" in found.output
    assert found.exit_code == 3


def test_what_a_report_should_not_say_is_contradicted(report: Path) -> None:
    data = json.loads(report.read_text())
    for case in data["cases"]:
        for point in case["points"]:
            if point["enclosure"]:
                point["enclosure"] |= {"lower": "0.1", "upper": "0.2"}
    report.write_text(json.dumps(data))
    found = recheck(report)
    assert "wave #1: contradicted: 0.87758256189037272" in found.output
    assert "outside of [0.1, 0.2]" in found.output
    assert found.exit_code == 1


def test_functions_that_are_gone_are_said(report: Path) -> None:
    report.write_text(report.read_text().replace("verify marked.py", "verify gone.py"))
    found = recheck(report)
    assert "not rechecked: its function is not found" in found.output
    assert found.exit_code == 3


def test_audits(tmp_path: Path) -> None:
    def report(exact: str) -> Report:
        point = PointOutcome(
            Verdict.WRONG,
            inputs=(Input.from_array("x", 20.0),),
            claimed=Float.from_number(0.0),
            enclosure=Enclosure(f"{exact}5e-17", f"{exact}6e-17"),
        )
        name = "jax:tanh d/dx float64"
        case = Result(name, name, "jax", "gradient", "jax", Verdict.WRONG, points=(point,))
        return Report("", ("jax",), "", {}, 0, (replace(case, replay="symtape audit jax"),))

    for exact, status in (("1.699341702116635", 0), ("1.699341702116625", 1)):
        [path] = write(report(exact), tmp_path, ["json"])
        assert recheck(path).exit_code == status


@pytest.mark.parametrize("text", [None, "no JSON", '{"schema": "other"}'])
def test_other_files_are_refused(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "other.json"
    if text is not None:
        path.write_text(text)
    assert recheck(path).exit_code == 2
