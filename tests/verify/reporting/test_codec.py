"""Reports survive plain data unchanged, and what is no report is refused with its place named."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.figures import HeatMap, Lines, Series
from verify.model.outcome import Float, Input
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.reporting import BadReport, Report
from verify.reporting.codec import encode

TEXT = st.text(max_size=20)
FLOATS = st.floats()
POINTS = st.builds(
    PointOutcome,
    verdict=st.sampled_from(Verdict),
    inputs=st.lists(
        st.builds(Input.from_array, TEXT, st.lists(FLOATS, max_size=3)), max_size=2
    ).map(tuple),
    entry=st.lists(st.integers(0, 2**70), max_size=3).map(tuple),
    claimed=st.none() | st.builds(Float.from_number, FLOATS),
    ulps=st.none() | FLOATS,
    message=TEXT,
)
CASES = st.builds(
    Result,
    id=TEXT,
    title=TEXT,
    suite=TEXT,
    quantity=TEXT,
    claimant=TEXT,
    verdict=st.sampled_from(Verdict),
    points=st.lists(POINTS, max_size=2).map(tuple),
    plots=st.lists(
        st.builds(HeatMap.from_matrix, TEXT, st.just([[0.0, float("nan")]]))
        | st.builds(Lines.from_arrays, TEXT, st.just([0.0]), st.just({"y": [float("-inf")]})),
        max_size=2,
    ).map(tuple),
    seconds=FLOATS,
)
REPORTS = st.builds(
    Report,
    title=TEXT,
    suites=st.lists(TEXT, max_size=2).map(tuple),
    created=TEXT,
    versions=st.dictionaries(TEXT, TEXT, max_size=2),
    seed=st.integers(),
    cases=st.lists(CASES, max_size=2).map(tuple),
    elapsed=FLOATS,
    interrupted=st.booleans(),
)


@pytest.mark.long
@given(REPORTS)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_round_trip_through_strict_json(report: Report) -> None:
    text = json.dumps(report.to_dict(), allow_nan=False)
    back = Report.from_dict(json.loads(text))
    assert repr(back) == repr(report)


def test_samples_round_trip(
    sample: Report, hostile: Report, empty: Report, surveyed: Report
) -> None:
    assert Report.from_dict(sample.to_dict()).cases[1] == sample.cases[1]
    for report in (sample, hostile, empty, surveyed):
        assert repr(Report.from_dict(report.to_dict())) == repr(report)


def test_a_field_with_a_default_may_be_missing(sample: Report) -> None:
    data = sample.to_dict()
    del data["interrupted"]
    assert Report.from_dict(data).interrupted is False


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema",), "symtape.report/9", r"symtape\.report/9.*reads 'symtape\.report/1'"),
        (("seed",), "0", r"report\.seed: expected a whole number, got '0'"),
        (("seed",), True, r"report\.seed: expected a whole number, got True"),
        (("interrupted",), 1, r"report\.interrupted: expected true or false"),
        (("title",), None, r"report\.title: expected text, got None"),
        (("elapsed",), "soon", r"report\.elapsed: expected a number.*'soon'"),
        (("suites",), "user", r"report\.suites: expected a list, got 'user'"),
        (("versions",), [], r"report\.versions: expected an object"),
        (
            ("cases", 1, "verdict"),
            "RIGHT",
            r"cases\[1\]\.verdict: expected one of CORRECT, .*'RIGHT'",
        ),
        (("cases", 1, "verdit"), "WRONG", r"unknown field 'verdit' \(did you mean 'verdict'\?\)"),
        (("cases", 1, "qqqqqq"), "WRONG", r"unknown field 'qqqqqq'; known are id, title"),
        (("cases", 1, "source"), 3, r"cases\[1\]\.source: expected an object \(Source\), got 3"),
        (
            ("cases", 0, "plots", 0, "kind"),
            "pie",
            r"kind: expected one of lines, scatter, heat map",
        ),
        (("cases", 0, "plots", 0), {}, r"plots\[0\]: expected an object with a 'kind'"),
        (("cases", 0, "plots", 1, "rows"), [[1], [1, 2]], r"plots\[1\].*lengths \[1, 2\]"),
        (("cases", 0, "plots", 2, "patch"), [1], r"patch: expected 2 items, got 1"),
        (("cases", 0, "plots", 0, "series", 0, "x"), [], r"0 values of x and 201 of y"),
    ],
)
def test_bad_data_is_refused_where_it_stands(sample: Report, path, value, message) -> None:
    data = copy.deepcopy(sample.to_dict())
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(BadReport, match=message):
        Report.from_dict(data)


@pytest.mark.parametrize("name", ["schema", "title", "cases", "versions"])
def test_a_missing_field_is_named(sample: Report, name: str) -> None:
    data = sample.to_dict()
    del data[name]
    with pytest.raises(BadReport, match=f"lacks '{name}'"):
        Report.from_dict(data)


@pytest.mark.parametrize("data", [None, [], "report", 3])
def test_what_is_no_object_is_no_report(data: object) -> None:
    with pytest.raises(BadReport, match="a report is a JSON object, got"):
        Report.from_dict(data)


def test_integers_beyond_floats_become_infinite(sample: Report) -> None:
    data = sample.to_dict() | {"elapsed": -(10**400)}
    assert Report.from_dict(data).elapsed == float("-inf")


def test_what_is_not_plain_data_is_refused() -> None:
    with pytest.raises(TypeError, match="must be real number, not complex"):
        encode(Series("s", (2j,), (1.0,)))


def test_series_must_match() -> None:
    with pytest.raises(ValueError, match="'s' has 1 values of x and 2 of y"):
        Series("s", (1.0,), (1.0, 2.0))
