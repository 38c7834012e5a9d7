"""What a user of the verifier can get wrong."""

from __future__ import annotations

import enum
from typing import Any

from symtape.errors import SymtapeError


class Misbehaviour(enum.Enum):
    """What a claim did or returned instead of a derivative, which is no matter of its numbers."""

    RAISED = "raised"
    RETURNED_NOTHING = "returned None"
    NO_ARRAY = "returned no array of real numbers"
    WRONG_COUNT = "returned another number of arrays"
    WRONG_SHAPE = "returned another shape"
    CHANGED_ITS_ARGUMENT = "changed its argument"
    NOT_REPEATABLE = "answers differently"


class UsageError(SymtapeError, ValueError):
    """What was asked for cannot be done as asked; says what was expected instead."""


class LostWorkers(UsageError):
    """The workers that a campaign was given are no more; what was done by then is kept."""


class IncompleteInstallation(SymtapeError, RuntimeError):
    """A file that comes with the package cannot be read; names it, and says how to get it."""


class NotADerivative(SymtapeError, ValueError):
    """What a claim did or returned cannot be the derivative; says what was expected.

    Parameters
    ----------
    words : str
    misbehaviour : Misbehaviour
        What it did.
    """

    def __init__(self, words: str, misbehaviour: Misbehaviour = Misbehaviour.RAISED) -> None:
        super().__init__(words)
        self.misbehaviour = misbehaviour


class Refused(NotADerivative):
    """The framework of a claim says itself that it has no derivative to give."""


class DidNotReturn(Refused):
    """A claim took longer than a call may take."""


class NotAFunction(SymtapeError, ValueError):
    """A function, or a claim, does not answer the same to the same; says how that was seen.

    Parameters
    ----------
    words : str
    x : tuple of arrays
        Where.
    of_claim : bool
        Whether it is the claim.
    """

    def __init__(self, words: str, x: tuple[Any, ...], of_claim: bool = False) -> None:
        super().__init__(words)
        self.x, self.of_claim = x, of_claim
