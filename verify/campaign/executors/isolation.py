"""Isolation: a task finds its process as if no other had run there.

The environment and the path, which imports change as well, are put back before the next one. Where
anything else is not as it was, or something is left over, the process is unfit: it is replaced, and
needs no restoring.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import locale
import os
import random
import signal
import sys
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from flint import ctx
from mpmath import mp

from symtape.primitives.primitive import PRIMITIVES, UFUNCS

_OURS: Final = ("symtape", "verify")
"""Packages whose functions and classes nothing may replace."""

_OTHERS: Final = ("math", "numpy")
"""Further modules of which the same holds; builtins are put back, for an answer needs them."""

_FILES_LEFT_OPEN: Final = 64
"""How many open files tasks may leave behind before their process is replaced."""

_SETTLING: Final = 0.05
"""Seconds that threads have to end after the task that started them."""


_STREAMS: Final = ("stdin", "stdout", "stderr", "excepthook", "displayhook")
_SIGNALS: Final = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


def _read_state() -> list[Any]:
    """What hardly any task changes."""
    mask = os.umask(0o077)
    os.umask(mask)
    return [
        *(getattr(sys, name) for name in _STREAMS),
        *map(signal.getsignal, _SIGNALS),
        signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        *(get() for get in (sys.gettrace, sys.getprofile, gc.isenabled)),
        *(sys.getrecursionlimit(), np.get_printoptions(), mp.prec, ctx.prec),
        *(mask, locale.setlocale(locale.LC_ALL)),
        os.sched_getaffinity(0) if sys.platform == "linux" else None,
    ]


class Baseline:
    """The state of this process when it is as it should be."""

    def __init__(self) -> None:
        self._environment, self._path = dict(os.environ), list(sys.path)
        self._state = _read_state()
        self._builtins = {it: value for it, value in vars(builtins).items() if _is_code(value)}
        self._modules: dict[str, types.ModuleType] = {}
        self._watched: list[tuple[Any, dict[str, Any], list[Any]]] = []
        tables: tuple[dict[Any, Any], ...] = PRIMITIVES, UFUNCS
        self._tables = [(table, dict(table)) for table in tables]
        self._threads = threading.active_count()
        self._files = _open_files()
        self._meet_modules()

    def prepare(self) -> None:
        """Random numbers are the same for every task, whatever ran before it."""
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002  # what tasks may draw from

    def restore(self, most_memory: int | None) -> bool:
        """Put back what a task changed; whether this process is fit for another.

        Parameters
        ----------
        most_memory : int or None
            Bytes beyond which what tasks left in memory is too much.
        """
        found = builtins.__dict__.copy()
        builtins.__dict__.update(self._builtins)
        for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
            signal.setitimer(timer, 0)
        if os.environ != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        # A module that stays imported may import its neighbours later; but it shadows nothing.
        more = (folder for folder in sys.path if folder not in self._path)
        sys.path[:] = [*self._path, *dict.fromkeys(more)]
        patched = any(found.get(name) is not it for name, it in self._builtins.items())
        unfit = patched or any(self._iterate_changes()) or any(self._left_over(most_memory))
        self._meet_modules()
        return not unfit

    def _iterate_changes(self) -> Iterator[bool]:
        yield _read_state() != self._state
        yield any(sys.modules.get(name) is not module for name, module in self._modules.items())
        yield any(_is_replaced(*one) for one in self._watched)
        for table, rows in self._tables:
            yield any(table.get(key) is not row for key, row in rows.items())

    def _left_over(self, most_memory: int | None) -> Iterator[bool]:
        yield _has_children()
        yield not _are_threads_ended(self._threads)
        yield _open_files() > self._files + _FILES_LEFT_OPEN
        yield most_memory is not None and _resident() > most_memory

    def _meet_modules(self) -> None:
        """Note what was imported since; it stays, so that it need not be imported again."""
        if len(sys.modules) == len(self._modules):
            return
        for name, module in list(sys.modules.items()):
            if name not in self._modules:
                self._modules[name] = module
                if name.partition(".")[0] in _OURS:
                    self._watch(module)
                    for value in vars(module).values():
                        if isinstance(value, type) and value.__module__ == name:
                            self._watch(value)
                elif name in _OTHERS:
                    self._watch(module)
        for table, rows in self._tables:
            rows.update({key: row for key, row in table.items() if key not in rows})

    def _watch(self, owner: Any) -> None:
        names = dict(vars(owner))
        self._watched.append((owner, names, [*names.values()]))


def _is_replaced(owner: Any, before: dict[str, Any], values: list[Any]) -> bool:
    """Whether a function or class is; other values are the caches and counts of their module."""
    now = vars(owner)
    try:
        if [*now.values()] == values:  # lists take identity as equality, in C
            return False
    except Exception:  # noqa: BLE001  # what compares objects that differ is not ours
        return True
    return any(now.get(name) is not it for name, it in before.items() if _is_code(it))


def _is_code(value: Any) -> bool:
    return callable(value) or isinstance(value, (classmethod, staticmethod, property))


def _has_children() -> bool:
    """Whether processes that a task started are still there; the ended ones are let go."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _are_threads_ended(threads: int) -> bool:
    """Whether no more threads run than did; those that are about to end have a moment."""
    deadline = time.monotonic() + _SETTLING
    while threading.active_count() > threads:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def _open_files() -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir("/dev/fd"))
    return 0


def _resident() -> int:
    with contextlib.suppress(OSError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0
