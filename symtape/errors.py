"""Every exception a user of the engines can meet.

Each is also one of Python's own kinds, so code that catches ``ValueError``,
``TypeError`` or ``LookupError`` keeps working.
"""

from __future__ import annotations

__all__ = [
    "BudgetSpent",
    "EscapeWarning",
    "MissingExtra",
    "NotOnTape",
    "NotTraceable",
    "SymtapeError",
    "Unreadable",
    "Unsupported",
]


class SymtapeError(Exception):
    """Base of every error raised on purpose by symtape."""


class NotOnTape(SymtapeError, TypeError):
    """A value that no tape can follow was given where a tensor is needed."""


class NotTraceable(SymtapeError, TypeError):
    """A function that cannot be recorded: what it returned or did cannot be followed."""


class Unreadable(NotTraceable):
    """A program of another framework does what no reader follows; names the operation and line."""


class MissingExtra(SymtapeError, ImportError):
    """An optional package is not there; names it and the extra that brings it."""


class Unsupported(SymtapeError, NotImplementedError):
    """An engine has no reading of an operation; names the operation and the engine."""


class BudgetSpent(SymtapeError, RuntimeError):
    """A time or size budget ran out before the work was done; names the budget."""


class EscapeWarning(UserWarning):
    """A value left a function under a transform for plain Python, where no derivative follows."""
