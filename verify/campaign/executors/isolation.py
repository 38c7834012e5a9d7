"""Isolation: what a task changed in its process is put back, before the next one runs there.

What cannot be put back, or is found to be left over, makes the process unfit: it is replaced.
"""

from __future__ import annotations

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import PRIMITIVES, UFUNCS

_OURS: Final = ("symtape", "verify")
"""Packages whose functions and classes are put back where a task has replaced them."""

_OTHERS: Final = ("builtins", "math", "numpy")
"""Further modules of which the same holds."""

_FILES_LEFT_OPEN: Final = 64
"""How many open files tasks may leave behind before their process is replaced."""

_SETTLING: Final = 0.05
"""Seconds that threads have to end after the task that started them."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the state of a process: how to read it, and how to put it back."""

    get: Callable[[], Any]
    put: Callable[[Any], Any]


def _put_environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)


def _put_path(before: list[str]) -> None:
    # A module that stays imported may import its neighbours later; but it shadows nothing.
    sys.path[:] = [*before, *dict.fromkeys(p for p in sys.path if p not in before)]


_STREAMS: Final = ("argv", "stdin", "stdout", "stderr", "excepthook", "displayhook")


def _streams() -> list[Any]:
    return [getattr(sys, name) for name in _STREAMS]


def _put_streams(before: list[Any]) -> None:
    for name, value in zip(_STREAMS, before, strict=True):
        setattr(sys, name, value)


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in _SIGNALS}


def _put_handlers(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


_SIGNALS: Final = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _resource_limits() -> dict[int, tuple[int, int]]:
    import resource

    return {which: resource.getrlimit(which) for which in _RESOURCES}


def _put_resource_limits(before: dict[int, tuple[int, int]]) -> None:
    import resource

    for which, limit in before.items():
        if resource.getrlimit(which) != limit:
            resource.setrlimit(which, limit)


def _resources() -> list[int]:
    import resource

    return sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})


_RESOURCES: Final = _resources()


def _precisions() -> dict[str, int]:
    """Of the arithmetics that verdicts are computed in, as far as they are loaded."""
    contexts = _contexts()
    return {name: context.prec for name, context in contexts.items()}


def _put_precisions(before: dict[str, int]) -> None:
    for name, context in _contexts().items():
        if name in before:
            context.prec = before[name]


def _contexts() -> dict[str, Any]:
    known = (("mpmath", "mp"), ("flint", "ctx"))
    return {
        module: getattr(sys.modules[module], name)
        for module, name in known
        if hasattr(sys.modules.get(module), name)
    }


def _put_affinity(before: set[int]) -> None:
    os.sched_setaffinity(0, before)


_PARTS: Final = (
    _Part(lambda: dict(os.environ), _put_environment),
    _Part(lambda: list(sys.path), _put_path),
    _Part(_streams, _put_streams),
    _Part(sys.getrecursionlimit, sys.setrecursionlimit),
    _Part(sys.getswitchinterval, sys.setswitchinterval),
    _Part(sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    _Part(sys.gettrace, sys.settrace),
    _Part(sys.getprofile, sys.setprofile),
    _Part(gc.isenabled, lambda before: gc.enable() if before else gc.disable()),
    _Part(gc.get_threshold, lambda before: gc.set_threshold(*before)),
    _Part(_handlers, _put_handlers),
    _Part(
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        lambda before: signal.pthread_sigmask(signal.SIG_SETMASK, before),
    ),
    _Part(_umask, os.umask),
    _Part(
        lambda: locale.setlocale(locale.LC_ALL),
        lambda before: locale.setlocale(locale.LC_ALL, before),
    ),
    _Part(
        lambda: os.getpriority(os.PRIO_PROCESS, 0),
        lambda before: os.setpriority(os.PRIO_PROCESS, 0, before),
    ),
    _Part(_resource_limits, _put_resource_limits),
    _Part(np.get_printoptions, lambda before: np.set_printoptions(**before)),
    _Part(_precisions, _put_precisions),
    *((_Part(lambda: os.sched_getaffinity(0), _put_affinity),) if sys.platform == "linux" else ()),
)


class _Guarded(types.ModuleType):
    """A module that keeps what was there before a name of it was set from outside."""

    def __setattr__(self, name: str, value: Any) -> None:
        _keep(self, name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        _keep(self, name)
        super().__delattr__(name)


_replaced: dict[tuple[types.ModuleType, str], Any] = {}
"""Functions and classes that were set from outside since the last task."""


def _keep(module: types.ModuleType, name: str) -> None:
    if _is_code(before := vars(module).get(name)):
        _replaced.setdefault((module, name), before)


class Baseline:
    """The state of this process when it is as it should be."""

    def __init__(self) -> None:
        self._state = [(part, part.get()) for part in _PARTS]
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
        with contextlib.suppress(AttributeError):
            for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
                signal.setitimer(timer, 0)
        restored = not [part for part, before in self._state if not _restored(part, before)]
        self._restore_modules()
        self._restore_bindings()
        self._meet_modules()
        return restored and not any(self._left_over(most_memory))

    def _left_over(self, most_memory: int | None) -> Iterator[bool]:
        yield _has_children()
        yield not _settled(self._threads)
        yield _open_files() > self._files + _FILES_LEFT_OPEN
        yield most_memory is not None and _resident() > most_memory

    def _restore_modules(self) -> None:
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module

    def _restore_bindings(self) -> None:
        for (module, name), value in _replaced.items():
            vars(module)[name] = value
        _replaced.clear()
        for owner, before, values in self._watched:
            if not _same([*vars(owner).values()], values):
                _rebind(owner, before)
        for table, rows in self._tables:
            for key, row in rows.items():
                if table.get(key) is not row:
                    table[key] = row

    def _meet_modules(self) -> None:
        """Note what was imported since; it stays, so that it need not be imported again."""
        if len(sys.modules) == len(self._modules):
            return
        for name, module in list(sys.modules.items()):
            if name not in self._modules:
                self._modules[name] = module
                if name.partition(".")[0] in _OURS:
                    self._meet(module)
                elif name in _OTHERS:
                    self._watch(module)
        for table, rows in self._tables:
            rows.update({key: row for key, row in table.items() if key not in rows})

    def _meet(self, module: types.ModuleType) -> None:
        """Guard a module of ours, and compare its classes, which cannot be guarded."""
        if type(module) is types.ModuleType:
            module.__class__ = _Guarded
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                self._watch(value)

    def _watch(self, owner: Any) -> None:
        names = dict(vars(owner))
        self._watched.append((owner, names, [*names.values()]))


def _restored(part: _Part, before: Any) -> bool:
    """Whether a part of the state is as it was, or can be put back."""
    try:
        if part.get() != before:
            part.put(before)
    except Exception:  # noqa: BLE001  # whatever it is, the process is replaced
        return False
    return True


def _same(now: list[Any], before: list[Any]) -> bool:
    """Whether all are the same objects; comparing lists takes identity as equality, in C."""
    try:
        return now == before
    except Exception:  # noqa: BLE001  # what compares objects that differ is not ours
        return False


def _rebind(owner: Any, before: dict[str, Any]) -> None:
    """Put back functions and classes; other values are the caches and counts of their module."""
    now = vars(owner)
    for name, value in before.items():
        if name not in now or (now[name] is not value and _is_code(value)):
            with contextlib.suppress(AttributeError, TypeError):
                setattr(owner, name, value)


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


def _settled(threads: int) -> bool:
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
