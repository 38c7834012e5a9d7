"""Claimed values beside enclosures of the exact ones, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.rigorous.interval import interval, ulps
from verify.result import Entry
from verify.witnesses.closed_form import Truth
from verify.witnesses.float_value import Allowance

__all__ = ["Comparison", "compare"]

LEAST_POWER: Final = 2.0**-10
"""A check that allows more than this, relatively, could not exclude a fault worth finding."""


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
        The largest allowance, relative to its entry.
    """

    worst: Entry | None
    beyond: bool
    allowed_relative: float

    @property
    def powerless(self) -> bool:
        """Whether what rounding may cost hides faults of interesting size."""
        return self.allowed_relative > LEAST_POWER

    @property
    def power(self) -> str:
        """The largest relative allowance, in words."""
        return f"{self.allowed_relative:.1g} of the value"


def compare(
    claimed: Sequence[Any],
    truth: Truth,
    allowed: Allowance,
    only: Sequence[Any] | None = None,
) -> Comparison:
    """Compare every entry; `only` (bool arrays) restricts which entry is shown as the worst."""
    rows = list(_rows(claimed, truth, allowed, only))
    if not rows:
        return Comparison(None, False, 0.0)
    beyond = [row for row in rows if row.error > row.allowed]
    shown = [row for row in rows if row.shown] or rows
    worst = max(shown, key=lambda row: (row.error > row.allowed, row.ulps))
    sized = [row.allowed / abs(row.exact) for row in rows if row.exact]
    return Comparison(worst.entry(), bool(beyond), max(sized, default=0.0))


@dataclass(frozen=True, slots=True)
class _Row:
    argument: int
    index: tuple[int, ...]
    claimed: float
    dtype: Any
    ball: Any
    exact: float
    error: float
    allowed: float
    ulps: float
    shown: bool

    def entry(self) -> Entry:
        bounds = interval(self.ball)
        unit = float(np.spacing(np.abs(np.asarray(self.exact, self.dtype))))
        return Entry(
            argument=self.argument,
            index=self.index,
            claimed=self.claimed,
            lower=bounds.lower,
            upper=bounds.upper,
            ulps=self.ulps,
            allowed=self.allowed / unit if unit else 0.0,
            relative=self.error / abs(self.exact) if self.exact else self.error,
        )


def _rows(
    claimed: Sequence[Any], truth: Truth, allowed: Allowance, only: Sequence[Any] | None
) -> Any:
    for argument, (part, balls, bounds) in enumerate(
        zip(claimed, truth.parts, allowed.parts, strict=True)
    ):
        flags = np.ones(part.shape, bool) if only is None else only[argument]
        for index in np.ndindex(part.shape):
            value: Any = part[index]
            ball: Any = np.asarray(balls, dtype=object)[index]
            yield _Row(
                argument,
                index,
                float(value),
                part.dtype,
                ball,
                float(ball.mid()),
                _error(value, ball),
                float(np.asarray(bounds)[index]),
                ulps(float(value), ball, part.dtype),
                bool(flags[index]),
            )


def _error(value: Any, ball: Any) -> float:
    """The distance of a float from the nearest point of `ball`; infinite for nan and inf."""
    if not np.isfinite(value):
        return float("inf")
    gap = abs(ball - float(value)).lower()
    return float(gap) if gap > 0 else 0.0
