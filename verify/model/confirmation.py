"""What an oracle has to say of another: that it agrees, that it excludes it, or nothing at all."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class ConfirmationStatus(enum.Enum):
    """How an oracle answers."""

    AGREED = "agreed"
    SILENT = "silent"
    """It has no reading of an operation, or too little is known of what it read."""
    CONFLICT = "conflict"
    """Both cannot be right, so that nothing can be said of a claim."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The answer of one oracle at one point.

    Attributes
    ----------
    oracle : str
        In words: ``"Taylor series"``.
    status : ConfirmationStatus
    words : str
        Why it is silent, or what excludes what.
    """

    oracle: str
    status: ConfirmationStatus
    words: str = ""

    def __str__(self) -> str:
        return f"{self.oracle}: {self.words}" if self.words else self.oracle


def conflict_in(found: Iterable[Confirmation]) -> Confirmation | None:
    """The first conflict, if there is one."""
    return next((one for one in found if one.status is ConfirmationStatus.CONFLICT), None)


def silent_among(found: Iterable[Confirmation]) -> tuple[Confirmation, ...]:
    """The oracles that said nothing."""
    return tuple(one for one in found if one.status is ConfirmationStatus.SILENT)


def unconfirmed_by(points: Sequence[Sequence[Confirmation]]) -> str:
    """Who was silent at some of the points, at how many, and why at the first of them.

    Examples
    --------
    >>> status = ConfirmationStatus.SILENT
    >>> silent = Confirmation("Taylor series", status, "betainc has no reading in jets")
    >>> unconfirmed_by([[silent], [silent], []])
    'not confirmed by Taylor series at 2 of 3 points: betainc has no reading in jets'
    """
    said: dict[str, list[str]] = {}
    for silent in points:
        for one in silent:
            said.setdefault(one.oracle, []).append(one.words)
    return "; ".join(
        f"not confirmed by {oracle}{_share(len(words), len(points))}: {words[0]}"
        for oracle, words in said.items()
    )


def _share(some: int, whole: int) -> str:
    return "" if some == whole else f" at {some} of {whole} points"
