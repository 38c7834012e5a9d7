"""What a user of the verifier can get wrong."""

from __future__ import annotations

from symtape.errors import SymtapeError

__all__ = ["UsageError"]


class UsageError(SymtapeError, ValueError):
    """What was asked for cannot be done as asked; says what was expected instead."""
