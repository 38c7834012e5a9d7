"""A limit on the time that a call takes, whatever it does."""

from __future__ import annotations

import contextlib
import itertools
import math
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final

from symtape.errors import BudgetSpent
from verify import places

__all__ = ["out_of_time", "time_limit"]

_AGAIN: Final = 0.05
"""Seconds after which code that swallowed the first exception gets another."""

_PATIENCE: Final = 10
"""How often a library is given time to return; an exception in its callbacks would be lost."""


def out_of_time(seconds: float, where: str = "") -> BudgetSpent:
    """The error of a spent time budget, which says how to give more."""
    place = f", at {where}" if where else ""
    return BudgetSpent(
        f"the time budget of {seconds:g} s ran out{place}; give more with --budget, or "
        "budget=Budget(seconds=...) in a call, or verify something smaller"
    )


@contextlib.contextmanager
def time_limit(seconds: float, whole: float) -> Iterator[None]:
    """Raise in this thread after `seconds`, naming the user's line that was running.

    Python code is stopped between two instructions. A single call into compiled code runs to
    its end first. Where the platform has no interval timer, outside the main thread, or where
    the timer is in use, nothing is stopped, and only the budgets of the symbolic steps count.

    Parameters
    ----------
    seconds : float
        What is left.
    whole : float
        The budget that it is left of, for the message.

    Raises
    ------
    BudgetSpent
    """
    if seconds <= 0:
        raise out_of_time(whole)
    if not math.isfinite(seconds) or not _timer_is_free():
        yield
        return

    waited = itertools.count()

    def stop(number: int, frame: FrameType | None) -> None:
        inside = frame is not None and places.is_library(frame.f_code.co_filename)
        if inside and next(waited) < _PATIENCE:
            return
        raise out_of_time(whole, _users_line(frame))

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _timer_is_free() -> bool:
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )


def _users_line(frame: FrameType | None) -> str:
    while frame is not None:
        file = frame.f_code.co_filename
        if places.is_users(file) and not places.is_library(file):
            return places.relative(f"{file}:{frame.f_lineno}")
        frame = frame.f_back
    return ""
