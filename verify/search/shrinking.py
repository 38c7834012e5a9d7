"""Shrinking: the simplest point that fails in the same manner."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from verify.regions import Region
from verify.result import PointOutcome
from verify.search.reader import Reading

__all__ = ["shrunk"]

Point = tuple[Any, ...]


def shrunk(
    outcome: PointOutcome,
    region: Region,
    judge: Callable[[Point], PointOutcome | None],
    read: Callable[[Point], Reading],
    most: int,
) -> PointOutcome:
    """The simplest failing point that is reached from that of `outcome`, judged.

    Greedy: the first simpler point with the same verdict, and on account of the same operation,
    takes the place of the present one, until none is left or the tries are spent.

    Parameters
    ----------
    outcome : PointOutcome
        A failing one.
    region : Region
    judge : callable
        None where it will not judge any more.
    read : callable
        Saves a verdict where the claim is no ulp off.
    most : int
        Points tried.
    """
    filtered = read(outcome.x).ulps > 1
    tried = 0
    improved = True
    while improved and tried < most:
        improved = False
        for candidate in region.simpler(outcome.x):
            tried += 1
            if tried > most:
                break
            if filtered and read(candidate).ulps <= 0.5:
                continue
            found = judge(candidate)
            if found is None:
                return outcome
            if _same_failure(found, outcome):
                outcome, improved = found, True
                break
    return outcome


def _same_failure(found: PointOutcome, known: PointOutcome) -> bool:
    """Whether both fail alike: verdict, operation, and what the worst entry looks like."""
    if found.verdict is not known.verdict or found.op != known.op:
        return False
    (manner, size), (expected, least) = _manner(found), _manner(known)
    return manner == expected and size >= least / 2


def _manner(outcome: PointOutcome) -> tuple[str, float]:
    """What is wrong with the worst entry, and how far off it is on a scale of logarithms."""
    worst = outcome.worst
    if worst is None:
        return "refused", 0.0
    if not math.isfinite(worst.claimed):
        return "not finite", 0.0
    if worst.claimed == 0:
        return "zero", 0.0
    if worst.claimed * float(worst.lower) < 0 and worst.claimed * float(worst.upper) < 0:
        return "sign", 0.0
    return "off", math.log2(1 + worst.ulps) if math.isfinite(worst.ulps) else math.inf
