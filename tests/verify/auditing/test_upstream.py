"""What upstream knows stands beside the findings that it is about, and beside no other."""

import json
import re
from importlib.resources import files

import pytest

from verify.auditing.upstream import known_upstream
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting.as_issue import issue

ROWS = json.loads(files("verify.auditing").joinpath("upstream.json").read_text())
LINK = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+")


def case_of(name, suite, verdict=Verdict.WRONG):
    return Result(name, name, suite, "hessian", "claimed", verdict)


def links_of(*given):
    return [it.line.partition(" ")[0] for it in known_upstream(case_of(*given))]


def test_rows_are_links_with_words_each_once():
    assert all(set(row) == {"package", "names", "link", "says"} for row in ROWS)
    assert all(LINK.fullmatch(row["link"]) and row["says"] and row["names"] for row in ROWS)
    assert len({row["link"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(
    ("name", "suite", "number"),
    [
        ("statsmodels.regression.linear_model:OLS.hessian", "statsmodels.regression", "9469"),
        ("statsmodels.discrete:ZeroInflatedPoisson.hessian[logit]", "statsmodels.discrete", "7632"),
        ("jax:sinc d/dx float32", "jax", "34139"),
    ],
)
def test_a_finding_has_its_link_in_the_issue_too(name, suite, number):
    (link,) = links_of(name, suite)
    assert link.endswith(f"/{number}")
    known = tuple(known_upstream(case_of(name, suite)))
    told = issue(Result(name, name, suite, "hessian", "g", Verdict.WRONG, remedies=known))
    assert f"Known upstream: {link} (" in told


def test_no_other_has_one():
    name, suite = "statsmodels.regression.linear_model:OLS.hessian", "statsmodels.regression"
    assert links_of(name, suite, Verdict.CORRECT) == links_of(name, suite, Verdict.KINK) == []
    assert links_of(name, "otherstats.regression") == []
    assert links_of("statsmodels.regression.linear_model:OLS.hessian_factor", suite) == []
