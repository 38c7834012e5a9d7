"""Which results pass as a test."""

from __future__ import annotations

from dataclasses import replace

from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict


def keep_domain(result: Result) -> Result:
    """The result without the points outside the domain, unless there are no others."""
    points = tuple(point for point in result.points if point.verdict is not Verdict.OUTSIDE)
    return replace(result, points=points) if points else result


def is_undecided(result: Result) -> bool:
    """Whether a verdict is missing that a test must not pass without.

    That is UNDECIDED, and a kink of which it is not known what may be claimed: of a point that
    was given. One that a search came across is, like what it leaves undecided now and then, no
    matter if other points were found correct.
    """
    if result.verdict is Verdict.UNDECIDED:
        return True
    given = result.points[: len(result.case.at)]
    certain = any(point.verdict is Verdict.CORRECT for point in result.points)
    return any(_is_unknown(point) for point in (given if certain else result.points))


def lacks_verdict(point: PointOutcome) -> bool:
    """Whether a point has no verdict, or is a kink of which it is not known what may be claimed."""
    return point.verdict is Verdict.UNDECIDED or (
        point.kink is not None and point.kink.admissible is None and _is_unknown(point)
    )


def _is_unknown(point: PointOutcome) -> bool:
    admissible = point.kink is not None and point.kink.admissible
    return point.verdict is Verdict.KINK and not admissible
