"""Findings of several kinds in one claim, by consequence, one line each."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from verify.model.result import PointOutcome, Result
from verify.reporting import wording
from verify.reporting.legible import one_line
from verify.reporting.model import rank

_LONGEST: Final = 160
_NO_NUMBERS: Final = ("nan", "inf", "-inf")


def kind_lines(case: Result) -> list[str]:
    """A line for each kind of finding, the gross one first; none where there is but one kind.

    Examples
    --------
    >>> from verify.model.outcome import Float
    >>> from verify.model.outcome import Input
    >>> from verify.model.result import KinkFacts
    >>> from verify.model.verdict import Verdict
    >>> off = Float.from_number(2.0)
    >>> at = [(Input.from_array("x", x),) for x in (0.5, 0.0)]
    >>> points = (
    ...     PointOutcome(Verdict.WRONG, inputs=at[0], message="the gradient is 2.0", claimed=off),
    ...     PointOutcome(Verdict.WRONG, at[1], message="none; the claim is nan", kink=KinkFacts()),
    ... )
    >>> case = Result("f", "f", "", "gradient", "g", Verdict.WRONG, points=points)
    >>> for line in kind_lines(case):
    ...     print(line)
    WRONG at x = 0.5: the gradient is 2.0
    WRONG at a kink, x = 0.0: the claim is nan
    """
    if not case.fails:
        return []
    found: dict[Hashable, PointOutcome] = {}
    worst = case.worst
    for point in sorted(case.failing, key=lambda it: (it is not worst, *rank(it))):
        found.setdefault(_kind(point), point)
    return [_line(point) for point in found.values()] if len(found) > 1 else []


def _kind(point: PointOutcome) -> Hashable:
    """What findings of one kind have in common: verdict, kink or not, and what was returned."""
    number = None if point.claimed is None else point.claimed.hex not in _NO_NUMBERS
    return point.verdict, point.kink is not None, None if point.kink else number


def _line(point: PointOutcome) -> str:
    where = "; ".join(wording.input_line(given) for given in point.inputs)
    place = f"a kink, {where}" if point.kink else where
    clauses = point.message.strip().split("; ")
    said = [it for it in clauses if it.startswith("the claim")] if point.kink else clauses[:2]
    words = "; ".join(said or clauses[:1])
    return one_line(f"{point.verdict.value} at {place}: {words}", _LONGEST)
