"""Work: a unit of a campaign, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from symtape.one_line import OneLineRepr


class Work(Protocol):
    """A unit of work: small, to be pickled, and of the same answer wherever and whenever it runs.

    What it needs travels as the places of functions and their parameters, not as code.
    """

    @property
    def id(self) -> str:
        """What people call it; unique in a campaign."""
        ...

    @property
    def key(self) -> str:
        """Its content address: a hash of all that its answer depends on."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """The distributions, beside symtape and NumPy, whose versions its answer depends on."""
        ...

    def run(self, seconds: float) -> str:
        """The answer, as JSON, found within a budget of so many seconds."""
        ...

    def describe_end(self, words: str) -> str:
        """What stands for the answer, as JSON, where there is none for the reason in `words`."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(OneLineRepr):
    """What came of a unit of work.

    Attributes
    ----------
    key : str
        Of the work.
    text : str
        Its answer, or what stands for it, as JSON.
    ended : str
        Why it came to no answer, in words; empty where it came to one.
    seconds : float
    """

    key: str
    text: str
    ended: str
    seconds: float
