"""Where rows are defined and smooth, as they say themselves."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Primitive
from symtape.symbolic.boxes import boxes, lie_inside
from symtape.symbolic.interval import EVERYTHING, Interval
from verify.oracles.over_region.needs import to_fraction

_PROBES: Final = (0, 2.0**-30, 0.25, 0.5, 1, 1.5, 2, 3, 40)
"""Distances from 0, and from each end of the boxes of a row, at which it is asked."""

_BESIDE: Final = 2.0**-35
"""So far beside a gap a number is in the boxes."""

Gap = tuple[str, Fraction]
"""The name of an argument, and a number."""


@dataclass(frozen=True, slots=True)
class Hull:
    """The boxes of a row as one, without some numbers of single arguments.

    Attributes
    ----------
    box : mapping
    gaps : tuple of Gap
    """

    box: Mapping[str, Interval]
    gaps: tuple[Gap, ...]


@functools.cache  # of texts in rows
def find_hull(over: str) -> Hull | None:
    """The boxes of a row as one box; None if they are none that gaps divide.

    Examples
    --------
    >>> find_hull("x != 0 and b > 0").gaps
    (('x', Fraction(0, 1)),)
    >>> find_hull("a != 0 or b != 0") is None
    True
    """
    parts = boxes(over)
    names = list(parts[0])
    if any(list(part) != names for part in parts):
        return None
    sides = {name: _distinct(part[name] for part in parts) for name in names}
    if len(parts) != len(list(itertools.product(*sides.values()))):
        return None
    box: dict[str, Interval] = {}
    gaps: list[Gap] = []
    for name, pieces in sides.items():
        for below, above in itertools.pairwise(pieces):
            if below.high != above.low or " - " in name:
                return None
            gaps.append((name, to_fraction(above.low)))
        whole = Interval(pieces[0].low, pieces[-1].high, pieces[0].low_open, pieces[-1].high_open)
        if whole != EVERYTHING:
            box[name] = whole
    return Hull(box, tuple(gaps))


@functools.cache  # of texts in rows
def find_corner(over: str) -> tuple[Gap, ...]:
    """The point that the boxes of a row leave out, and nothing else; empty if it is none.

    Examples
    --------
    >>> find_corner("a != 0 or b != 0")
    (('a', Fraction(0, 1)), ('b', Fraction(0, 1)))
    """
    parts = boxes(over)
    if any(len(part) != 1 for part in parts):
        return ()
    sides: dict[str, list[Interval]] = {}
    for part in parts:
        for name, side in part.items():
            sides.setdefault(name, []).append(side)
    if any(" - " in name or len(pair) != 2 for name, pair in sides.items()):
        return ()
    found: list[Gap] = []
    for name, pair in sides.items():
        below, above = _distinct(pair)
        if below.low.is_finite() or above.high.is_finite() or below.high != above.low:
            return ()
        found.append((name, to_fraction(above.low)))
    return tuple(found) if len(found) > 1 else ()


def _distinct(intervals: Any) -> list[Interval]:
    found: list[Interval] = []
    for interval in sorted(intervals, key=lambda it: float(it.low)):
        if interval not in found:
            found.append(interval)
    return found


@functools.cache  # of rows in the vocabulary
def removable_gaps(row: Primitive) -> tuple[Gap, ...]:
    """The gaps at which a row is defined and smooth by what it says, though no formula of it is.

    Examples
    --------
    >>> import symtape
    >>> from symtape.primitives.primitive import PRIMITIVES
    >>> [len(removable_gaps(PRIMITIVES[name])) for name in ("sinc", "reciprocal", "cbrt")]
    [1, 0, 0]
    """
    hull = find_hull(row.over)
    if hull is None or row.kinks is not None:
        return ()
    return tuple(gap for gap in hull.gaps if _is_removable(row, gap))


def _is_removable(row: Primitive, gap: Gap) -> bool:
    points = _points_of(row, (None,) * len(row.inputs))
    excluded = _find_excluded(row, points)
    place, at = row.inputs.index(gap[0]), float(gap[1])
    beside = [x + _BESIDE if k == place else x for k, x in enumerate(points)]
    at_gap = (points[place] == at) & lie_inside(row.over, row.inputs, beside)
    return excluded is not None and bool(np.any(at_gap)) and not np.any(excluded[at_gap])


@functools.lru_cache(maxsize=1024)  # rows and constants in programs
def is_whole_domain(row: Primitive, constants: tuple[Any, ...]) -> bool:
    """Whether a row is undefined, or has a kink, wherever it is not proved, but for such gaps.

    The row itself is asked, at numbers around the ends of where it is proved; arguments that are
    constants are these.

    Examples
    --------
    >>> import symtape
    >>> from symtape.primitives.primitive import PRIMITIVES
    >>> [is_whole_domain(PRIMITIVES[name], (None,)) for name in ("log", "arcsin", "sinc")]
    [True, True, True]
    >>> is_whole_domain(PRIMITIVES["power"], (None, None))
    False
    """
    points = _points_of(row, constants)
    excluded = _find_excluded(row, points)
    if excluded is None:
        return False
    for name, at in removable_gaps(row):
        place = row.inputs.index(name)
        points[place] = np.where(points[place] == float(at), float(at) + _BESIDE, points[place])
    return bool(np.all(excluded[~lie_inside(row.over, row.inputs, points)]))


def _points_of(row: Primitive, constants: tuple[Any, ...]) -> list[Any]:
    """For each argument a column of numbers, all combinations of those that matter."""
    ends = {0.0}
    for box in boxes(row.over):
        for side in box.values():
            ends |= {float(end) for end in (side.low, side.high) if end.is_finite()}
    near = sorted({end + sign * x for end in ends for x in _PROBES for sign in (1, -1)})
    choices = [near if value is None else [float(value)] for value in constants]
    return [np.array(column) for column in zip(*itertools.product(*choices), strict=True)]


def _find_excluded(row: Primitive, points: Sequence[Any]) -> Any:
    """Where a row says that it is undefined, or has a kink; None if that depends on parameters."""
    excluded = np.zeros(points[0].shape, dtype=bool)
    with np.errstate(all="ignore"):
        try:
            if row.domain is not None:
                excluded |= ~np.asarray(row.domain(*points), dtype=bool)
            if row.kinks is not None:
                excluded |= np.asarray(row.kinks(*points), dtype=bool)
        except TypeError:
            return None
    return excluded
