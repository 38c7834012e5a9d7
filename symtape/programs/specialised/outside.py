"""What a function does beside computing: clocks, files, the terminal, sources of chance."""

from __future__ import annotations

import builtins
import gc
import io
import logging
import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Collection, Sequence
from types import FrameType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.reading.origin import root_package, whose

_CLOCKS: Final = (
    *("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns"),
    *("process_time", "process_time_ns", "thread_time", "thread_time_ns"),
)
_OF_SYSTEM: Final = (
    *("urandom", "getrandom", "stat", "lstat", "listdir", "scandir", "open", "remove", "unlink"),
    *("rename", "replace", "mkdir", "rmdir", "write", "read", "system", "getpid"),
)
_DATES: Final = frozenset(("now", "today", "utcnow"))
_FILES: Final = io.TextIOWrapper, io.BufferedIOBase, io.RawIOBase
_OF_FILES: Final = frozenset(("read", "readline", "readlines", "write", "writelines"))

_WATCHED: Final[frozenset[Callable[..., Any]]] = frozenset(
    [getattr(time, name) for name in _CLOCKS]
    + [getattr(os, name) for name in _OF_SYSTEM if hasattr(os, name)]
    + [builtins.print, builtins.open, builtins.input, io.open]
    + [gc.get_objects, gc.collect, sys._getframe]
)

_IN_PYTHON: Final = frozenset(
    (
        *(
            f"numpy.{name}"
            for name in ("load", "loadtxt", "genfromtxt", "save", "savez", "savetxt")
        ),
        *("threading.enumerate", "threading.active_count", "asyncio.runners.run"),
    )
)
_GENERATORS: Final[tuple[Any, ...]] = (
    *(np.random.default_rng, np.random.RandomState, np.random.SeedSequence, random.Random),
    *(np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64),
)


def meets_outside(called: Any, seeds: Collection[Any] = ()) -> bool:
    """Whether a call does more than to compute: it reads a clock or a file, writes, or prints.

    Parameters
    ----------
    called : callable
    seeds : collection
        What it is given, of which a generator of random numbers starts.

    Examples
    --------
    >>> meets_outside(time.time), meets_outside(print), meets_outside(np.sin)
    (True, True, False)
    >>> meets_outside(np.random.default_rng), meets_outside(np.random.default_rng, [0])
    (True, False)
    """
    if isinstance(called, FunctionType):
        return root_package(called.__module__) == "logging" or (
            f"{called.__module__}.{called.__qualname__}" in _IN_PYTHON
        )
    if any(called is one for one in _GENERATORS):
        return all(seed is None for seed in seeds)
    holder = getattr(called, "__self__", None)
    if isinstance(holder, _FILES):
        return called.__name__ in _OF_FILES
    if isinstance(holder, type):
        dates = holder.__module__ == "datetime" and called.__name__ in _DATES
        return dates or called.__name__ == "__subclasses__"
    return isinstance(holder, ModuleType) and called in _WATCHED


def is_silent(called: FunctionType, args: Sequence[Any]) -> bool:
    """Whether a call asks a log for a line that the log leaves out at its level.

    Examples
    --------
    >>> log = logging.getLogger("example")
    >>> is_silent(logging.Logger.debug, [log]), is_silent(logging.Logger.error, [log])
    (True, False)
    """
    if root_package(called.__module__) != "logging":
        return False
    log = args[0] if args and isinstance(args[0], logging.Logger) else logging.root
    level = logging.getLevelNamesMapping().get(called.__name__.upper())
    return level is not None and not log.isEnabledFor(level)


def place(frame: FrameType | None) -> str:
    """The line of users' on whose behalf something is called; empty if it is on that of others."""
    while frame is not None:
        scope = frame.f_globals
        owner = whose(scope)
        if str(scope.get("__name__")).startswith("importlib"):
            return ""
        if owner == "user":
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def random_states() -> tuple[bytes, Any]:
    """Where the generators are that everyone shares."""
    return pickle.dumps(np.random.get_state()), random.getstate()  # noqa: NPY002 -- users' own
