"""Intervals of real numbers, open or closed at either end, possibly unbounded.

Balls do not say "positive" of x > 0, whose closure holds 0, and cannot hold the whole line; an
interval with open ends says both. Ends are exact Arb numbers, rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from flint import arb

_INF: Final = arb("inf")


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers between `low` and `high`; an infinite end is open.

    Examples
    --------
    >>> unit = Interval(arb(0), arb(1), True, True)
    >>> (point(1) - unit * unit).sign()
    1
    >>> unit.sign(), (unit - point(1)).sign(), Interval(arb(0), arb(1)).sign()
    (1, -1, None)
    """

    low: Any
    high: Any
    low_open: bool = False
    high_open: bool = False

    def sign(self) -> int | None:
        """1 or -1 where every number is positive, or negative; 0 of zero alone; else None."""
        if self.low > 0 or (self.low_open and self.low >= 0):
            return 1
        if self.high < 0 or (self.high_open and self.high <= 0):
            return -1
        return 0 if self.low.is_zero() and self.high.is_zero() else None

    def signs(self) -> frozenset[int]:
        """The signs that its numbers have."""
        positive, negative = self.high > 0, self.low < 0
        low_at_zero = self.low.is_zero() and self.low_open
        high_at_zero = self.high.is_zero() and self.high_open
        zero = self.low <= 0 and self.high >= 0 and not (low_at_zero or high_at_zero)
        found = ((1, positive), (0, zero), (-1, negative))
        return frozenset(sign for sign, has in found if has)

    def lies_inside(self, other: Interval) -> bool:
        """Whether all its numbers are between the ends of `other`, and none is one of them."""
        above = self.low > other.low or (self.low_open and self.low >= other.low)
        below = self.high < other.high or (self.high_open and self.high <= other.high)
        return bool(above and below)

    def cut(self, at: Interval, signs: frozenset[int]) -> Interval:
        """The numbers whose difference from the number in `at` has one of `signs`.

        Examples
        --------
        >>> Interval(arb(0), arb(2)).cut(point(1), frozenset({1})).signs()
        frozenset({1})
        """
        found = self
        if -1 not in signs and at.low >= found.low:
            found = Interval(at.low, found.high, 0 not in signs, found.high_open)
        if 1 not in signs and at.high <= found.high:
            found = Interval(found.low, at.high, found.low_open, 0 not in signs)
        return found

    @property
    def width(self) -> Any:
        """Its length, which may be infinite."""
        return self.high - self.low

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low, self.high_open, self.low_open)

    def __add__(self, other: Interval) -> Interval:
        return _make_interval(
            self.low + other.low,
            self.high + other.high,
            self.low_open or other.low_open,
            self.high_open or other.high_open,
        )

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        corners = [
            _corner(x, x_open, y, y_open)
            for x, x_open in ((self.low, self.low_open), (self.high, self.high_open))
            for y, y_open in ((other.low, other.low_open), (other.high, other.high_open))
        ]
        low = _least([(value.lower(), is_open) for value, is_open in corners])
        high = _least([(-value.upper(), is_open) for value, is_open in corners])
        return _make_interval(low[0], -high[0], low[1], high[1])

    def __pow__(self, n: int) -> Interval:
        if n < 0:
            return (self ** (-n)).reciprocal()
        if n % 2 == 0:
            return _power(self.size(), n)
        return _power(self, n)

    def size(self) -> Interval:
        """The absolute values."""
        if self.low >= 0:
            return self
        if self.high <= 0:
            return -self
        nearest, is_open = _least([(self.low, self.low_open), (-self.high, self.high_open)])
        return Interval(arb(0), -nearest, False, is_open)

    def reciprocal(self) -> Interval:
        """``1 / x``; everything where x may be 0."""
        if self.sign() == -1:
            return -(-self).reciprocal()
        if self.sign() != 1:
            return EVERYTHING
        high = _INF if self.low.is_zero() else 1 / self.low
        low = arb(0) if not self.high.is_finite() else 1 / self.high
        return _make_interval(low, high, self.high_open, self.low_open)

    def halves(self) -> tuple[Interval, Interval]:
        """Two intervals that cover it."""
        at = self.middle()
        return (
            Interval(self.low, at, self.low_open, False),
            Interval(at, self.high, False, self.high_open),
        )

    def middle(self) -> Any:
        """A number well inside: 0 of the line, twice as far out of a half-line."""
        if self.low.is_finite() and self.high.is_finite():
            return ((self.low + self.high) / 2).mid()
        if not self.low.is_finite() and not self.high.is_finite():
            return arb(0)
        if self.low.is_finite():
            return arb(1) if self.low <= 0 else 2 * self.low
        return arb(-1) if self.high >= 0 else 2 * self.high


def _power(x: Interval, n: int) -> Interval:
    """An increasing power."""
    return monotone(lambda end: end**n if end.is_finite() else end, x)


def _corner(x: Any, x_open: bool, y: Any, y_open: bool) -> tuple[Any, bool]:
    """The product of two ends, and whether it is not attained."""
    if x.is_zero() or y.is_zero():
        return arb(0), not ((x.is_zero() and not x_open) or (y.is_zero() and not y_open))
    return x * y, x_open or y_open


def _least(ends: list[tuple[Any, bool]]) -> tuple[Any, bool]:
    """The least of some lower ends; closed if an equal one is."""
    low, is_open = ends[0]
    for value, value_open in ends[1:]:
        if value < low:
            low, is_open = value, value_open
        elif not value > low:
            low, is_open = arb.min(low, value).lower(), is_open and value_open
    return low, is_open


def _make_interval(low: Any, high: Any, low_open: bool, high_open: bool) -> Interval:
    """With ends rounded outward; what is not a number says nothing."""
    if low.is_nan() or high.is_nan():
        return EVERYTHING
    low, high = low.lower(), high.upper()
    if low.is_nan() or high.is_nan():
        return EVERYTHING
    return Interval(low, high, low_open or not low.is_finite(), high_open or not high.is_finite())


def monotone(
    function: Callable[[Any], Any], x: Interval, limits: tuple[Any, Any] | None = None
) -> Interval:
    """The image of `x` under an increasing function, with `limits` at the infinities."""

    def end(value: Any, limit: int) -> Any:
        if value.is_finite() or limits is None:
            return function(value)
        return arb(limits[limit])

    return _make_interval(end(x.low, 0), end(x.high, 1), x.low_open, x.high_open)


def point(value: Any) -> Interval:
    """One number; a ball around one that is irrational."""
    ball = arb(value)
    return _make_interval(ball, ball, False, False)


EVERYTHING: Final = Interval(-_INF, _INF, True, True)
