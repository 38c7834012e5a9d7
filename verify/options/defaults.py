"""What an assertion does unless it is told otherwise, for the whole process.

The options of the pytest plugin set these; nothing here is imported that a start would feel.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Observer(Protocol):
    """What a test runner offers while a test runs."""

    def observe(self, result: Any) -> None:
        """Take note of a result, before it is known whether it passes."""

    def replay(self, seed: int | None) -> str:
        """The shell line that runs the test again; `seed` where the runner's own was used."""


class Defaults(NamedTuple):
    """How assertions, and the cases of test files, are verified.

    Attributes
    ----------
    seed : int
        Of searches that name none.
    seconds : float
        That one claim may take.
    effort : float
        How much of a region is searched; 1 is what a call of ``verify.gradient`` does.
    strict : bool
        Whether errors at extreme values fail as well.
    home : str
        The folder for what is kept between runs, where ``SYMTAPE_HOME`` names none.
    observer : Observer, optional
        Who is told of the verdicts that assertions come to.
    """

    seed: int = 0
    seconds: float = 60.0
    effort: float = 0.2
    strict: bool = False
    home: str = ".symtape"
    observer: Observer | None = None


_present = Defaults()


def present() -> Defaults:
    """What holds now.

    Examples
    --------
    >>> present().seconds
    60.0
    """
    return _present


def change(**fields: Any) -> Defaults:
    """Set some of them, and give back what held before.

    Examples
    --------
    >>> before = change(seed=7)
    >>> present().seed
    7
    >>> restore(before)
    """
    global _present
    before, _present = _present, _present._replace(**fields)
    return before


def restore(before: Defaults) -> None:
    """Let hold again what :func:`change` gave back."""
    global _present
    _present = before
