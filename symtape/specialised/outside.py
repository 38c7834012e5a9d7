"""What a function does beside computing: clocks, files, the terminal, sources of chance."""

from __future__ import annotations

import builtins
import io
import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any, Final, Self

import numpy as np

from symtape.reading.origin import whose

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
    + [builtins.print, builtins.open, builtins.input]
)


_PURE: Final = frozenset(
    (
        *("", "abc", "builtins", "cmath", "collections", "contextlib", "copy", "dataclasses"),
        *("decimal", "enum", "fractions", "functools", "itertools", "math", "numbers", "numpy"),
        *("operator", "re", "scipy", "statistics", "string", "types", "typing", "warnings"),
        "weakref",
    )
)
"""Packages that compute, with few exceptions, which are among the words."""

_WORDS: Final = (sys.stdlib_module_names - _PURE) | {
    *("print", "open", "input", "default_rng", "RandomState", "SeedSequence", "memmap"),
    *("load", "loadtxt", "genfromtxt", "fromfile", "save", "savez", "savetxt", "tofile"),
}


def may_meet(words: Iterable[str]) -> bool:
    """Whether code with these names in it may meet the outside.

    Examples
    --------
    >>> may_meet({"np", "sum"}), may_meet({"np", "loadtxt"})
    (False, True)
    """
    return not _WORDS.isdisjoint(words)


def leads_out(value: Any) -> bool:
    """Whether something that code names is of a library which may do more than to compute.

    Examples
    --------
    >>> leads_out(time.time), leads_out(np.sin), leads_out(io.StringIO())
    (True, False, True)
    """
    named = isinstance(value, type | ModuleType | FunctionType | BuiltinFunctionType)
    of = value if named else type(value)
    name = str(of.__name__ if isinstance(of, ModuleType) else of.__module__ or "")
    if name.partition(".")[0] in _PURE:
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return whose({"__name__": name, "__file__": file}) == "library"


class Watch:
    """While it is entered, notes the first call by which a function of users' meets the outside.

    What libraries do on behalf of users' code counts, what symtape does and imports do not. Under
    a profiler, which is told of calls instead, it notes nothing.

    Parameters
    ----------
    closely : bool
        Whether calls are looked at, which takes as long as to record; if not, only whether random
        numbers were drawn.

    Attributes
    ----------
    noted : str
        In words, with the line; empty if there was none.

    Examples
    --------
    >>> def f():
    ...     return time.time() > 0
    >>> f.__globals__["__name__"] = "example"  # a module of users'
    >>> with Watch(closely=True) as watch:
    ...     f()
    True
    >>> watch.noted.partition(" at ")[0]
    'calls time'
    """

    def __init__(self, closely: bool) -> None:
        self.noted = ""
        self._set = closely and sys.getprofile() is None
        self._drawn = _random_states()

    def __enter__(self) -> Self:
        if self._set:
            sys.setprofile(self._told)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._set:
            sys.setprofile(None)
        if not self.noted and _random_states() != self._drawn:
            self.noted = "draws random numbers"

    def _told(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and not self.noted and _meets_outside(called):
            place = _place(frame)
            if place:
                self.noted = f"calls {called.__name__} at {place}"


def _meets_outside(called: Any) -> bool:
    holder = getattr(called, "__self__", None)
    if isinstance(holder, _FILES):
        return called.__name__ in _OF_FILES
    if isinstance(holder, type):
        return holder.__module__ == "datetime" and called.__name__ in _DATES
    return isinstance(holder, ModuleType) and called in _WATCHED


def _place(frame: FrameType | None) -> str:
    """The line of users' on whose behalf something is called; empty if it is on that of others."""
    while frame is not None:
        scope = frame.f_globals
        owner = whose(scope)
        if owner == "ours" or str(scope.get("__name__")).startswith("importlib"):
            return ""
        if owner == "user":
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def _random_states() -> tuple[bytes, Any]:
    """Where the generators are that everyone shares."""
    return pickle.dumps(np.random.get_state()), random.getstate()  # noqa: NPY002 -- users' own
