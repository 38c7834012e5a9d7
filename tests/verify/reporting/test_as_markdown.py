"""Markdown stays short, shows only what is not correct, and reads no markup in user text."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.reporting import Report, render
from verify.reporting.as_markdown import LIMIT
from verify.reporting.generated import COMMENT
from verify.reporting.tables import block, code


def test_the_table_has_only_what_is_not_correct(sample: Report) -> None:
    text = render(sample, "markdown")
    table = text[: text.index("<details>")]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(sample.cases) - 1
    assert not any("classics/rosenbrock" in row for row in rows)
    assert "classics/rosenbrock" in text
    assert text.count("<details>") == text.count("</details>") == len(sample.cases)


def test_counts_come_first(sample: Report) -> None:
    lines = [line for line in render(sample, "markdown").splitlines() if line]
    assert lines[1] == "**1 wrong and 1 inaccurate among 6 cases.**"
    assert all(f"1 {verdict.value}" in lines[2] for verdict in sample.counts)


@pytest.mark.long
def test_it_never_grows_beyond_the_limit(hostile: Report) -> None:
    case = dataclasses.replace(hostile.cases[0], message="é" * 3000)
    report = dataclasses.replace(hostile, cases=(case,) * 3000)
    text = render(report, "markdown")
    assert len(text.encode()) <= LIMIT
    assert "2,900 rows left out" in text
    assert "explanations left out" in text


@given(st.text(alphabet="`|<a \n", min_size=1))
@settings(derandomize=True, deadline=None)
def test_nothing_closes_a_code_span(text: str) -> None:
    span = code(text)
    if span:
        fence = re.match("`+", span)[0]
        assert span.endswith(fence)
        assert fence not in span[len(fence) : -len(fence)]
        assert "\n" not in span


@given(st.text(alphabet="`~ax\n"))
@settings(derandomize=True, deadline=None)
def test_nothing_closes_a_code_block(text: str) -> None:
    first, *inside, last = block(text).split("\n")
    assert first == f"{last}text"
    assert not any(line.strip().startswith(last) for line in inside)


def test_user_text_is_code_wherever_it_stands(hostile: Report) -> None:
    text = render(hostile, "markdown")
    text = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", text)
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    text = re.sub(r"<code>[^<>]*</code>", "", text)
    assert not re.search(r"alert|@team|#1|\[red\]", text)
    assert set(re.findall(r"<[^>]*>", text)) == {
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        COMMENT,
    }


def test_rows_have_the_same_number_of_cells(hostile: Report) -> None:
    blocks = re.findall(r"(?m)(?:^\|.*\n)+", render(hostile, "markdown"))
    assert len(blocks) > 3
    for table in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def test_no_cases(empty: Report) -> None:
    assert "No cases were run." in render(empty, "markdown")
