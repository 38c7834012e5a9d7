"""Results of functions and claims that cannot be asked as often as it takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from verify.claimants.claim import Claim
from verify.errors import Misbehaviour, NotAFunction
from verify.judging.search.ledger import Ledger
from verify.model.case import Case
from verify.model.result import Coverage, PointOutcome, Result
from verify.model.verdict import Verdict


def no_function(case: Case, error: NotAFunction, seconds: float) -> Result:
    """Nothing is decided of a function that answers differently to the same; a claim fails."""
    verdict = Verdict.WRONG if error.of_claim else Verdict.UNDECIDED
    given = [tuple(np.asarray(arg)[()] for arg in x) for x in case.at]
    how = Misbehaviour.NOT_REPEATABLE if error.of_claim else None
    points = [PointOutcome.from_judgement(x, verdict, str(error), misbehaviour=how) for x in given]
    coverage = None
    if case.over is not None:
        ledger = Ledger()
        ledger.add(PointOutcome.from_judgement(error.x, verdict, str(error), misbehaviour=how))
        points += ledger.outcomes
        coverage = ledger.coverage(case.over.describe(), case.seed, 1, 0, "")
    return Result.from_points(case, points, seconds=seconds, coverage=coverage)


def stopped_outcomes(claim: Claim, points: Iterable[PointOutcome]) -> list[PointOutcome]:
    """The points at which a call did not return, of those that are not told of yet.

    A search that decides many points leaves out what it could not; this it has to say.
    """
    told = {point.message for point in points}
    return [
        PointOutcome.from_judgement(x, Verdict.UNDECIDED, words)
        for x, words in claim.calls.stopped.values()
        if words not in told
    ]


def add_given_up(coverage: Coverage, claim: Claim) -> Coverage:
    """The counts of a search, which say that something was not called to the end."""
    words = claim.calls.given_up()
    return replace(coverage, stopped="; ".join(filter(None, [coverage.stopped, words])))
