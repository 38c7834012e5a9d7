"""How much a search does: counts that follow from sizes, so that the same seed finds the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from symtape.process.work import Work
from verify.limits.limit import Stopwatch

_READING: Final = 400_000
"""Microseconds, about, for the survey at effort 1."""

_JUDGING: Final = 300_000

_SHORT: Final = 0.15
"""An effort below this is for suites of hundreds of assertions."""

LEAST_TO_PROVE: Final = _SHORT
"""An effort below this costs less than proofs."""

LEAST_TO_BOUND: Final = 4.0
"""An effort below this has no time for bounds of rounding over the region."""

_SHORTEST: Final = 0.01
"""An effort below this is for tables of hundreds of rows: a few points of each kind."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many points a search takes.

    Attributes
    ----------
    generic : int
        Interior points by chance that are judged before all others.
    lead : int
        Special points that are judged, whatever they look like.
    specials : int
        Special points that are evaluated.
    survey : int
        Points by chance that are evaluated.
    judged : int
        Points that get a verdict, beside the first special ones and one of each path.
    moves : int
        Evaluations for finding boundaries.
    shrinks : int
        Simpler points tried for a witness.
    peaks : int
        Points from which larger errors are climbed to.
    """

    generic: int
    lead: int
    specials: int
    survey: int
    judged: int
    moves: int
    shrinks: int
    peaks: int

    def count_values(self) -> Effort:
        """The counts for float values alone, where the formula is proved all over the region."""
        return replace(
            self,
            lead=self.lead // 2,
            specials=self.specials // 2,
            judged=min(self.judged, max(self.judged // 4, 24)),
            moves=self.moves // 4,
        )


def effort_for(cost: int, nodes: int, scale: float = 1.0) -> Effort:
    """The counts for a function of which one evaluation costs about `cost` microseconds.

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
    brief = scale < _SHORTEST
    survey = _clamp(scale * _READING / cost, 12 if brief else 60, 3000 * scale)
    least = 24 * min(1.0, 4 * scale)
    judged = _clamp(scale * _JUDGING / (500 + 8 * cost), least, 160 * scale)
    share = min(1.0, max(2 * scale, 0.02 if brief else 0.2))
    return Effort(
        3 if brief else 5 if scale < _SHORT else 8,
        4 if brief else 8 if scale < _SHORT else 16,
        max(survey // 6, int(2 * least)),
        survey,
        judged,
        int(_clamp(100_000 / (5 + 5 * nodes), 400, 4000) * share),
        max(judged // 2, 24),
        max(survey // 500, 1),
    )


def _clamp(value: float, low: float, high: float) -> int:
    return int(max(min(value, high), low))


_OPERATIONS: Final = 6_000_000
"""Of a search at effort 1: some four seconds."""

_LEAST: Final = 1_000_000
"""However little effort is asked for."""

_OF_THE_TIME: Final = 0.8
"""The rest of the seconds is for what follows a search: shrinking, explaining."""


def operations_for(scale: float) -> float:
    """How many operations a search of this effort may do.

    Examples
    --------
    >>> operations_for(1.0), operations_for(0.05)
    (6000000.0, 1000000)
    """
    return max(_OPERATIONS * scale, _LEAST)


class Quota:
    """Tells a search when to go on to its next phase.

    Parameters
    ----------
    work : Work
        That counts what the search does.
    operations : float
        For all phases together.
    seconds : float
        After which everything ends, whatever is left to do.

    Attributes
    ----------
    cut : bool
        Whether a phase ended before its points did.
    late : bool
        Whether the clock ended the search.
    """

    def __init__(self, work: Work, operations: float, seconds: float) -> None:
        self.work = work
        self.operations = operations
        self.seconds = seconds
        self.cut = self.late = False
        self._share = 0.0
        self._watch = Stopwatch()

    def phase(self, share: float) -> None:
        """Begin a phase, which may use this share and what those before it left."""
        self._share += share

    @property
    def over(self) -> bool:
        """Whether the clock has ended the search."""
        self.late = self.late or self._watch.seconds > _OF_THE_TIME * self.seconds
        return self.late

    def __bool__(self) -> bool:
        """Whether the phase is over."""
        spent = self.work.spent > self._share * self.operations
        self.cut = self.cut or spent
        return spent or self.over

    @property
    def words(self) -> str:
        """Why the search ended early; empty if it did not."""
        if self.late:
            return (
                f"the search reached its limit of {self.seconds:g} s before it had tried all "
                "points; raise budget=, or lower effort="
            )
        if self.cut:
            return (
                f"the search reached its limit of {self.operations:,.0f} operations before it had "
                "tried all points; raise effort="
            )
        return ""
