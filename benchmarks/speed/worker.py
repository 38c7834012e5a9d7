"""A process in which one engine is prepared and timed, so that none disturbs another's threads."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import time
import tracemalloc
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.speed.engines import ENGINES, NotHad, Prepared
from benchmarks.speed.workloads import WORKLOADS

__all__ = ["Worker"]

ROUND = 0.02
"""CPU seconds that an engine takes in a round."""


def spent() -> float:
    """CPU seconds of this process, all its threads, and the compilers that it ran."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def prepare(engine: str, workload: str) -> tuple[Prepared, float, list[Any]]:
    """What is ready, the seconds that it took, and its first results."""
    started = spent()
    prepared = ENGINES[engine].prepare(WORKLOADS[workload])
    result = prepared.call()
    return prepared, spent() - started, prepared.arrays(result)


def mean_seconds(call: Callable[[], Any], repeats: int) -> float:
    """CPU seconds of a call, the mean of some."""
    started = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - started) / repeats


def repeats_for(call: Callable[[], Any]) -> int:
    """So many that a round takes its time."""
    repeats = 1
    while repeats < 1_000_000:
        seconds = mean_seconds(call, repeats)
        if seconds * repeats > ROUND / 10:
            return max(1, round(ROUND / seconds))
        repeats *= 10
    return repeats


def peak_of(call: Callable[[], Any]) -> int:
    """The most bytes that a call held at once."""
    call()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def serve(connection: Connection, engine: str) -> None:
    """Answer what the parent asks, one thing at a time, until it closes."""
    warnings.simplefilter("ignore")
    prepared: Prepared | None = None
    repeats = 1
    # It imports and starts what the engine needs; what fails here is said where it is asked.
    with contextlib.suppress(Exception):
        prepare(engine, "tiny Hessian")
    while True:
        try:
            task, workload = connection.recv()
        except EOFError:
            return
        try:
            if task == "prepare":
                prepared, seconds, arrays = prepare(engine, workload)
                repeats = repeats_for(prepared.call)
                answer: Any = (seconds, arrays)
            elif prepared is None:
                answer = NotHad("not prepared")
            else:
                timed = task == "time"
                answer = mean_seconds(prepared.call, repeats) if timed else peak_of(prepared.call)
        except NotHad as reason:
            answer = reason
        except Exception as error:  # noqa: BLE001  # of any engine, a note in the table
            answer = NotHad(f"failed: {type(error).__name__}: {str(error)[:200]}")
        connection.send(answer)


def _serve_in_session(connection: Connection, engine: str) -> None:
    """As :func:`serve`, in a session of its own, so that a compiler that it starts ends with it."""
    if hasattr(os, "setsid"):
        os.setsid()
    serve(connection, engine)


def kill_session(leader: int) -> None:
    """Kill a process that began a session, and all others of it; nothing where it has not yet."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)


class Worker:
    """The parent's end of a process that serves one engine."""

    def __init__(self, engine: str, limit: float) -> None:
        self.engine, self.limit = engine, limit
        self.process: Any = None

    def ask(self, task: str, workload: str) -> Any:
        """The answer; :class:`NotHad` is raised, also where it takes longer than the limit."""
        if self.process is None:
            self.start()
        self.connection.send((task, workload))
        if not self.connection.poll(self.limit):
            self.stop()
            raise NotHad(f"over {self.limit:.0f} s")
        try:
            answer = self.connection.recv()
        except EOFError:
            self.stop()
            raise NotHad("the process ended") from None
        if isinstance(answer, NotHad):
            raise answer
        return answer

    def start(self) -> None:
        """A fresh process, of one thread where that can be said."""
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[variable] = "1"
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve_in_session, args=(theirs, self.engine), daemon=True
        )
        self.process.start()
        theirs.close()

    def stop(self) -> None:
        """End the process, whatever it does, and what it started."""
        if self.process is not None:
            kill_session(self.process.pid)
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None
