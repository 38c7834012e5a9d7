"""What became of a case: by a table of pairs, and laws that hold of every pair."""

from __future__ import annotations

import itertools
import math

import pytest

from verify.model.change import CaseSummary, Change, Kind
from verify.model.verdict import Verdict

PROVED, CERTIFIED = "proved; certified at 1 point to 2⁻³⁰⁰", "certified at 3 points to 2⁻²⁹⁰"


def summary(verdict="CORRECT", evidence=PROVED, ulps=0.5, quantity="gradient"):
    return CaseSummary(Verdict[verdict], quantity, evidence, ulps)


PAIRS = [
    (summary(), summary("WRONG"), Kind.WORSE),
    (summary("UNDECIDED"), summary("INACCURATE"), Kind.WORSE),
    (summary("KINK"), summary("WRONG"), Kind.WORSE),
    (summary("INACCURATE"), summary("WRONG"), Kind.WORSE),
    (summary("WRONG"), summary("INACCURATE"), Kind.CHANGED),
    (summary("WRONG"), summary(), Kind.FIXED),
    (summary("INACCURATE"), summary("KINK"), Kind.FIXED),
    (summary("WRONG"), summary("UNDECIDED"), Kind.CHANGED),
    (summary(), summary("UNDECIDED"), Kind.CHANGED),
    (summary("UNDECIDED"), summary(), Kind.CHANGED),
    (summary(), summary(), Kind.UNCHANGED),
    (summary(evidence=PROVED), summary(evidence=CERTIFIED), Kind.CHANGED),
    (summary(evidence=CERTIFIED), summary(evidence=CERTIFIED + "; more"), Kind.UNCHANGED),
    (summary(quantity="hessian"), summary(), Kind.CHANGED),
    (summary(ulps=0.1), summary(ulps=3.9), Kind.UNCHANGED),
    (summary("WRONG", ulps=1e9), summary("WRONG", ulps=9e9), Kind.FAILING),
    (summary("WRONG", ulps=1e9), summary("WRONG", ulps=1e10), Kind.CHANGED),
    (summary("WRONG", ulps=math.inf), summary("WRONG", ulps=math.inf), Kind.FAILING),
    (summary("WRONG", ulps=math.nan), summary("WRONG", ulps=math.nan), Kind.FAILING),
    (summary("WRONG", ulps=None), summary("WRONG", ulps=4.0), Kind.CHANGED),
    (None, summary(), Kind.NEW),
    (summary(), None, Kind.GONE),
]


@pytest.mark.parametrize(("before", "after", "kind"), PAIRS)
def test_a_pair_is_of_its_kind(before, after, kind) -> None:
    assert Change.from_summaries("f", before, after).kind is kind


def test_what_was_not_run_is_not_gone() -> None:
    assert Change.from_summaries("f", summary(), None, ran=False).kind is Kind.NOT_RUN


ALL = [summary(verdict.name) for verdict in Verdict]


@pytest.mark.parametrize(("before", "after"), [*itertools.product([None, *ALL], ALL)])
def test_worse_is_what_fails_and_failed_less(before, after) -> None:
    change = Change.from_summaries("f", before, after)
    if change.is_worse:
        assert after.verdict.fails
        assert before is None or before.verdict is not after.verdict
    elif after.verdict.fails:
        assert before.verdict.fails
    assert change.is_newly_undecided == (
        after.verdict is Verdict.UNDECIDED
        and (before is None or before.verdict is not Verdict.UNDECIDED)
    )


@pytest.mark.parametrize("one", ALL)
def test_there_and_back_is_never_worse_twice(one) -> None:
    for other in ALL:
        there, back = Change.from_summaries("f", one, other), Change.from_summaries("f", other, one)
        assert not (there.is_worse and back.is_worse)
        same = (Kind.UNCHANGED, Kind.FAILING)
        assert (there.kind in same) == (back.kind in same) == (one is other)
        assert there.kind is not Kind.FAILING or one.verdict.fails


def test_the_gravest_are_ranked_first() -> None:
    shuffled = [Change.from_summaries(str(at), *pair[:2]) for at, pair in enumerate(PAIRS)]
    ranked = sorted(shuffled, key=lambda change: change.rank)
    assert [it.is_worse for it in ranked] == sorted((it.is_worse for it in ranked), reverse=True)
    calm = [it for it in ranked if not it.is_worse]
    newly = [it.is_newly_undecided for it in calm]
    assert newly == sorted(newly, reverse=True)
    assert ranked[-1].kind is Kind.UNCHANGED
