"""What a user of the verifier can get wrong."""

from __future__ import annotations

from symtape.errors import SymtapeError

__all__ = ["NotADerivative", "Refused", "UsageError"]


class UsageError(SymtapeError, ValueError):
    """What was asked for cannot be done as asked; says what was expected instead."""


class NotADerivative(SymtapeError, ValueError):
    """What a claim did or returned cannot be the derivative; says what was expected."""


class Refused(NotADerivative):
    """The framework of a claim says itself that it has no derivative to give."""
