"""A limit on the time that a call takes in this process: one mechanism for each need.

In the main thread the interval timer's signal ends Python code and a call that waits. No signal
reaches another thread, and somebody else may use the timer: there a thread keeps watch, and has the
late one raise an exception between two of its instructions. What only the end of a process stops,
and what may end it, runs in :mod:`verify.limits.processes`; the tasks of a campaign, which must
leave no trace for each other, in :mod:`verify.campaign.executors`.

Calls: a limit of its own on every single call of a function and of a claim. Work is counted
wherever it can be. Seconds are for code in which nothing can be counted, a loop of plain Python
above all, and are so many that an honest call does not meet them.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, SymtapeError
from symtape.process.budget import Budget
from verify.files import places
from verify.options.keywords import KEYWORDS
from verify.options.signatures import to_budget

_AGAIN: Final = 0.05
"""Seconds between looks at what is over; code that swallowed one exception gets another."""

_PATIENCE: Final = 10
"""How often a library is given time to return; an exception in its callbacks would be lost."""

Raised = Callable[[str], BaseException]


def time_error(seconds: float, where: str = "") -> BudgetSpent:
    """The error of a spent time budget, which says how to give more."""
    place = f", at {where}" if where else ""
    return BudgetSpent(
        f"the time budget of {seconds:g} s ran out{place}; give more with --budget, or "
        "budget=Budget(seconds=...) in a call, or verify something smaller"
    )


@contextlib.contextmanager
def time_limit(seconds: float, whole: float) -> Iterator[None]:
    """Raise in this thread after `seconds`, naming the user's line that was running.

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
        raise time_error(whole)
    with limit_time(seconds, lambda where: time_error(whole, where)):
        yield


@contextlib.contextmanager
def limit_time(seconds: float, error: Raised) -> Iterator[None]:
    """Raise ``error(line)`` in this thread after `seconds`, of the user's line that was running.

    Python code is stopped between two instructions. A single call into compiled code runs to
    its end first. Limits may be nested; the one that ends first counts.

    Parameters
    ----------
    seconds : float
    error : callable ``(str) -> exception``
        Of the line as ``file:line``, empty if it is not known.
    """
    if not math.isfinite(seconds):
        yield
        return
    with (_limit_by_timer if _timer_is_ours() else _limit_by_watcher)(seconds, error):
        yield


@contextlib.contextmanager
def keep_ticking() -> Iterator[None]:
    """Keep the timer running, so that the many limits inside need not start it each time."""
    if not _timer_is_ours():
        yield
        return
    with _limit_by_timer(math.inf, BudgetSpent):
        yield


class _Deadline:
    """When the main thread is to be stopped, and by what."""

    __slots__ = ("error", "grace", "until")

    def __init__(self, seconds: float, error: Raised) -> None:
        self.until = time.monotonic() + seconds
        self.error = error
        self.grace = _GracePeriod()


_DEADLINES: Final[list[_Deadline]] = []
"""Of the main thread, the outer ones first; while there are any the timer ticks."""


def _tick(number: int, frame: FrameType | None) -> None:
    """The handler of the timer's signal."""
    if not _DEADLINES:
        return
    first = min(_DEADLINES, key=lambda deadline: deadline.until)
    if time.monotonic() >= first.until and not first.grace.waits(frame):
        raise first.error(_users_line(frame))


@contextlib.contextmanager
def _limit_by_timer(seconds: float, error: Raised) -> Iterator[None]:
    deadline = _Deadline(seconds, error)
    before = None
    if not _DEADLINES:
        before = signal.signal(signal.SIGALRM, _tick)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    _DEADLINES.append(deadline)
    try:
        yield
    finally:
        try:
            deadline.until = math.inf
        finally:
            _DEADLINES.remove(deadline)
            if before is not None:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)


def _timer_is_ours() -> bool:
    if not hasattr(signal, "setitimer"):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    handler = signal.getsignal(signal.SIGALRM)
    free = handler is signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    return free or handler is _tick


class _Overtime(BaseException):
    """Raised in a thread by the one that watches it."""


class _Watch:
    """A thread, and when it is to be stopped."""

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._until = time.monotonic() + seconds
        self._grace = _GracePeriod()
        self._lock = threading.Lock()
        self.over = self.sent = False
        self.line = ""

    def look(self) -> None:
        """Stop the thread if its time is over."""
        with self._lock:
            if self.over or time.monotonic() < self._until:
                return
            frame = sys._current_frames().get(self._thread)
            if self._grace.waits(frame):
                return
            self.line = self.line or _users_line(frame)
            self.sent = _raise_in(self._thread, _Overtime) or self.sent

    def end(self) -> None:
        """Watch no longer, and see to it that nothing is on its way to the thread."""
        while not self.over:
            with contextlib.suppress(_Overtime), self._lock:
                self.over = True
        if self.sent:
            # What is on its way cannot be taken back: CPython 3.11 leaves the flag of it up, and a
            # function that is traced then waits at its first instruction for ever.
            with contextlib.suppress(_Overtime):
                _raise_in(self._thread, _Overtime)
                while True:
                    time.sleep(0)


@contextlib.contextmanager
def _limit_by_watcher(seconds: float, error: Raised) -> Iterator[None]:
    watch = _Watch(seconds)
    try:
        _WATCHER.add(watch)
        try:
            yield
        finally:
            watch.end()
            _WATCHER.remove(watch)
    except _Overtime:
        if not watch.sent:
            raise
        raise error(watch.line) from None


class _Watcher:
    """Looks after the watched threads, from a thread that runs while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: set[_Watch] = set()
        self._running = False

    def add(self, watch: _Watch) -> None:
        """Begin to look after a thread."""
        with self._lock:
            self._watched.add(watch)
            if self._running:
                return
            self._running = True
        threading.Thread(target=self._run, name="symtape time limits", daemon=True).start()

    def remove(self, watch: _Watch) -> None:
        """Look after it no longer."""
        with self._lock:
            self._watched.discard(watch)

    def _run(self) -> None:
        idle = 0.0
        while True:
            time.sleep(_AGAIN)
            with self._lock:
                watched = list(self._watched)
                idle = 0.0 if watched else idle + _AGAIN
                if idle > 1.0:
                    self._running = False
                    return
            for watch in watched:
                watch.look()


_WATCHER: Final = _Watcher()


def _raise_in(thread: int, exception: type[BaseException]) -> bool:
    """Have a thread raise between two of its instructions; whether that can be done at all."""
    api: Any = getattr(ctypes, "pythonapi", None)
    if api is None:
        return False
    api.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception))
    return True


class _GracePeriod:
    """Gives a library time to return."""

    def __init__(self) -> None:
        self._waited = itertools.count()

    def waits(self, frame: FrameType | None) -> bool:
        """Whether to look again later at what is running."""
        inside = frame is not None and places.is_library(frame.f_code.co_filename)
        return inside and next(self._waited) < _PATIENCE


def _users_line(frame: FrameType | None) -> str:
    while frame is not None:
        file = frame.f_code.co_filename
        if places.is_users(file) and not places.is_library(file):
            return places.relative(f"{file}:{frame.f_lineno}")
        frame = frame.f_back
    return ""


_OF_WAITING: Final = 0.1
"""How much a second counts in which this process did not compute: it waited, or others did."""


class Stopwatch:
    """Seconds that the process computed since it was started."""

    def __init__(self) -> None:
        self._computed, self._passed = time.process_time(), time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds of the processor, or a tenth of those on the wall where these are more."""
        computed = time.process_time() - self._computed
        return max(computed, _OF_WAITING * (time.monotonic() - self._passed))


DEFAULT_BUDGET: Final[Budget] = to_budget(KEYWORDS["budget"].default)


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
