"""Accuracy plots: small SVG in the page's colours, that says in words what it shows."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.accuracy import Accuracy, Profile
from verify.model.result import Survey
from verify.reporting import Report
from verify.reporting.accuracy_plot import describe_plot, svg, ticks

SVG = "{http://www.w3.org/2000/svg}"


def drawings(report: Report):
    """Every plot of a report, parsed, with its text."""
    for case in report.cases:
        for coordinate in case.accuracy.coordinates if case.accuracy else ():
            for profile in coordinate.profiles:
                text = svg(case.accuracy, coordinate, profile, "p")
                yield text, ElementTree.fromstring(text)


@pytest.mark.parametrize("name", ["surveyed", "hostile"])
def test_it_is_small_and_fetches_nothing(name: str, request: pytest.FixtureRequest) -> None:
    found = list(drawings(request.getfixturevalue(name)))
    assert found
    for text, root in found:
        assert len(text) < 30_000
        assert {it.tag.removeprefix(SVG) for it in root.iter()} == {
            "svg", "title", "desc", "path", "text"
        } - ({"path"} if root.find(f"{SVG}path") is None else set())  # fmt: skip
        assert "nan" not in re.sub(r">[^<]*<", "><", text)
        assert not re.search(r"#[0-9a-f]{6}\b", text)
        assert root.attrib["aria-labelledby"] == "p-title p-desc"


def test_it_says_what_it_shows(surveyed: Report) -> None:
    accuracy = surveyed.cases[1].accuracy
    [coordinate] = accuracy.coordinates
    words = describe_plot(accuracy, coordinate, coordinate.profiles[1])
    assert words.startswith("Bits of error, 0 to 64, over x from -60 to 60, values evenly spaced.")
    assert re.search(r"The largest error is 5[23]\.\d bits, \d+ percent along the axis\.", words)
    assert re.search(r"In 3\d of 48 stretches: wrong zero\.", words)


@pytest.mark.parametrize("ulps", [0.0, 0.25])
def test_a_flat_plot_says_that_there_is_no_error(ulps: float) -> None:
    x = np.linspace(1.0, 2.0, 64)
    survey = Survey(("x",), x[:, None], np.append(np.zeros(63), ulps), x, x)
    accuracy = Accuracy.from_survey(survey)
    [coordinate] = accuracy.coordinates
    for profile in coordinate.profiles:
        drawing = svg(accuracy, coordinate, profile, "p").partition("</desc>")[2]
        for text in (drawing, describe_plot(accuracy, coordinate, profile)):
            assert ("no error at these points" in text) is (ulps == 0)


def test_every_point_that_was_kept_is_drawn(surveyed: Report) -> None:
    accuracy = surveyed.cases[1].accuracy
    [coordinate] = accuracy.coordinates
    text = svg(accuracy, coordinate, coordinate.profiles[0], "p")
    assert text.count("h0") == len(accuracy.bits)
    assert ">zero<" in text


def test_a_gap_without_points_stays_a_gap() -> None:
    x = np.array([0.0, 0.1, 9.9, 10.0])
    survey = Survey(("x",), x[:, np.newaxis], np.full(4, 3.0), np.ones(4), np.ones(4))
    accuracy = Accuracy.from_survey(survey)
    [coordinate] = accuracy.coordinates
    root = ElementTree.fromstring(svg(accuracy, coordinate, coordinate.profiles[1], "p"))
    [steps] = [it for it in root.iter(f"{SVG}path") if "stroke-width: 1.3" in it.attrib["style"]]
    assert steps.attrib["d"].count("M") == 2


ENDS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.long
@given(ENDS, ENDS, st.sampled_from(["floats", "values"]))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_ticks_stand_in_order_and_apart(one: float, other: float, scale) -> None:
    low, high = sorted((one, other))
    if low == high or (scale == "values" and not math.isfinite(high - low)):
        return
    marks = ticks(Profile(scale, low, high, ()))
    assert len(marks) <= 9
    assert all(0 <= place <= 1 for place, _ in marks)
    assert all(after - before > 0.03 for (before, _), (after, _) in itertools.pairwise(marks))


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (-60.0, 60.0, "−60 −10⁻¹⁰⁰ −10⁻²⁰⁰ 0 10⁻²⁰⁰ 10⁻¹⁰⁰ 60"),
        (1e-300, 1e300, "10⁻³⁰⁰ 10⁻²⁰⁰ 10⁻¹⁰⁰ 1 10¹⁰⁰ 10²⁰⁰ 10³⁰⁰"),
        (1.0, 60.0, "1 10 20 30 40 50 60"),
    ],
)
def test_ticks_are_round_numbers_and_the_ends(low: float, high: float, labels: str) -> None:
    assert [label for _, label in ticks(Profile("floats", low, high, ()))] == labels.split()
