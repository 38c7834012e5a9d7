"""The line that a finding points to is one of the claim, if it can be known, and else none."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import verify
from verify.reporting.html_case import sources
from verify.reporting.reported import prepare_report


def rise(x):
    slope = np.sin(x)
    size = x**2
    return np.sum(slope * size)


def sign_on_one_line(x):
    slope = np.sin(x)
    return slope * 2 * x - np.cos(x) * x**2


def factor_on_its_own_line(x):
    slope = np.sin(x)
    made = np.zeros(x.shape)
    made += slope * 2 * x
    made += 1.5 * np.cos(x) * x**2
    return made


def two_candidates(x):
    doubled = 3 * x
    return np.cos(x) * x**2 + np.sin(x) * doubled


def term_missing(x):
    return np.sin(x) * 2 * x


def table(x):
    return np.array([x[1] * x[2], x[0] ** 2 * x[2], x[0] * x[1]])


def table_jacobian(x):
    made = np.zeros((3, 3))
    made[0, 1], made[0, 2] = x[2], x[1]
    made[1, 0] = x[0] * x[2]
    made[1, 2] = x[0] ** 2
    made[2, 0], made[2, 1] = x[1], x[0]
    return made


POINT = np.array([0.7, 1.3, 2.1])


def line_in(function, text):
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(k for k, line in enumerate(lines) if text in line)}"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (sign_on_one_line, "- np.cos(x)"),
        (factor_on_its_own_line, "1.5 * np.cos"),
        (two_candidates, None),
        (term_missing, None),
    ],
)
def test_the_line_is_the_claims_own_or_none(claim, text):
    witness = verify.gradient(rise, claimed=claim, at=[POINT]).witness
    assert (witness.origin or None) == (None if text is None else line_in(claim, text))


def test_several_lines_are_named_as_guesses():
    message = verify.gradient(rise, claimed=two_candidates, at=[POINT]).witness.message
    named = message.partition("one of these lines is off by a factor: ")[2]
    lines = [line_in(two_candidates, "doubled = "), line_in(two_candidates, "return")]
    assert {line.rpartition(":")[2] for line in lines} <= {
        each.rpartition(":")[2] for each in named.split(", ")
    }


def test_where_the_function_has_the_operation_is_told_in_words():
    message = verify.gradient(rise, claimed=term_missing, at=[POINT]).witness.message
    place = line_in(rise, "np.sin(x)").rpartition("/")[2]
    assert "the term through sin is missing (sin is at " in message
    assert f"{place})" in message


def test_an_entry_of_a_table_points_to_the_line_that_fills_it():
    witness = verify.jacobian(table, claimed=table_jacobian, at=[POINT]).witness
    assert witness.origin == line_in(table_jacobian, "made[1, 0]")
    assert witness.op == "multiply"


@pytest.mark.parametrize("claim", [sign_on_one_line, two_candidates, term_missing])
def test_no_line_of_a_right_function_is_marked_in_a_report(claim):
    result = prepare_report(verify.gradient(rise, claimed=claim, at=[POINT]))
    marked = {title: any(blamed for _, _, blamed in lines) for title, _, lines in sources(result)}
    assert marked == {"The function": False, "The claim": claim is sign_on_one_line}


TIMES = np.linspace(0.5, 4.0, 5)


def decay(p):
    return p[0] * np.exp(-p[1] * TIMES) + p[2]


def by_columns(p):
    made = np.empty((5, 3))
    made[:, 0] = np.exp(-p[1] * TIMES)
    made[:, 1] = -p[0] * np.exp(-p[1] * TIMES)  # fault
    made[:, 2] = 1.0
    return made


def by_a_stack(p):
    wave = np.exp(-p[1] * TIMES)
    return np.stack(
        [
            wave,
            -p[0] * wave,  # fault
            np.ones(5),
        ],
        axis=1,
    )


def by_a_name(p):
    wave = np.exp(-p[1] * TIMES)
    rate = -p[0] * wave  # fault
    return np.column_stack([wave, rate, np.ones(5)])


def by_entries(p):
    made = np.zeros((5, 3))
    for i, t in enumerate(TIMES):
        made[i, 0] = np.exp(-p[1] * t)
        made[i, 1] = -p[0] * np.exp(-p[1] * t)  # fault
        made[i, 2] = 1.0
    return made


def by_a_helper(p):
    def rate():
        return -p[0] * np.exp(-p[1] * TIMES)  # fault

    made = np.ones((5, 3))
    made[:, 0] = np.exp(-p[1] * TIMES)
    made[:, 1] = rate()
    return made


BY_PARTS = [by_columns, by_a_stack, by_a_name, by_entries, by_a_helper]


@pytest.mark.parametrize("claim", BY_PARTS)
def test_the_line_that_computes_the_wrong_column_is_named_and_what_it_lacks(claim):
    witness = verify.jacobian(decay, claimed=claim, at=[np.array([1.5, 0.75, 0.25])]).witness
    assert witness.origin == line_in(claim, "# fault")
    assert "lacks the factor TIMES" in witness.message


def test_a_line_that_computes_right_entries_as_well_is_not_named():
    def all_at_once(p):
        factors = np.array([[0.0, 0, 0], [-1, 0, 0], [0, 0, 0]]) @ p + [1.0, 0.0, 0.0]
        return np.exp(-p[1] * TIMES)[:, None] * factors + [0.0, 0.0, 1.0]

    witness = verify.jacobian(decay, claimed=all_at_once, at=[np.array([1.5, 0.75, 0.25])]).witness
    assert "lacks the factor TIMES" in witness.message
    assert not witness.origin
