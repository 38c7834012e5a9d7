"""Processes that end with the one that started them, whatever they do at that time.

A thread that waits for the parent's end does not run while C code holds the interpreter, and a
signal handler of Python's neither. The kernel needs no interpreter: it signals the owner of a pipe
whose other end is closed, as it is when a process ends in whichever way.
"""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import sys


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
