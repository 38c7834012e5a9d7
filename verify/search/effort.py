"""How much a search does: counts that follow from sizes, so that the same seed finds the same."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

__all__ = ["Brake", "Effort", "effort_for"]

_READING: Final = 400_000
"""Microseconds, about, for the survey at effort 1."""

_JUDGING: Final = 300_000
_BRAKE: Final = 10.0
"""Seconds, at least, after which a search stops where it is."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many points a search takes.

    Attributes
    ----------
    specials : int
        Special points that are read.
    survey : int
        Points by chance that are read.
    judged : int
        Points that get a verdict, beside the first special ones and one of each way.
    moves : int
        Evaluations for finding boundaries.
    shrinks : int
        Simpler points tried for a witness.
    peaks : int
        Points from which larger errors are climbed to.
    """

    specials: int
    survey: int
    judged: int
    moves: int
    shrinks: int
    peaks: int


def effort_for(cost: int, nodes: int, scale: float = 1.0) -> Effort:
    """The counts for a function of which one reading costs about `cost` microseconds.

    Parameters
    ----------
    cost : int
    nodes : int
        Of the recorded function.
    scale : float
        1 for a call in a test; more for a campaign.

    Examples
    --------
    >>> effort_for(100, 2).survey, effort_for(10_000, 500).survey
    (3000, 60)
    """
    cost = max(cost, 60)
    survey = _within(scale * _READING / cost, 60, 3000 * scale)
    least = 24 * min(1.0, 4 * scale)
    judged = _within(scale * _JUDGING / (500 + 8 * cost), least, 160 * scale)
    moves = _within(100_000 / (5 + 5 * nodes), 400, 4000)
    return Effort(
        max(survey // 6, int(2 * least)),
        survey,
        judged,
        moves,
        max(judged // 2, 24),
        max(survey // 500, 1),
    )


def _within(value: float, low: float, high: float) -> int:
    return int(max(min(value, high), low))


class Brake:
    """Stops a search that takes far longer than its counts were meant to.

    Parameters
    ----------
    seconds : float
        That the case may take in all.
    scale : float
    """

    def __init__(self, seconds: float, scale: float = 1.0) -> None:
        self.seconds = min(_BRAKE * max(scale, 1.0), 0.8 * seconds)
        self._until = time.monotonic() + self.seconds
        self.pulled = False

    def __bool__(self) -> bool:
        """Whether the time is over."""
        self.pulled = self.pulled or time.monotonic() > self._until
        return self.pulled

    @property
    def words(self) -> str:
        """Why the search ended early; empty if it did not."""
        if not self.pulled:
            return ""
        return f"the search was stopped after {self.seconds:.3g} s, before all of its points"
