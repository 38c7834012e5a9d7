"""Who is told of the verdicts that assertions come to: a test runner, which reports them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from verify.model.result import Result

__all__ = ["Listener", "heard_by", "listener"]


class Listener(Protocol):
    """What a test runner offers while a test runs."""

    def hear(self, result: Result) -> None:
        """Take note of a verdict, before it is known whether it passes."""

    def replay(self, seed: int | None) -> str:
        """The shell line that runs the test again; `seed` where the runner's own was used."""


_listeners: list[Listener] = []


def listener() -> Listener | None:
    """The innermost one that listens now.

    Examples
    --------
    >>> with heard_by(None):
    ...     listener() is None
    True
    """
    return _listeners[-1] if _listeners else None


@contextlib.contextmanager
def heard_by(one: Listener | None) -> Iterator[None]:
    """Let `one` listen, for the time being; None for nobody."""
    before = _listeners[:]
    _listeners[:] = [] if one is None else [*before, one]
    try:
        yield
    finally:
        _listeners[:] = before
