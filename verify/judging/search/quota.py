"""Quota: how much work a search may do, shared out to its phases; the clock is a last stop."""

from __future__ import annotations

from typing import Final

from symtape.process.work import Work
from verify.limits.stopwatch import Stopwatch

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
