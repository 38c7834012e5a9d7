"""Segments: a coordinate cut where people cut it, with what happens in each part."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from symtape.one_line import OneLineRepr
from verify.model.outcome import Float

_FEWEST, _MOST = 6, 10
_THIN: Final = 12
_ALIKE: Final = 1.0
"""Bits by which the errors of neighbours may differ that are one row of the table."""

_EDGES: Final = (
    *(1e-300, 1e-100, 1e-30, 1e-10, 1e-5, 1e-3, 0.1, 0.5),
    *(1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 300.0, 1e3, 1e5, 1e10, 1e30, 1e100, 1e300),
)

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class Segment(OneLineRepr):
    """Accuracy where a coordinate lies between two values.

    Attributes
    ----------
    low, high : float
    closed : bool
        Whether `high` belongs to it.
    count : int
        Points in it.
    max_ulps, median_ulps : float
    within_one : int
        Points at most an ulp off.
    zeros, signs, lost : int
        Values that are wrongly zero, of the wrong sign, and not finite.
    worst : Float
        The coordinate where the error is largest.
    """

    low: float
    high: float
    closed: bool
    count: int
    max_ulps: float
    median_ulps: float
    within_one: int
    zeros: int
    signs: int
    lost: int
    worst: Float


def segments(x: Numbers, ulps: Numbers, marks: Any) -> list[Segment]:
    """The segments of a coordinate.

    Parameters
    ----------
    x, ulps : (n,) float arrays
    marks : (n,) array of single characters
        See :data:`verify.model.accuracy.MARKS`.

    Returns
    -------
    list of Segment
        At most ten, from the least to the greatest; neighbours that fare alike are one.
    """
    groups = _merge_groups([group for group in _groups(x) if len(group[1])], ulps)
    found = []
    for at, (low, members) in enumerate(groups):
        last = at == len(groups) - 1
        high = float(x.max()) if last else groups[at + 1][0]
        low = float(x.min()) if at == 0 else low
        found.append(_segment(low, high, last, x[members], ulps[members], marks[members]))
    return found


Group = tuple[float, NDArray[np.intp]]


def _groups(x: Numbers) -> list[Group]:
    """Where each candidate begins, and which points are in it."""
    edges = np.array([-edge for edge in reversed(_EDGES)] + [0.0, *_EDGES])
    number = np.searchsorted(edges, x, side="right")
    starts = [-math.inf, *edges.tolist()]
    return [(start, np.flatnonzero(number == at)) for at, start in enumerate(starts)]


def _merge_groups(groups: list[Group], ulps: Numbers) -> list[Group]:
    """Neighbours joined, the most alike and the thinnest first, until few enough are left."""
    groups = list(groups)
    while len(groups) > 1:
        costs = [_cost(*pair, ulps) for pair in itertools.pairwise(groups)]
        least = int(np.argmin(costs))
        thin = min(len(members) for _, members in groups) < _THIN
        unlike = costs[least] > _ALIKE or len(groups) <= _FEWEST
        if len(groups) <= _MOST and not thin and unlike:
            break
        joined = np.concatenate([groups[least][1], groups[least + 1][1]])
        groups[least : least + 2] = [(groups[least][0], np.sort(joined))]
    return groups


def _cost(one: Group, other: Group, ulps: Numbers) -> float:
    """How much a table loses if two neighbours are one row: bits, less where one is thin."""
    fares = [_fares(ulps[members]) for _, members in (one, other)]
    apart = sum(abs(mine - theirs) for mine, theirs in zip(*fares, strict=True))
    fewest = min(len(one[1]), len(other[1]))
    weight = 0.05 if fewest < _THIN else 1.0
    across_zero = 64.0 if other[0] == 0.0 else 0.0
    return float(weight * (apart + across_zero))


def _fares(ulps: Numbers) -> tuple[float, float]:
    """The largest and the median error, in bits."""
    known = np.sort(np.nan_to_num(ulps, nan=math.inf, posinf=math.inf))
    largest, median = float(known[-1]), float(known[(len(known) - 1) // 2])
    return min(64.0, math.log2(1.0 + largest)), min(64.0, math.log2(1.0 + median))


def _segment(
    low: float, high: float, closed: bool, x: Numbers, ulps: Numbers, marks: Any
) -> Segment:
    known = np.nan_to_num(ulps, nan=math.inf, posinf=math.inf)
    return Segment(
        low=low,
        high=high,
        closed=closed,
        count=len(x),
        max_ulps=_four(float(known.max())),
        median_ulps=_four(float(np.sort(known)[(len(known) - 1) // 2])),
        within_one=int((known <= 1.0).sum()),
        zeros=int((marks == "0").sum()),
        signs=int((marks == "-").sum()),
        lost=int((marks == "!").sum()),
        worst=Float.from_number(float(x[np.argmax(known)])),
    )


def _four(number: float) -> float:
    return float(f"{number:.4g}")
