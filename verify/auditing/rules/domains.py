"""Where a rule has to hold: boxes of real numbers, with points in them to record and to try."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.symbolic.interval import Interval
from verify.auditing.libraries.functions import Function, Range

_SHARES: Final = (0.5, 0.125, 0.875, 0.25, 0.75, 2.0**-12, 1 - 2.0**-12)
_STEPS: Final = (0.75, 1.5, 0.125, 3.0, 2.0**-12, 8.0, 20.0, 24.0, 50.0)
_PLAIN: Final = (0.0, 1.0, -1.0)
_WIDE: Final = 1000.0
"""Wider ranges have their points near the end that is near 0."""

_TURN: Final = 3
"""By so many places are the numbers of a second argument further on in their row."""


@dataclass(frozen=True, slots=True)
class Part:
    """A box of real numbers.

    Attributes
    ----------
    box : mapping
        An open interval for each number that is bounded, ``x0``, ``x1`` ...
    points : sequence of points
        Inside.
    """

    box: Mapping[str, Interval]
    points: Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a function is differentiable.

    Attributes
    ----------
    whole : Part
    parts : sequence of Part
        The same without its zeros and kinks.
    plain : sequence of points
        Of these, such as 0 and equal arguments, where rules may have cases of their own.
    """

    whole: Part
    parts: Sequence[Part]
    plain: Sequence[tuple[Any, ...]] = ()


def domain_of(function: Function) -> Domain:
    """The domain of a function of one or two numbers.

    Examples
    --------
    >>> from verify.auditing.libraries.functions import FUNCTIONS
    >>> log, hypot = (domain_of(FUNCTIONS[name]) for name in ("log", "hypot"))
    >>> log.whole.box["x0"].sign(), len(log.parts), log.plain
    (1, 1, [(np.float64(1.0),)])
    >>> len(hypot.parts), len(hypot.plain)
    (4, 9)
    """
    ranges = (function.over, function.second)[: len(function.arguments)]
    cuts = [{0.0, *function.kinks}, {0.0}]
    pieces = [_cut(*pair) for pair in zip(ranges, cuts, strict=False)]
    allowed = [
        [x for x in _PLAIN if low < x < high and not (place == 0 and x in function.kinks)]
        for place, (low, high) in enumerate(ranges)
    ]
    return Domain(
        _make_part(ranges),
        [_make_part(piece) for piece in itertools.product(*pieces)],
        [tuple(map(np.float64, point)) for point in itertools.product(*allowed)],
    )


def _cut(whole: Range, places: set[float]) -> list[Range]:
    low, high = whole
    ends = [low, *sorted(x for x in places if low < x < high), high]
    return list(itertools.pairwise(ends))


def _make_part(ranges: Sequence[Range]) -> Part:
    box = {
        f"x{k}": Interval(arb(low), arb(high), True, True)
        for k, (low, high) in enumerate(ranges)
        if math.isfinite(low) or math.isfinite(high)
    }
    first, *others = ([np.float64(x) for x in _numbers_in(*each)] for each in ranges)
    turned = [[row[(k + _TURN) % len(row)] for k in range(len(first))] for row in others]
    return Part(box, list(zip(first, *turned, strict=True)))


def _numbers_in(low: float, high: float) -> list[float]:
    """Dyadic numbers, the plainest first."""
    if high - low <= _WIDE:
        return [low + (high - low) * share for share in _SHARES]
    if low >= -_WIDE:
        return [low + step for step in _STEPS]
    if high <= _WIDE:
        return [high - step for step in _STEPS]
    return [sign * step for step in _STEPS for sign in (1, -1)]
