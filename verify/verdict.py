"""Verdicts, the rungs of evidence behind them, and the exit status they mean."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Evidence", "ExitStatus", "Rung", "Verdict", "exit_status", "gravest"]


class Verdict(enum.Enum):
    """What is known of a claim at a point, or of a whole case.

    Ordered by gravity: see :func:`gravest`.
    """

    CORRECT = "CORRECT"
    """Inside what the exact derivative and honest rounding allow."""
    KINK = "KINK"
    """There is no classical derivative at the point."""
    OUTSIDE = "OUTSIDE"
    """The function itself is undefined, or not finite, there."""
    UNDECIDED = "UNDECIDED"
    """A budget was spent, something is unsupported, or the check has no power; says which."""
    INACCURATE = "INACCURATE"
    """The rule is right, but the float result loses more than rounding explains."""
    WRONG = "WRONG"
    """The enclosure of the exact derivative excludes the value."""


class Rung(enum.Enum):
    """How strong the evidence for a verdict is, strongest first."""

    PROVED = "proved"
    EXACT = "exact over Q"
    CERTIFIED = "certified"
    SAMPLED = "sampled"


class ExitStatus(enum.IntEnum):
    """Exit status of the command."""

    CORRECT = 0
    WRONG = 1
    USAGE = 2
    UNDECIDED = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rung reached, and its extent.

    Examples
    --------
    >>> str(Evidence(Rung.CERTIFIED, points=3, bits=300))
    'certified at 3 points to 2⁻³⁰⁰'
    """

    rung: Rung
    points: int = 0
    bits: int = 0

    def __str__(self) -> str:
        where = f"at {self.points} point{'s' * (self.points != 1)}"
        if self.rung is Rung.CERTIFIED:
            exponent = str(self.bits).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
            return f"certified {where} to 2⁻{exponent}"
        if self.rung is Rung.SAMPLED:
            return f"sampled {where}"
        words: str = self.rung.value
        return words


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """The gravest of `verdicts`; CORRECT of none.

    Examples
    --------
    >>> gravest([Verdict.CORRECT, Verdict.WRONG, Verdict.KINK])
    <Verdict.WRONG: 'WRONG'>
    """
    order = list(Verdict)
    return max(verdicts, key=order.index, default=Verdict.CORRECT)


def exit_status(verdicts: Iterable[Verdict]) -> ExitStatus:
    """What the command exits with.

    Examples
    --------
    >>> exit_status([Verdict.CORRECT, Verdict.UNDECIDED])
    <ExitStatus.UNDECIDED: 3>
    """
    match gravest(verdicts):
        case Verdict.WRONG | Verdict.INACCURATE:
            return ExitStatus.WRONG
        case Verdict.UNDECIDED:
            return ExitStatus.UNDECIDED
        case _:
            return ExitStatus.CORRECT
