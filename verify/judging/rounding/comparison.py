"""Claimed values beside enclosures of the exact ones, entry by entry."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from symtape.process.precision import precision
from symtape.process.work import suspend_collector
from symtape.rigorous.backward_error import FLUSHED, is_xla
from symtape.rigorous.scalar import decimal_bounds, ulps
from verify.judging.rounding.float_value import Allowance
from verify.judging.rounding.tolerances import FEW, HALF, LEAST_POWER, SUMMED
from verify.model.result import Entry
from verify.oracles.closed_form import Truth

_DISTANCE_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing found.

    Attributes
    ----------
    worst : Entry or None
        The entry to show: the one farthest beyond what is allowed, else the farthest by ulps.
    beyond : bool
        Whether an entry is beyond what rounding allows.
    allowed_relative : float
        The largest allowance, relative to its entry, of those that are normal numbers.
    lost : float
        The largest relative error of an entry that rounding alone may take all digits of;
        0 if no such entry is off by more than half of itself.
    allowed_at_zero : float
        The largest allowance of the other entries, which are 0 or underflow.
    least_power : float
        A relative allowance above it hides faults of interesting size; more for half precision.
    unbounded : bool
        Whether of an entry it is not known what rounding may cost it.
    entries : callable
        All entries that are beyond, those that may be shown first, and each time the farthest.
    """

    worst: Entry | None
    beyond: bool
    allowed_relative: float
    lost: float = 0.0
    allowed_at_zero: float = 0.0
    least_power: float = LEAST_POWER
    unbounded: bool = False
    entries: Callable[[], Iterator[Entry]] = field(default=lambda: iter(()), compare=False)

    @property
    def powerless(self) -> bool:
        """Whether what rounding may cost hides faults of interesting size."""
        return self.allowed_relative > self.least_power or not np.isfinite(self.allowed_at_zero)

    @property
    def cost(self) -> str:
        """What rounding may cost the worst entry, in words."""
        if not np.isfinite(self.allowed_at_zero):
            return "everything"
        return f"{self.allowed_relative:.2g} of the value"

    @property
    def power(self) -> str:
        """What size of fault the values exclude, in words."""
        if not self.allowed_relative:
            return f"excludes faults above {self.allowed_at_zero:.2g}, beside 0"
        return f"excludes faults above {self.cost}"


@suspend_collector
def compare(
    claimed: Sequence[Any],
    truth: Truth,
    allowed: Allowance,
    only: Sequence[Any] | None = None,
) -> Comparison:
    """Compare every entry; `only` (bool arrays) restricts which entry is shown as the worst.

    The float nearest to the exact value is never beyond what is allowed: half a unit in the
    last place of the claim's own dtype, which below the normal numbers is half of the smallest
    positive one, and infinity where the exact value rounds to it.
    """
    with precision(_DISTANCE_BITS), np.errstate(all="ignore"):
        columns = [
            _Column(part, balls, bounds)
            for part, balls, bounds in zip(claimed, truth.parts, allowed, strict=True)
        ]
    if not any(column.size for column in columns):
        return Comparison(None, False, 0.0)
    beyond = any(bool(np.any(column.beyond)) for column in columns)
    shown = [None] * len(columns) if only is None else [np.ravel(flags) for flags in only]
    if only is not None and not any(np.any(flags) for flags in shown):
        shown = [None] * len(columns)
    scale = max(column.scale for column in columns)
    for column in columns:
        column.measure(scale)
    ranked = _rank_entries(columns, shown)
    return Comparison(
        columns[ranked[0][0]].entry(*ranked[0]),
        beyond,
        max(column.allowed_relative() for column in columns),
        max(column.find_lost(scale) for column in columns),
        max(column.allowed_at_zero() for column in columns),
        max(LEAST_POWER, *(FEW * _format(column.dtype).eps for column in columns)),
        any(bool(np.any(np.isinf(column.allowed))) for column in columns),
        lambda: (columns[k].entry(k, at) for k, at in ranked if columns[k].beyond[at]),
    )


class _Column:
    """One part of a derivative, flat: claimed and exact values, errors and what is allowed."""

    def __init__(self, part: Any, balls: Any, bounds: Any) -> None:
        self.shape = part.shape
        self.size = part.size
        self.dtype = part.dtype
        self.claimed = part.ravel()
        self.balls = np.asarray(balls, dtype=object).ravel()
        count = self.size
        pairs = zip(self.claimed.tolist(), self.balls.tolist(), strict=True)
        self.errors = np.fromiter((_error(x, ball) for x, ball in pairs), float, count)
        middles = (float(ball.mid()) for ball in self.balls.tolist())
        self.exact = np.abs(np.fromiter(middles, float, count))
        self.units = _units(self.exact, part.dtype)
        least = _format(self.dtype).least_normal
        self.coarser = np.ones(count)
        if is_xla():
            # What is below the least normal number is 0 there, and may be multiplied afterwards.
            self.coarser = np.maximum(1.0, least / self.units)
            self.units, least = self.units * self.coarser, least * FLUSHED
        self._excuse_infinities()
        floats = np.ravel(np.asarray(bounds, dtype=float))
        self.allowed = np.maximum(np.broadcast_to(floats, count), self.units / 2)
        # No rounding makes of a number what is none.
        none = np.isinf(self.errors)
        self.allowed = np.where(none & np.isinf(self.allowed), self.units / 2, self.allowed)
        # Bounds are sums of floats, and now and then an error is exactly as large as its bound.
        self.beyond = self.errors > SUMMED * self.allowed
        # Below the normal numbers floats have fewer digits, at last none; that is no fault.
        self.normal = self.exact >= least
        self.scale = float(np.max(self.exact, initial=0.0))
        self.beside = np.zeros(count)

    def measure(self, scale: float) -> None:
        """Take the unit of what is nothing but rounding from what it was judged beside.

        Its own last place says nothing of an entry that is allowed to be off by all of itself: of
        an exact 0 it is the smallest float there is.
        """
        least = _format(self.dtype).least_normal
        some = (self.allowed > np.maximum(self.exact, least)) & np.isfinite(self.allowed)
        few = self.allowed / (FEW * _format(self.dtype).eps)
        self.beside = np.where(some, np.maximum(scale, few), 0.0)
        self.units = np.where(some, _units(self.beside, self.dtype), self.units)

    def distances(self) -> Any:
        """How far each entry is off, in units."""
        found = self.errors / self.units
        return np.where(np.isnan(found), np.inf, found)

    def _excuse_infinities(self) -> None:
        for at in np.flatnonzero(np.isinf(self.claimed)).tolist():
            if rounds_to_infinity(float(self.claimed[at]), self.balls[at], self.dtype):
                self.errors[at] = 0.0

    def allowed_relative(self) -> float:
        """The largest allowance beside its entry, where that is a normal number."""
        some = self.normal
        return float(np.max(self.allowed[some] / self.exact[some], initial=0.0))

    def allowed_at_zero(self) -> float:
        """The largest allowance of an entry that is zero, or underflows."""
        return float(np.max(self.allowed[~self.normal], initial=0.0))

    def find_lost(self, scale: float) -> float:
        """The largest relative error beyond a half that rounding hides; see Comparison.

        An entry that cancels beside larger ones, of size `scale`, is judged by their measure.
        """
        hidden = (self.allowed > np.maximum(self.exact / 2, LEAST_POWER * scale)) & (
            self.errors > self.exact / 2
        )
        some = hidden & self.normal
        return float(np.max(self.errors[some] / self.exact[some], initial=0.0))

    def _ulps(self, at: int) -> float:
        found = ulps(float(self.claimed[at]), self.balls[at], self.dtype)
        return found / float(self.coarser[at])

    def entry(self, argument: int, at: int) -> Entry:
        """One entry, in full."""
        ball, exact = self.balls[at], float(self.exact[at])
        bounds, unit = decimal_bounds(ball), float(self.units[at])
        error = float(self.errors[at])
        allowed = float(self.allowed[at]) / unit if unit else 0.0
        return Entry(
            argument=argument,
            index=tuple(int(k) for k in np.unravel_index(at, self.shape)),
            claimed=float(self.claimed[at]),
            lower=bounds.lower,
            upper=bounds.upper,
            ulps=error / unit if self.beside[at] else self._ulps(at),
            # Half of the smallest number is none.
            allowed=allowed if self.beside[at] else max(allowed, HALF),
            relative=error / exact if exact else error,
            beside=float(self.beside[at]),
        )


def _rank_entries(columns: list[_Column], shown: Sequence[Any]) -> list[tuple[int, int]]:
    """Entries as they are to be shown: those that may be, then beyond before within, by units."""
    keys = []
    for number, (column, flags) in enumerate(zip(columns, shown, strict=True)):
        last = np.zeros(column.size, dtype=bool) if flags is None else ~flags
        distances = column.distances()
        own = zip(last.tolist(), (~column.beyond).tolist(), (-distances).tolist(), strict=True)
        keys += [(*key, number, at) for at, key in enumerate(own)]
    return [(number, at) for *_, number, at in sorted(keys)]


@dataclass(frozen=True, slots=True)
class _Format:
    """The range of a float dtype."""

    largest: float
    gap: float
    least_normal: float
    eps: float


@functools.cache  # of dtypes
def _format(dtype: Any) -> _Format:
    limits = np.finfo(dtype)
    below = float(np.nextafter(limits.max, dtype.type(0)))
    largest = float(limits.max)
    return _Format(largest, largest - below, float(limits.smallest_normal), float(limits.eps))


def _units(sizes: Any, dtype: Any) -> Any:
    """The spacing of the floats of `dtype` at numbers of these sizes."""
    known = _format(dtype)
    near = np.minimum(sizes, known.largest).astype(dtype)
    units = np.spacing(near).astype(float)
    return np.where(near >= known.largest, known.gap, units)


def rounds_to_infinity(value: float, ball: Any, dtype: Any) -> bool:
    """Whether an infinity is what the exact value rounds to in `dtype`."""
    return math.isinf(value) and bool(ball.is_finite()) and ulps(value, ball, dtype) == 0


def _error(value: float, ball: Any) -> float:
    """The distance of a float from the nearest point of `ball`; infinite for nan and inf."""
    if not math.isfinite(value):
        return math.inf
    gap = abs(ball - value).lower()
    return float(gap) if gap > 0 else 0.0
