"""A part of a region with the recordings that hold on it, and what is proved of all parts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.symbolic.interval import Interval
from verify.model.searched import RoundingBound
from verify.model.verdict import Extent
from verify.oracles.over_region.cuts import Cut, Faces
from verify.oracles.over_region.path import Path

_BESIDE: Final = 2.0**-20
"""By so much of its width a box is taken wider, for a derivative is one of both sides."""

_INNER: Final = 0.53125


@dataclass(slots=True)
class Part:
    """A box of numbers, and the recordings that hold on it.

    Attributes
    ----------
    lower, upper : arrays
    faces : Faces
        The ends at which it was cut.
    share : Fraction
        Of the volume of the region.
    programs : tuple of Graph
        Of the function and of the claim.
    bits : int
        0 where it is proved, else to how many it is enclosed.
    path : Path or None
        What they compute there.
    rounded : bool
        Whether constants stand for numbers that they may have been rounded from.
    conditions : tuple of str
        What the function's operations need; only points that meet it are proved.
    doubtful : tuple of lists of int
        The nodes of function and claim that need it, or are not known to be defined.
    turns : bool
        Whether something is chosen otherwise elsewhere in it, as far as is known.
    kink : Cut or None
        Where the function is another one on each side, and neither where it is cut.
    without_kinks : tuple of str
        Conditions that it is at no such place.
    decided_where : tuple of str
        Conditions under which the claim's comparisons have one outcome.
    """

    lower: Any
    upper: Any
    faces: Faces
    share: Fraction = Fraction(1)
    programs: tuple[Graph, Graph] = ()  # type: ignore[assignment]
    bits: int = 0
    path: Path | None = None
    rounded: bool = False
    conditions: tuple[str, ...] = ()
    doubtful: tuple[Sequence[int], ...] = ()
    turns: bool = False
    kink: Cut | None = None
    without_kinks: tuple[str, ...] = ()
    decided_where: tuple[str, ...] = ()

    def is_defined_at(self, flat: Any) -> bool:
        """Whether the numbers `flat`, which are in the part, meet its conditions."""
        if not self.conditions:
            return True
        assert self.path is not None
        return self.path.definedness.is_defined([(x, x) for x in flat.tolist()], self.doubtful)

    @property
    def middle(self) -> Any:
        """The point that halves its sides."""
        return self.lower + (self.upper - self.lower) / 2

    @property
    def inner(self) -> Any:
        """A point that is no middle, for programs may ask whether a direction is zero."""
        return self.lower + (self.upper - self.lower) * _INNER

    def draw(self, random: np.random.Generator, count: int) -> list[Any]:
        """The inner point, and so many more by chance."""
        shares = random.random((count, self.lower.size))
        return [self.inner, *(self.lower + shares * (self.upper - self.lower))]

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """A little more than the box, but where it was cut."""
        below, above = np.where(self.faces.cut, 0.0, _BESIDE * (self.upper - self.lower))
        return list(zip((self.lower - below).tolist(), (self.upper + above).tolist(), strict=True))

    @property
    def taken(self) -> list[list[Interval]]:
        """The numbers at which function and claim take its path, if it was cut."""
        if not np.any(self.faces.cut):
            return []
        return [self.faces.intervals(self.bounds, program) for program in (0, 1)]

    def halves(self, widths: Any) -> tuple[Part, Part]:
        """Cut across the side that is the longest beside those of the region."""
        at = int(np.argmax((self.upper - self.lower) / widths))
        return self._divide(at, self.middle[at], self.faces.divide(at))

    def cut(self, cut: Cut) -> tuple[Part, ...]:
        """Cut where a path turns; at an end of it a strip beyond is taken for what turns there."""
        lower, upper = self.lower.copy(), self.upper.copy()
        strip = _BESIDE / 2 * (upper - lower)[cut.side]
        is_low, is_high = cut.place == lower[cut.side], cut.place == upper[cut.side]
        lower[cut.side] -= strip * is_low
        upper[cut.side] += strip * is_high
        kinks = self.without_kinks
        if not np.any(cut.taken):
            kinks = *kinks, f"x{cut.side} != {Fraction(cut.place)}"
        whole = Part(lower, upper, self.faces, self.share, without_kinks=kinks)
        below, above = whole._divide(cut.side, cut.place, self.faces.divide(cut.side, cut.taken))
        if not (is_low or is_high):
            return below, above
        inside = above if is_low else below
        if np.all(cut.taken[:, int(is_low)]):
            inside.share = self.share
            return (inside,)
        return below, above

    def _divide(self, at: int, place: float, faces: tuple[Faces, Faces]) -> tuple[Part, Part]:
        below, above = self.upper.copy(), self.lower.copy()
        below[at] = above[at] = place
        low, middle, high = map(Fraction, (self.lower[at], place, self.upper[at]))
        share = self.share * (middle - low) / (high - low)
        kinks = self.without_kinks
        return (
            Part(self.lower, below, faces[0], share, without_kinks=kinks),
            Part(above, self.upper, faces[1], self.share - share, without_kinks=kinks),
        )


@dataclass(frozen=True, slots=True)
class RegionProof(Extent):
    """Where a claim's formula is proved to be that of the derivative.

    Attributes
    ----------
    paths : int
        On how many paths.
    parts : tuple of Part
        What is proved, and what is enclosed.
    rounding : RoundingBound or None
        The bound on the claim's rounding error, if that was asked.
    open_points : tuple of points
        Some of each part on which nothing is proved.
    """

    paths: int
    parts: tuple[Part, ...] = field(repr=False)
    rounding: RoundingBound | None = None
    open_points: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)

    def program_at(self, x: Sequence[Any]) -> Graph | None:
        """The claim's program in the part of the region that `x` is in; None if it is in none."""
        flat = np.concatenate([np.ravel(arg) for arg in x])
        for part in self.parts:
            inside = np.all(part.lower <= flat) and np.all(flat <= part.upper)
            held = inside and part.faces.hold(part.lower, part.upper, flat)
            if held and not part.bits and part.is_defined_at(flat):
                return part.programs[1]
        return None


def add_shares(parts: Iterable[Part]) -> float:
    """How much of the region some parts are; below 1 if anything is left, however little."""
    share = sum(part.share for part in parts)
    return 1.0 if share == 1 else min(float(share), math.nextafter(1.0, 0.0))
