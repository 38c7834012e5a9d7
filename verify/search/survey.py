"""Survey: readings all over a region, and which of them are worth a verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from verify.model.result import Survey
from verify.regions import Region
from verify.regions.interleave import turns
from verify.regions.ordinals import ordinal
from verify.search.reader import Reading, Standing

__all__ = ["drawn", "kind_of", "ranked", "survey_of", "suspicion"]

_SHOWN: Final = 6
"""Coordinates kept for plots."""

_SEGMENTS: Final = 16

_MANNERS: Final = ("uniform", "ordinal") * 4 + ("mixed", "whole")

_DRAWN: Final = 500
"""Points drawn together."""

Point = tuple[Any, ...]


def drawn(region: Region, seed: int, count: int) -> Iterator[tuple[str, Point]]:
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


def survey_of(region: Region, readings: Sequence[Reading]) -> Survey | None:
    """The data of the accuracy plots; points of the first shape only."""
    shape = next((_shapes(r) for r in readings if r.standing is Standing.READ), None)
    kept = [r for r in readings if r.standing is Standing.READ and _shapes(r) == shape]
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


def _shapes(reading: Reading) -> tuple[tuple[int, ...], ...]:
    return tuple(np.shape(arg) for arg in reading.x)


def suspicion(reading: Reading) -> float:
    """How much a reading looks like a fault: 0 for none, larger for worse.

    Refusals and values that are not finite come first, then wrong signs and zeros, then
    whatever is many ulps off.
    """
    if reading.standing is Standing.REFUSED:
        return 4e3
    if reading.standing is not Standing.READ or not reading.ulps > 0.5:
        return 0.0
    if reading.excess == reading.excess:
        return 1e3 * (reading.excess > 1) + math.log2(1 + reading.excess)
    size = math.log2(1 + reading.ulps)
    # Of those that lose every digit, the ones worth most in the value come first.
    worth = (math.log2(abs(reading.exact)) + 1100 if reading.exact else 0.0) / 4
    if math.isinf(size):
        return 3e3 + worth
    gross = reading.claimed == 0 or reading.claimed * reading.exact < 0
    return 1e3 + worth if gross and reading.ulps > 4 else size


def kind_of(region: Region, reading: Reading) -> tuple[Any, ...]:
    """What suspects of one cause have in common: path, manner, size of the error and of the point.

    Sizes count by powers of 16 for errors and of 10 for the largest number of a point.
    """
    numbers = region.coordinates(reading.x)[0]
    largest = float(np.max(np.abs(numbers), initial=0.0))
    decade = math.floor(math.log10(largest)) if largest > 0 else -math.inf
    lowest = float(np.min(numbers, initial=0.0)) < 0
    size = math.log2(1 + reading.ulps) // 4 if math.isfinite(reading.ulps) else math.inf
    gross = reading.claimed == 0 or reading.claimed * reading.exact < 0
    return _shapes(reading), reading.path, reading.standing, decade, lowest, size, gross


def ranked(region: Region, readings: Sequence[Reading], most: int) -> list[Reading]:
    """Readings worth a verdict: the worst of all, and the worst of each part of the region.

    An ill-conditioned corner may hold the largest errors without any fault, so that every part
    has a say.
    """
    suspects = [r for r in readings if suspicion(r) > 0]
    by_rank = sorted(suspects, key=suspicion, reverse=True)
    return list(_distinct(turns([by_rank[:most], _worst_of_parts(region, suspects)]), most))


def _worst_of_parts(region: Region, readings: Sequence[Reading]) -> list[Reading]:
    """The worst reading in each stretch of each of the first coordinates, worst first."""
    best: dict[tuple[int, int], Reading] = {}
    if not readings:
        return []
    table = [region.coordinates(r.x)[0][:_SHOWN] for r in readings]
    for k in range(max(map(len, table))):
        column = [
            (float(row[k]), r) for row, r in zip(table, readings, strict=True) if len(row) > k
        ]
        values = np.array([value for value, _ in column])
        for scale in (values, np.asarray(ordinal(values), dtype=float)):
            edges = np.linspace(scale.min(), scale.max(), _SEGMENTS + 1)[1:-1]
            parts = np.searchsorted(edges, scale) + (_SEGMENTS if scale is not values else 0)
            for part, (_, reading) in zip(parts.tolist(), column, strict=True):
                known = best.get((k, part))
                if known is None or suspicion(reading) > suspicion(known):
                    best[k, part] = reading
    return sorted(best.values(), key=suspicion, reverse=True)


def _distinct(readings: Iterable[Reading], most: int) -> Iterator[Reading]:
    seen: set[int] = set()
    for reading in readings:
        if id(reading) not in seen and len(seen) < most:
            seen.add(id(reading))
            yield reading
