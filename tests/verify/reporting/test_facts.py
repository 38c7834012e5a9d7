"""Every rendering says what was searched, how accurate the claim is, and what a kink admits."""

from __future__ import annotations

import re

import pytest

from verify.reporting import Report, render
from verify.reporting.as_issue import issue
from verify.reporting.explain import explanation
from verify.reporting.model import rank

SEARCHED = (
    "x in [-60, 60] (seed 0): 3,412 points tried, 214 judged, 3 outside, 2 undecided; "
    "paths: 5 of 6; 2 earlier counterexamples tried as well; "
    "stopped early: the time of 10 s was spent"
)


def words(text: str) -> str:
    """`text` without markup, on one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "markdown", "text", "junit", "json"])
def test_the_verifier_was_tested(surveyed: Report, form: str) -> None:
    assert "1,612 planted faults: 1,600 refuted" in render(surveyed, form)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "markdown", "text", "junit"])
def test_a_search_is_told(surveyed: Report, form: str) -> None:
    assert SEARCHED in words(render(surveyed, form))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "markdown", "text", "junit"])
def test_segments_are_told(surveyed: Report, form: str) -> None:
    text = render(surveyed, form)
    assert "[-60, -20)" in text
    assert "ULP ≤ 1" in text


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "markdown", "text", "junit"])
def test_a_kink_is_told(surveyed: Report, form: str) -> None:
    text = words(render(surveyed, form))
    for fact in ("[-1, 1]", "[0.25, 2.5]", "not known", "not admissible", "gradient[0]"):
        assert fact in text, fact


@pytest.mark.long
@pytest.mark.parametrize("form", ["html", "markdown"])
def test_proofs_are_told(surveyed: Report, form: str) -> None:
    text = words(render(surveyed, form))
    assert "3 operations: 1 proved, 1 proved at the tested shapes, 1 certified" in text
    for fact in ("all reals", "(2,3) (3,4)", "a power series is not proven"):
        assert fact in text


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "markdown", "text", "junit"])
def test_severity_and_power_are_told(surveyed: Report, form: str) -> None:
    text = words(render(surveyed, form))
    assert "below the last digit of the value" in text
    assert "excludes faults above one part in 10⁴" in text


def test_what_matters_most_comes_first(surveyed: Report) -> None:
    assert [case.id for case in surveyed.cases_by_gravity][:2] == ["user/kink", "user/tanh"]
    assert [case.fails for case in surveyed.cases_by_gravity] == [True, True, False]
    assert rank(surveyed.cases[1].points[0]) < rank(surveyed.cases[1].points[1])


def test_the_witness_of_a_search_is_the_simplest(surveyed: Report) -> None:
    case = surveyed.cases[1]
    assert case.worst is case.points[0]


def test_an_issue_stands_for_itself(surveyed: Report) -> None:
    text = issue(surveyed.cases[1], {"symtape": "0.1.0"})
    for fact in (
        "**INACCURATE**: `gradient` of `user/tanh`, claimed by `my_tanh`",
        "| at | `x = 19.0625` |",
        "| exactly | `x = 0x1.3100000000000p+4` |",
        "| claimed | `0.0 = 0x0.0p+0` |",
        "| error | `5.1 × 10¹⁵ ulps; 8 allowed` |",
        "| operation | `subtract tails.py:4` |",
        "symtape verify tails.py:tanh --over '[-60, 60]'",
        "`symtape 0.1.0`",
        SEARCHED,
        "| [-60, -20) |",
    ):
        assert fact in text, fact


@pytest.mark.long
def test_an_issue_can_be_copied_from_the_page(surveyed: Report) -> None:
    page = render(surveyed, "html")
    assert page.count("As Markdown, for an issue") == 2
    assert "**INACCURATE**: `gradient` of `user/tanh`" in page


def test_the_text_has_the_accuracy_as_a_line(surveyed: Report) -> None:
    line = next(it for it in explanation(surveyed.cases[1]).splitlines() if "values evenly" in it)
    assert re.fullmatch(r"  \|[▆▇█]+[▁▂▃▄▅▆ ]+[▆▇█]+\| values evenly spaced", line)
