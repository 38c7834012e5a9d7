"""The entries of a claim at a kink: what fails comes first, and is called by its name."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify import Verdict
from verify.reporting import tables


def bent(x):
    return np.sum(np.abs(x[:-1])) + x[-1] ** 2 + 3 * x[-1]


def slopes(changed):
    def claim(x):
        found = np.sign(x)
        found[-1] = 3.0
        for at, value in changed.items():
            found[at] = value
        return found

    return claim


def told(result):
    case = result
    return tables.kink_table(case, case.worst).rows


FAILING = {"beyond the slopes": {9: 1.5}, "where nothing bends": {11: 3.5}, "nan": {10: np.nan}}


@pytest.mark.parametrize("changed", FAILING.values(), ids=FAILING)
def test_the_entry_that_fails_is_named_and_listed_first(changed):
    result = verify.gradient(bent, slopes(changed), at=[np.zeros(12)])
    (at,) = changed
    assert result.verdict is Verdict.WRONG
    assert f"by x[{at}] from the left" in result.message
    first, *others = told(result)
    assert first[0] == f"gradient[{at}]"
    assert first[-1] == "not admissible"
    assert {row[-1] for row in others} == {"admissible"}


def test_an_entry_is_compared_up_to_its_rounding():
    result = verify.gradient(bent, slopes(dict.fromkeys(range(11), 1 + 2**-52)), at=[np.zeros(12)])
    assert result.verdict is Verdict.KINK
    assert result
    assert {row[-1] for row in told(result)} == {"admissible"}


def test_entries_that_do_not_go_together_are_not_called_inadmissible_one_by_one():
    result = verify.gradient(np.max, lambda x: np.full(2, 0.6), at=[np.ones(2)])
    assert result.verdict is Verdict.WRONG
    assert "each entry of the claim is admissible, but not all of them together" in result.message
    assert [row[-1] for row in told(result)] == ["admissible", "admissible"]


def test_where_nothing_is_known_no_entry_is_judged():
    result = verify.gradient(lambda x: np.mod(x, 1.0), lambda x: 1.0, at=[1.0])
    assert result.verdict is Verdict.KINK
    assert all(row[-1] in ("not known", "") for row in told(result))


@pytest.mark.slow
@pytest.mark.parametrize("function", [np.abs, np.max, lambda x: np.sum(np.abs(x)) ** 0.5])
def test_no_word_is_said_twice(function):
    result = verify.gradient(function, lambda x: np.nan * x, at=[np.zeros(1)[0]])
    assert result.verdict in (Verdict.WRONG, Verdict.KINK)
    assert "is is" not in str(result)
