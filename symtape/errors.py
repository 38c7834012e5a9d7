"""Every exception a user of the engines can meet.

Each is also one of Python's own kinds, so code that catches ``ValueError``,
``TypeError`` or ``LookupError`` keeps working.
"""

from __future__ import annotations

__all__ = [
    "ArgumentWarning",
    "BudgetSpent",
    "EscapeWarning",
    "Escaped",
    "MissingExtra",
    "NoGradient",
    "NotOnTape",
    "NotTraceable",
    "SymtapeError",
    "Unreadable",
    "Unsupported",
]


class SymtapeError(Exception):
    """Base of every error raised on purpose by symtape.

    Attributes
    ----------
    code : str
        The reason for programs to read, as ``"escape:float"``, ``"inplace:mask"`` or
        ``"jit:numba"``; empty where there is none.
    """

    code: str = ""


class NotOnTape(SymtapeError, TypeError):
    """A value that no tape can follow was given where a tensor is needed."""


class NotTraceable(SymtapeError, TypeError):
    """A function that cannot be recorded: what it returned or did cannot be followed."""


class Escaped(NotTraceable):
    """A value left a computation that is differentiated; names the call, its line, a remedy.

    Parameters
    ----------
    words : str
        What left, where, and what to write that is recorded.
    meant : str
        What to do if it is meant as a constant.
    code : str
        By what it left, for programs to read.
    """

    def __init__(self, words: str, meant: str = "", code: str = "escape") -> None:
        super().__init__(words, meant)
        self.code = code

    def __str__(self) -> str:
        words, meant = self.args
        return f"{words}; {meant}" if meant else str(words)


class Unreadable(NotTraceable):
    """A program of another framework does what no reader follows; names the operation and line."""


class MissingExtra(SymtapeError, ImportError):
    """An optional package is not there; names it and the extra that brings it."""


class Unsupported(SymtapeError, NotImplementedError):
    """An engine has no reading of an operation; names the operation and the engine."""


class NoGradient(SymtapeError, LookupError):
    """No gradient is known of an operation; names it, and the line that applied it.

    Parameters
    ----------
    words : str
        TensorFlow's: ``gradient registry has no entry for: NAME``.
    place : str
        Where it was applied.
    remedy : str
        What to do.
    """

    def __init__(self, words: str, place: str = "", remedy: str = "") -> None:
        super().__init__(words, place, remedy)

    def __str__(self) -> str:
        words, place, remedy = self.args
        words += f", applied at {place}" if place else ""
        return f"{words}; {remedy}" if remedy else str(words)


class BudgetSpent(SymtapeError, RuntimeError):
    """A time or size budget ran out before the work was done; names the budget."""


class EscapeWarning(UserWarning):
    """A value left a tape for plain Python, and a gradient that may have gone with it is None."""


class ArgumentWarning(UserWarning):
    """A function writes into an argument of its own: what is differentiated works on a copy."""
