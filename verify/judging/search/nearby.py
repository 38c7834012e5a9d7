"""Nearby: points made from others: uphill to larger errors, tied, gathered, and simpler."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from verify.judging.search.evaluator import Evaluation, Status
from verify.model.result import PointOutcome
from verify.regions import Region
from verify.regions.ordinals import from_ordinal, ordinal

_STRIDES: Final = tuple(2**power for power in range(51, 30, -2))
"""In floats: from a seventh of a decade down to a hundred-thousandth of one."""

_MOST_STEPS: Final = 4
"""Of one stride."""

_MOST_MOVED: Final = 4

_MOST_GATHERED: Final = 64
"""Numbers of a point: more are too many to move one by one."""

_CLOSER: Final = (2, 12)
"""Powers of two by which distances shrink, the last not included."""

_SLIGHT: Final = 1.0
"""Ulps below which nothing is climbed: every honest program is off by as much."""

Point = tuple[Any, ...]


def peaks(region: Region, evaluations: Sequence[Evaluation], most: int) -> list[Evaluation]:
    """Those with a larger error than both neighbours along the first coordinate, worst first."""
    known = [r for r in evaluations if r.status is Status.COMPARED and math.isfinite(r.ulps)]
    known.sort(key=lambda r: region.coordinates(r.x)[0][:1].tolist())
    around = [0.0, *(r.ulps for r in known), 0.0]
    tops = [
        evaluation
        for k, evaluation in enumerate(known)
        if evaluation.ulps > _SLIGHT and around[k] <= evaluation.ulps >= around[k + 2]
    ]
    return sorted(tops, key=lambda r: r.ulps, reverse=True)[:most]


def climb_error(
    region: Region,
    start: Evaluation,
    evaluate: Callable[[Point], Evaluation],
    random: np.random.Generator,
) -> None:
    """Read where the error grows, from `start` on: one number at a time, by ever smaller steps."""
    count = len(region.coordinates(start.x)[0])
    best = start
    for k in random.permutation(count)[:_MOST_MOVED].tolist():
        for stride in _STRIDES:
            for _ in range(_MOST_STEPS):
                found = _higher(best, _iterate_neighbours(region, best.x, k, stride), evaluate)
                if found is None:
                    break
                best = found


def _higher(
    best: Evaluation, points: Iterator[Point], evaluate: Callable[[Point], Evaluation]
) -> Evaluation | None:
    for x in points:
        found = evaluate(x)
        if found.status is Status.COMPARED and found.ulps > best.ulps:
            return found
    return None


def _iterate_neighbours(region: Region, x: Point, k: int, stride: int) -> Iterator[Point]:
    now = region.coordinate(x, k)
    low, high = (int(ordinal(bound)) for bound in region.bounds(k, x))
    for number in (int(ordinal(now)) + stride, int(ordinal(now)) - stride):
        if low <= number <= high:
            moved = region.replace_coordinate(x, k, float(from_ordinal(number)))
            if moved is not None:
                yield moved


def tie_numbers(
    region: Region, points: Iterable[Point], random: np.random.Generator
) -> Iterator[Point]:
    """The points with one number made equal, or opposite, to another, chosen by chance."""
    for x in points:
        numbers = region.coordinates(x)[0]
        if len(numbers) < 2:
            continue
        k, other = random.permutation(len(numbers))[:2].tolist()
        value = float(numbers[other]) * float(random.choice([1.0, 1.0, -1.0]))
        moved = region.replace_coordinate(x, k, value)
        if moved is not None:
            yield moved


def gather_numbers(
    region: Region, points: Iterable[Point], random: np.random.Generator
) -> Iterator[Point]:
    """The points with all numbers moved close to one of them, chosen by chance.

    Numbers drawn independently are hardly ever all large, or all in one narrow range.
    """
    for x in points:
        numbers = region.coordinates(x)[0]
        if not 2 < len(numbers) <= _MOST_GATHERED:
            continue
        middle = float(numbers[int(random.integers(len(numbers)))])
        closer = 2.0 ** -int(random.integers(*_CLOSER))
        moved = x
        for k, number in enumerate(numbers.tolist()):
            value = middle + closer * (number - middle)
            moved = region.replace_coordinate(moved, k, value) or moved
        yield moved


def sample_decades(
    region: Region, evaluations: Iterable[Evaluation], most: int
) -> list[Evaluation]:
    """One evaluation from every power of ten that the largest number has, at most so many."""
    found: dict[int, Evaluation] = {}
    for evaluation in evaluations:
        numbers = region.coordinates(evaluation.x)[0]
        largest = float(np.max(np.abs(numbers), initial=0.0))
        if largest > 0 and evaluation.status is not Status.OUTSIDE:
            found.setdefault(math.floor(math.log10(largest)), evaluation)
    decades = [found[power] for power in sorted(found, reverse=True)]
    stride = max(1.0, len(decades) / most)
    return [decades[int(k * stride)] for k in range(min(most, len(decades)))]


_NONZERO, _ZERO, _NOT_FINITE, _REFUSED = range(4)
"""Manners of failing, the plainer ones later."""

_PLAIN: Final = 20.0
"""An error of so many bits is plain enough, however large it may be elsewhere."""


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
