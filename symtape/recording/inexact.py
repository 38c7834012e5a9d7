"""How far what iterations return may be off, for whoever compares a recording by value."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

INEXACT: Final[ContextVar[list[float] | None]] = ContextVar("errors of solvers", default=None)
"""Takes note of the relative errors of what solvers returned, where somebody asks for them."""


def note(error: float) -> None:
    """Tell whoever asks that a solver was off by so much, relatively."""
    if (known := INEXACT.get()) is not None:
        known.append(error)
