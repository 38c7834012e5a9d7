"""Worker processes: calls under a limit of time, which none of them can hold up or end.

For what no exception stops, a loop in compiled code above all, and what may end its process. They
are plain calls with an answer of any kind. The tasks of a campaign, which must leave no trace for
each other and may cross to other machines, have processes of their own
(:mod:`verify.campaign.executors`).

Processes that end with the one that started them, whatever they do at that time. A thread that
waits for the parent's end does not run while C code holds the interpreter, and a signal handler of
Python's neither. The kernel needs no interpreter: it signals the owner of a pipe whose other end is
closed, as it is when a process ends in whichever way.
"""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from typing import Any


def call_in_processes(
    call: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    jobs: int | None,
    seconds: float,
    within: float | None = None,
    method: str = "spawn",
) -> Iterator[tuple[int, Future[Any]]]:
    """What becomes of each call, by its number, in the order in which they are done.

    Parameters
    ----------
    call : callable
    arguments : sequence of tuple
        Of each call.
    jobs : int or None
        Processes; by default one a core.
    seconds : float
        For one call, whose process is then ended.
    within : float, optional
        Seconds for all of them.
    method : {"spawn", "fork"}
        How processes are started; a fork has all that this one holds.

    Raises
    ------
    TimeoutError
        Not all are done `within` so many seconds.
    """
    from pebble import ProcessPool

    pool = ProcessPool(
        max_workers=max(1, min(jobs or os.cpu_count() or 1, len(arguments))),
        initializer=_begin,
        context=multiprocessing.get_context(method),
    )
    try:
        waiting: dict[Future[Any], int] = {
            pool.schedule(call, args=given, timeout=seconds): number
            for number, given in enumerate(arguments)
        }
        for future in as_completed(waiting, timeout=within):
            yield waiting[future], future
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


def _begin() -> None:
    """What user code prints must not mix with the output, and nothing outlives who asked for it."""
    end_with_parent()
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(null, 1)
    os.dup2(null, 2)
    warnings.simplefilter("ignore")


def end_with(pipe: int, owner: int) -> None:
    """Kill a process or a group of them when the other end of a pipe is closed; only on Linux.

    Parameters
    ----------
    pipe : int
        Descriptor of its end for reading, in the calling process. Nothing may be written to it.
    owner : int
        What is killed: a process, or a group by its negative number.
    """
    if sys.platform != "linux":
        return
    import fcntl

    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)  # no task can block or handle it
    fcntl.fcntl(pipe, fcntl.F_SETOWN, owner)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([pipe], [], [], 0)[0]:  # closed before it was asked for
        os.kill(owner, signal.SIGKILL)


def end_with_parent() -> None:
    """Kill this process, which `multiprocessing` started, when its parent is no more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        end_with(parent.sentinel, os.getpid())
