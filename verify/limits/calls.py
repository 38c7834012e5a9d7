"""Calls: a limit of its own on every single call of a function and of a claim.

Work is counted wherever it can be. Seconds are for code in which nothing can be counted, a loop
of plain Python above all, and are so many that an honest call does not meet them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from verify.limits.limit import limit_time

SECONDS: Final = 60.0
"""For a case, unless it is said otherwise."""

SHARES: Final = (1 / 2, 1 / 12, 1 / 12)
"""Of the seconds of a case: what a call gets at first, and after others that did not return."""


class Calls:
    """The calls that are made for a case, each of which has a limit.

    Attributes
    ----------
    seconds : float
        Of the case.
    stopped : dict
        The points at which a call did not return, and what there is to say of it.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.stopped: dict[Any, tuple[tuple[Any, ...], str]] = {}

    @contextlib.contextmanager
    def limit_call(self, who: str, x: tuple[Any, ...], error: type[SymtapeError]) -> Iterator[None]:
        """Stop what runs inside when it takes too long; once is enough at the same point.

        Parameters
        ----------
        who : str
            What is called, in words.
        x : tuple of arrays
            The point.
        error : type
            Raised with words; also in place of what the call made of being stopped.
        """
        if self.stopped and (words := self._refusal(who, _key(who, x))):
            raise error(words)
        seconds = SHARES[self._count(who)] * self.seconds
        before = len(self.stopped)

        def stop(line: str) -> SymtapeError:
            key = _key(who, x)
            place = f", {line}" if line else ""
            told = (
                f"{who} did not return within {seconds:g} s at {_quote(x)}{place}; a single call "
                "gets more with a larger --budget, or budget=Budget(seconds=...)"
            )
            self.stopped.setdefault(key, (x, told))
            return error(self.stopped[key][1])

        try:
            with limit_time(seconds, stop):
                yield
        except Exception as raised:  # users' code may catch what stopped it and raise another error
            if len(self.stopped) > before and not isinstance(raised, error):
                raise error(self.stopped[_key(who, x)][1]) from raised
            raise
        if len(self.stopped) > before:
            raise error(self.stopped[_key(who, x)][1])

    def _refusal(self, who: str, key: Any) -> str:
        if key in self.stopped:
            return self.stopped[key][1]
        if self._count(who) < len(SHARES):
            return ""
        return f"{who} is not called any more, after {len(SHARES)} calls that did not return"

    def _count(self, who: str) -> int:
        return sum(known == who for known, *_ in self.stopped)

    def given_up(self) -> str:
        """Words for what is not called any more; empty if all is."""
        for who in dict.fromkeys(who for who, *_ in self.stopped):
            if words := self._refusal(who, None):
                return words
        return ""


def _key(who: str, x: tuple[Any, ...]) -> Any:
    """A call; a loop that does not end at 0.0 is not entered again at -0.0."""
    return (who, *((np.shape(arg), (np.asarray(arg) + 0.0).tobytes()) for arg in x))


def _quote(x: tuple[Any, ...]) -> str:
    shown = ", ".join(np.array2string(np.asarray(arg), threshold=8, separator=", ") for arg in x)
    return f"x = {shown}" if len(x) == 1 else f"({shown})"
