"""Shrinking: the simplest point that fails in the same manner."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from verify.judging.search.evaluator import Evaluation
from verify.model.result import PointOutcome
from verify.regions import Region

_NONZERO, _ZERO, _NOT_FINITE, _REFUSED = range(4)
"""Manners of failing, the plainer ones later."""

_PLAIN: Final = 20.0
"""An error of so many bits is plain enough, however large it may be elsewhere."""

Point = tuple[Any, ...]


def shrunk(
    outcome: PointOutcome,
    region: Region,
    judge: Callable[[Point], PointOutcome | None],
    evaluate: Callable[[Point], Evaluation],
    most: int,
) -> PointOutcome:
    """The simplest failing point that is reached from that of `outcome`, judged.

    Greedy: the first simpler point that fails with the same verdict, no less plainly, takes the
    place of the present one, until none is left or the tries are spent.

    Parameters
    ----------
    outcome : PointOutcome
        A failing one.
    region : Region
    judge : callable
        None where it will not judge any more.
    evaluate : callable
        Saves a verdict where the claim is no ulp off.
    most : int
        Points tried.
    """
    original = outcome
    filtered = evaluate(outcome.x).ulps > 1
    tried = 0
    improved = True
    while improved and tried < most:
        improved = False
        for candidate in region.simpler(outcome.x):
            tried += 1
            if tried > most:
                break
            if filtered and evaluate(candidate).ulps <= 0.5:
                continue
            found = judge(candidate)
            if found is None:
                return outcome
            if _same_failure(found, original):
                outcome, improved = found, True
                break
    return outcome


def _same_failure(found: PointOutcome, known: PointOutcome) -> bool:
    """Whether a point fails as another does: with its verdict, as plainly, and as ordinary."""
    if found.verdict is not known.verdict or (found.note and not known.note):
        return False
    (manner, size), (expected, least) = _manner(found), _manner(known)
    if manner >= _NOT_FINITE > expected:
        # No number at a degenerate point is another fault, and often a lesser one.
        return False
    if found.kink is not None and known.kink is None and manner < _NOT_FINITE:
        # Where there is a derivative, what is wrong is beyond dispute.
        return False
    return manner >= expected and (manner > expected or size >= min(least / 2, _PLAIN))


def _manner(outcome: PointOutcome) -> tuple[int, float]:
    """What is wrong with the worst entry, and how far off it is on a scale of logarithms."""
    worst = outcome.worst
    if worst is None:
        return _REFUSED, 0.0
    if not math.isfinite(worst.claimed):
        return _NOT_FINITE, 0.0
    if worst.claimed == 0 and worst.ulps > worst.allowed and not worst.exactly:
        return _ZERO, 0.0
    return _NONZERO, math.log2(1 + worst.ulps) if math.isfinite(worst.ulps) else math.inf
