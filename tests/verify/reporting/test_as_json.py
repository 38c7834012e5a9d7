"""JSON is strict, survives hostile text, and says what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verify.reporting import BadReport, Report, load, render
from verify.reporting.as_json import parse


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.parametrize("name", ["sample", "hostile", "empty", "surveyed"])
def test_it_is_strict_and_reads_back(name: str, request: pytest.FixtureRequest) -> None:
    report: Report = request.getfixturevalue(name)
    text = render(report, "json")
    data = json.loads(text.encode("utf-8"), parse_constant=_refuse)
    assert data == report.to_dict()
    assert repr(parse(text)) == repr(report)


def test_a_case_stands_on_one_line(sample: Report) -> None:
    lines = render(sample, "json").splitlines()
    cases = [json.loads(line.strip().rstrip(",")) for line in lines if line.startswith("  {")]
    assert cases == sample.to_dict()["cases"]


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"schema": ')
    with pytest.raises(BadReport, match=r"r\.json: not JSON, at line 1 column"):
        load(path)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadReport, match=r"r\.json: "):
        load(path)


def test_a_file_that_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text("{}")
    with pytest.raises(BadReport, match=r"package\.json: this is not a report"):
        load(path)
