"""What a run prints, and what it leaves for machines."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

pytest_plugins = ["pytester"]

FIVE = ["verdict", "evidence", "claimant", "witness", "seed"]


def on_any_machine(text):
    text = re.sub(r"; \S+ allowed", "; N allowed", text)
    text = re.sub(r"[\d,]+ points tried, [\d,]+ judged", "N points tried, N judged", text)
    text = re.sub(r"\d+ more lines?", "N more lines", text)
    text = re.sub(r"certified at \d+ points", "certified at N points", text)
    return re.sub(r"[\d,]+ (CORRECT|INACCURATE|WRONG)\b", r"N \1", text)


def after_head(result):
    """The lines from the first failure on, without what differs from run to run."""
    text = "\n".join(line.rstrip() for line in result.outlines)
    text = text[text.index("= FAILURES =") :]
    text = re.sub(r"(?m)^(FAILED \S+).*$", r"\1 ...", text)
    text = re.sub(r"=+ (.*) in \d+\.\d+s( \([\d:]+\))? =+", r"= \1 =", text)
    return on_any_machine(text) + "\n"


@pytest.mark.long
def test_failures_are_our_message_and_nothing_else(run, fares, snapshot):
    result = run("-k", "fare or lost or two")
    text = after_head(result)
    assert "Traceback" not in text
    snapshot("plugin", text)


def test_verbose_says_everything(run, fares):
    result = run("-v", "test_fares.py::lost", "test_fares.py::test_two")
    result.stdout.fnmatch_lines(["*- symtape -*", "UNDECIDED  gradient of lost*", "*  escape  *"])
    result.stdout.fnmatch_lines(["*- symtape -*", "WRONG  gradient of sin*", "*  searched  *"])


def test_full_trace_has_the_frames(run, fares):
    run("--full-trace", "test_fares.py::lost").stdout.fnmatch_lines(["*assertions.py*"])


SUMMARY = (
    r"symtape: 8 claims: 3 correct, 2 wrong, 1 inaccurate, 2 undecided "
    r"\(certified at \d+ points; seed 0\)"
)


@pytest.mark.long
def test_the_summary_counts_the_claims(run, fares):
    text = run().stdout.str()
    assert re.search(SUMMARY, text), text


def test_without_claims_there_is_no_summary(run, fares):
    assert "symtape:" not in run("test_fares.py::test_plain", "--symtape-seed=0").outlines[-2]


def junit_cases(path):
    return {case.get("name"): case for case in ElementTree.parse(path).getroot().iter("testcase")}


def properties(case):
    pairs = [(p.get("name"), p.get("value")) for p in case.iter("property")]
    return [(name.removeprefix("symtape_"), value) for name, value in pairs]


@pytest.mark.long
def test_junit_has_the_verdicts(run, fares, pytester):
    run("--junitxml=out.xml")
    cases = junit_cases(pytester.path / "out.xml")
    found = dict(properties(cases["fare[2]"]))
    assert list(found) == FIVE
    assert found["verdict"] == "INACCURATE"
    assert found["claimant"] == "by_hand"
    assert found["witness"] == "x = 20.0"
    assert found["seed"] == "0"
    assert found["evidence"].startswith("certified at")
    assert dict(properties(cases["lost"]))["evidence"] == "none"
    several = properties(cases["test_two"])
    assert [name for name, _ in several] == FIVE * 2
    assert [value for name, value in several if name == "verdict"] == ["CORRECT", "WRONG"]
    assert not properties(cases["test_plain"])


@pytest.mark.long
def test_reports_hold_every_claim_of_the_run(run, fares, pytester):
    result = run("--symtape-report=out")
    folder = pytester.path / "out"
    written = {path.name for path in folder.iterdir()}
    assert written == {"report.json", "report.xml", "report.md", "report.html"}
    result.stdout.fnmatch_lines(["symtape: wrote out/report.json"])
    report = json.loads((folder / "report.json").read_text())
    ids = [case["id"] for case in report["cases"]]
    assert ids == [
        "test_fares.py::fare",
        "test_fares.py::fare[2]",
        "test_fares.py::test_wave",
        "test_fares.py::lost",
        "test_fares.py::allowed",
        "test_fares.py::known",
        "test_fares.py::test_two",
        "test_fares.py::test_two#2",
    ]
    assert report["suites"] == ["test_fares.py"]
    assert "fare[2]" in report["cases"][1]["replay"]


@pytest.mark.long
def test_workers_send_what_they_found_and_one_that_dies_takes_nothing_with_it(run, fares, pytester):
    pytester.makepyfile(test_dies="import os\n\ndef test_dies():\n    os._exit(3)\n")
    result = run("-n", "2", "--symtape-report=out", "--junitxml=out.xml", "--symtape-seed=4")
    result.assert_outcomes(passed=4, failed=4, xfailed=1, skipped=1)
    assert re.search(SUMMARY.replace("seed 0", "seed 4"), result.stdout.str())
    report = json.loads((pytester.path / "out" / "report.json").read_text())
    assert len(report["cases"]) == 8
    assert dict(properties(junit_cases(pytester.path / "out.xml")["fare[2]"]))["seed"] == "4"


@pytest.mark.long
def test_points_given_one_by_one_are_one_claim(run, pytester):
    pytester.makepyfile(
        """
        import numpy as np, verify
        from hypothesis import given, settings, strategies as st

        @settings(max_examples=20, derandomize=True, database=None)
        @given(st.floats(-1, 1))
        def test_sine(x):
            verify.assert_gradient(np.sin, np.cos, at=[x])
        """
    )
    result = run("--junitxml=out.xml", "--symtape-report=out")
    result.assert_outcomes(passed=1)
    assert re.search(
        r"symtape: 1 claim: 1 correct \(certified at \d+ points\)", result.stdout.str()
    )
    case = junit_cases(pytester.path / "out.xml")["test_sine"]
    assert dict(properties(case))["seed"] == "none"
