"""JUnit XML parses, counts, and says of each case what a dashboard shows."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import Report, render

OUTCOME = {
    Verdict.WRONG: "failure",
    Verdict.INACCURATE: "failure",
    Verdict.UNDECIDED: "error",
    Verdict.KINK: "system-out",
    Verdict.OUTSIDE: "system-out",
}


def _parse(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(render(report, "junit").encode("utf-8"))


def _properties(element: ElementTree.Element) -> dict[str, str]:
    return {it.attrib["name"]: it.attrib["value"] for it in element.iter("property")}


def test_each_case_has_its_outcome_and_properties(sample: Report) -> None:
    found = {it.attrib["name"]: it for it in _parse(sample).iter("testcase")}
    assert list(found)
    assert len(found) == len(sample.cases)
    for case in sample.cases:
        element = found[case.id]
        outcomes = {it.tag for it in element} - {"properties"}
        assert outcomes == ({OUTCOME[case.verdict]} if case.verdict in OUTCOME else set())
        properties = _properties(element)
        assert properties["verdict"] == case.verdict.value
        assert properties.get("evidence", "") == case.basis
        assert float(properties.get("ulps", "-1")) == (-1 if case.ulps is None else case.ulps)


def test_a_failure_says_what_where_and_how_to_replay(sample: Report) -> None:
    failure = next(_parse(sample).iter("failure"))
    assert failure.attrib["type"] == "WRONG"
    assert failure.attrib["message"].startswith("WRONG gradient of user/wave: The rule of cos")
    for words in ("cos", "examples/wave.py:12", "1.52 × 10¹⁶ ulps", "--at '[1.0, 2.0]' 0.1"):
        assert words in (failure.text or "")


def test_counts_add_up(large: Report) -> None:
    root = _parse(large)
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == (
        str(len(large.cases)),
        "2",
        "1",
    )
    suites = root.findall("testsuite")
    for key in ("tests", "failures", "errors"):
        assert sum(int(suite.attrib[key]) for suite in suites) == int(root.attrib[key])


def test_hostile_text_is_only_text(hostile: Report) -> None:
    root = _parse(hostile)
    assert {it.tag for it in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "properties", "property", "failure"
    }  # fmt: skip
    assert "<script>alert(1)</script> ]]>" in root.attrib["name"]


@given(st.text())
@settings(derandomize=True, deadline=None, max_examples=100)
def test_any_text_gives_xml(text: str) -> None:
    case = Result(text, text, text, text, text, Verdict.WRONG, message=text, replay=text)
    root = _parse(Report(text, (text,), text, {text: text}, 0, (case,)))
    assert root.attrib["failures"] == "1"


def test_interrupted_runs_say_so(hostile: Report) -> None:
    assert _properties(_parse(hostile))["interrupted"] == "true"


def test_no_cases(empty: Report) -> None:
    assert _parse(empty).attrib["tests"] == "0"


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_times_are_numbers(seconds: float) -> None:
    case = Result("c", "", "s", "", "", Verdict.CORRECT, seconds=seconds)
    root = _parse(Report("", (), "", {}, 0, (case,)))
    assert all(float(it.attrib["time"]) == 0 for it in root.iter() if "time" in it.attrib)
