"""Survey: evaluations all over a region, and which of them are worth a verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from verify.judging.search.evaluator import Evaluation, Status
from verify.model.result import Survey
from verify.regions import Region
from verify.regions.interleave import turns
from verify.regions.ordinals import ordinal

_SHOWN: Final = 6
"""Coordinates kept for plots."""

_SEGMENTS: Final = 16

_MANNERS: Final = ("uniform", "ordinal") * 4 + ("mixed", "whole")

_DRAWN: Final = 500
"""Points drawn together."""

Point = tuple[Any, ...]


def draw_points(region: Region, seed: int, count: int) -> Iterator[tuple[str, Point]]:
    """Points by chance, each with the manner that it was drawn in.

    Evenly by value and evenly by float in turn, which is what plots are made of; for every eight
    of these one with entries of both kinds, and one of small whole numbers and halves.
    """
    random = np.random.default_rng([seed, 1])
    for start in range(0, count, _DRAWN):
        left = min(_DRAWN, count - start)
        wanted = [_MANNERS[k % len(_MANNERS)] for k in range(left)]
        drawn = {
            manner: iter(region.draw_many(random, manner, number))
            for manner, number in Counter(wanted).items()
        }
        for manner in wanted:
            yield manner, next(drawn[manner])


def survey_of(region: Region, evaluations: Sequence[Evaluation]) -> Survey | None:
    """The data of the accuracy plots; points of the first shape only."""
    shape = next((_shapes(r) for r in evaluations if r.status is Status.COMPARED), None)
    kept = [r for r in evaluations if r.status is Status.COMPARED and _shapes(r) == shape]
    if not kept:
        return None
    found = [region.coordinates(r.x) for r in kept]
    names = tuple(found[0][1][:_SHOWN])
    return Survey(
        names=names,
        coordinates=np.array([numbers[: len(names)] for numbers, _ in found], dtype=float),
        ulps=np.array([r.ulps for r in kept]),
        claimed=np.array([r.claimed for r in kept]),
        exact=np.array([r.exact for r in kept]),
        dtype=kept[0].dtype,
    )


def _shapes(evaluation: Evaluation) -> tuple[tuple[int, ...], ...]:
    return tuple(np.shape(arg) for arg in evaluation.x)


def suspicion(evaluation: Evaluation) -> float:
    """How much an evaluation looks like a fault: 0 for none, larger for worse.

    Refusals and values that are not finite come first, then wrong signs and zeros, then
    whatever is many ulps off.
    """
    if evaluation.status is Status.REFUSED:
        return 4e3
    if evaluation.status is not Status.COMPARED or not evaluation.ulps > 0.5:
        return 0.0
    if evaluation.excess == evaluation.excess:
        return 1e3 * (evaluation.excess > 1) + math.log2(1 + evaluation.excess)
    size = math.log2(1 + evaluation.ulps)
    # Of those that lose every digit, the ones worth most in the value come first.
    worth = (math.log2(abs(evaluation.exact)) + 1100 if evaluation.exact else 0.0) / 4
    if math.isinf(size):
        return 3e3 + worth
    gross = evaluation.claimed == 0 or evaluation.claimed * evaluation.exact < 0
    return 1e3 + worth if gross and evaluation.ulps > 4 else size


def kind_of(region: Region, evaluation: Evaluation) -> tuple[Any, ...]:
    """What suspects of one cause have in common: path, manner, size of the error and of the point.

    Sizes count by powers of 16 for errors and of 10 for the largest number of a point.
    """
    numbers = region.coordinates(evaluation.x)[0]
    largest = float(np.max(np.abs(numbers), initial=0.0))
    decade = math.floor(math.log10(largest)) if largest > 0 else -math.inf
    lowest = float(np.min(numbers, initial=0.0)) < 0
    size = math.log2(1 + evaluation.ulps) // 4 if math.isfinite(evaluation.ulps) else math.inf
    gross = evaluation.claimed == 0 or evaluation.claimed * evaluation.exact < 0
    return _shapes(evaluation), evaluation.path, evaluation.status, decade, lowest, size, gross


def rank_evaluations(
    region: Region, evaluations: Sequence[Evaluation], most: int
) -> list[Evaluation]:
    """Evaluations worth a verdict: the worst of all, and the worst of each part of the region.

    An ill-conditioned corner may hold the largest errors without any fault, so that every part
    has a say.
    """
    suspects = [r for r in evaluations if suspicion(r) > 0]
    by_rank = sorted(suspects, key=suspicion, reverse=True)
    return list(_distinct(turns([by_rank[:most], _worst_of_parts(region, suspects)]), most))


def _worst_of_parts(region: Region, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The worst evaluation in each stretch of each of the first coordinates, worst first."""
    best: dict[tuple[int, int], Evaluation] = {}
    if not evaluations:
        return []
    table = [region.coordinates(r.x)[0][:_SHOWN] for r in evaluations]
    for k in range(max(map(len, table))):
        column = [
            (float(row[k]), r) for row, r in zip(table, evaluations, strict=True) if len(row) > k
        ]
        values = np.array([value for value, _ in column])
        for scale in (values, np.asarray(ordinal(values), dtype=float)):
            edges = np.linspace(scale.min(), scale.max(), _SEGMENTS + 1)[1:-1]
            parts = np.searchsorted(edges, scale) + (_SEGMENTS if scale is not values else 0)
            for part, (_, evaluation) in zip(parts.tolist(), column, strict=True):
                known = best.get((k, part))
                if known is None or suspicion(evaluation) > suspicion(known):
                    best[k, part] = evaluation
    return sorted(best.values(), key=suspicion, reverse=True)


def _distinct(evaluations: Iterable[Evaluation], most: int) -> Iterator[Evaluation]:
    seen: set[int] = set()
    for evaluation in evaluations:
        if id(evaluation) not in seen and len(seen) < most:
            seen.add(id(evaluation))
            yield evaluation
