"""What a user of the verifier can get wrong."""

from __future__ import annotations

from symtape.errors import SymtapeError

__all__ = ["IncompleteInstallation", "NotADerivative", "Refused", "UsageError"]


class UsageError(SymtapeError, ValueError):
    """What was asked for cannot be done as asked; says what was expected instead."""


class IncompleteInstallation(SymtapeError, RuntimeError):
    """A file that comes with the package cannot be read; names it, and says how to get it."""


class NotADerivative(SymtapeError, ValueError):
    """What a claim did or returned cannot be the derivative; says what was expected."""


class Refused(NotADerivative):
    """The framework of a claim says itself that it has no derivative to give."""
