"""Every exception a user of the engines can meet.

Each is also one of Python's own kinds, so code that catches ``ValueError``,
``TypeError`` or ``LookupError`` keeps working.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = [
    "REASONS",
    "ArgumentWarning",
    "BranchWarning",
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


REASONS: Final = {
    "escape:<call>": "a value left by this call: `escape:asarray`, `escape:float`, `escape:item`",
    "escape:kept": "a tensor of an earlier call came back in this one",
    "escape:cache": "a cache returned what an earlier call computed from plain numbers",
    "escape:list": "compiled code took a list of tensors for an array",
    "escape:pickle": "a tensor was pickled, for example for another process",
    "escape:text": "a value was written as text and read again",
    "escape:state": "a value was assigned to a `symtape.Variable`",
    "escape:solver": "a search of SciPy compared it, and its iterations are not its solution",
    "inplace:<function>": "this function or method of NumPy writes into a tensor",
    "inplace:setitem": "code assigned to entries of a tensor",
    "inplace:mask": "a mask assigned to entries of a tensor",
    "inplace:plain": "a tensor was written into a NumPy array",
    "inplace:twice": "computed indices wrote into one place of an array twice",
    "jit:numba": "machine code of numba ran",
    "dtype:argument": "an argument is not an array of real floating-point numbers",
    "dtype:longdouble": "numbers with more digits than float64",
    "dtype:matrix": "`np.matrix`",
    "dtype:masked": "a part of a masked or structured array that symtape does not record",
    "dtype:view": "the code read the bits of numbers as another type",
    "branch:types": "the code takes another path when it is recorded than with plain arrays",
    "return": "the function returned something that is not a number or an array",
    "row:missing": "symtape knows the values of an operation but not its derivative",
    "value": "another value that a tape cannot follow",
    "function": "another function that cannot be recorded",
    "foreign": "a program of another framework does something that symtape cannot read",
    "unsupported": "an engine does not know an operation",
    "budget": "a limit on time or work was reached",
    "extra": "an optional package is not installed",
    "error": "another error",
}
"""Why something is not recorded, for programs: each code, or its pattern, and what it means."""


class SymtapeError(Exception):
    """Base of every error raised on purpose by symtape.

    Parameters
    ----------
    *args
        The words.
    code : str, optional
        The reason for programs to read, as ``"escape:float"``, ``"inplace:mask"`` or
        ``"jit:numba"``: one of ``REASONS``. Each class of errors has one of its own besides.

    Examples
    --------
    >>> NotOnTape("a matrix", code="dtype:matrix").code, NotOnTape("a value").code
    ('dtype:matrix', 'value')
    """

    code: str = "error"

    def __init__(self, *args: Any, code: str = "") -> None:
        super().__init__(*args)
        if code:
            self.code = code


class NotOnTape(SymtapeError, TypeError):
    """A value that no tape can follow was given where a tensor is needed."""

    code = "value"


class NotTraceable(SymtapeError, TypeError):
    """A function that cannot be recorded: what it returned or did cannot be followed."""

    code = "function"


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

    def __init__(self, words: str, meant: str = "", code: str = "escape:kept") -> None:
        super().__init__(words, meant, code=code)

    def __str__(self) -> str:
        words, meant = self.args
        return f"{words}; {meant}" if meant else str(words)


class Unreadable(NotTraceable):
    """A program of another framework does what no reader follows; names the operation and line."""

    code = "foreign"


class MissingExtra(SymtapeError, ImportError):
    """An optional package is not there; names it and the extra that brings it."""

    code = "extra"


class Unsupported(SymtapeError, NotImplementedError):
    """An engine has no reading of an operation; names the operation and the engine."""

    code = "unsupported"


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

    code = "row:missing"

    def __init__(self, words: str, place: str = "", remedy: str = "") -> None:
        super().__init__(words, place, remedy)

    def __str__(self) -> str:
        words, place, remedy = self.args
        words += f", applied at {place}" if place else ""
        return f"{words}; {remedy}" if remedy else str(words)


class BudgetSpent(SymtapeError, RuntimeError):
    """A time or size budget ran out before the work was done; names the budget."""

    code = "budget"


class EscapeWarning(UserWarning):
    """A value left a tape for plain Python, and a gradient that may have gone with it is None."""


class BranchWarning(UserWarning):
    """A library decided by an equality that holds: the derivative is that of this branch alone."""


class ArgumentWarning(UserWarning):
    """A function writes into an argument of its own: what is differentiated works on a copy."""
