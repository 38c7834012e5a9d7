"""Workers: measurements in other processes, which a library that does not end cannot hold up."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from verify.audit.claimants import claimant
from verify.audit.entries import Entry, name_of
from verify.audit.functions import FUNCTIONS
from verify.audit.measuring import measure
from verify.model.verdict import Verdict

PATIENCE: Final = 120.0
"""Seconds that one measurement may take before its process is ended."""


@dataclass(frozen=True, slots=True)
class Task:
    """One measurement to make."""

    claimant: str
    function: str
    wrt: tuple[int, ...]
    format: str
    points: int
    seed: int

    @property
    def name(self) -> str:
        """What a progress line says."""
        return f"{self.function} {self.format}"

    def run(self) -> Entry:
        """Measure, in this process."""
        function = FUNCTIONS[self.function]
        library = claimant(self.claimant)
        return measure(library, function, self.wrt, self.format, self.points, self.seed)

    def given_up(self, words: str) -> Entry:
        """The entry where there was no answer."""
        function = FUNCTIONS[self.function]
        return Entry(
            function=self.function,
            expression=function.spelled(self.claimant),
            derivative=name_of(self.wrt, function.is_binary),
            format=self.format,
            verdict=Verdict.UNDECIDED,
            note=words,
        )


def entries(
    tasks: Sequence[Task], jobs: int, patience: float = PATIENCE
) -> Iterator[tuple[Task, Entry]]:
    """The entry of each task, in the order in which they are done.

    Parameters
    ----------
    tasks : sequence of Task
    jobs : int
        Processes; 0 measures in this one, without a limit of time.
    patience : float
        Seconds for one task.
    """
    if not jobs:
        yield from ((task, task.run()) for task in tasks)
        return
    pool = _Pool(list(tasks), min(jobs, max(len(tasks), 1)), patience)
    try:
        yield from pool.work()
    finally:
        pool.end()


class _Pool:
    """Processes, the task of each, and when it began."""

    def __init__(self, tasks: list[Task], jobs: int, patience: float) -> None:
        self._waiting = tasks[::-1]
        self._patience = patience
        self._busy: dict[Connection, tuple[Any, Task, float]] = {}
        self._context = multiprocessing.get_context("spawn")
        for _ in range(jobs):
            self._start()

    def work(self) -> Iterator[tuple[Task, Entry]]:
        """Hand out tasks until none are left."""
        while self._busy:
            yield from self._ended()
            for ready in wait(list(self._busy), timeout=1.0):
                assert isinstance(ready, Connection)
                process, task, _ = self._busy.pop(ready)
                try:
                    entry = ready.recv()
                except EOFError:
                    yield task, task.given_up("not available: the process that asked it crashed")
                    self._start()
                else:
                    yield task, entry
                    self._send(process, ready)

    def _ended(self) -> Iterator[tuple[Task, Entry]]:
        """Those that took too long."""
        now = time.monotonic()
        for line, (process, task, since) in list(self._busy.items()):
            if now - since > self._patience:
                process.kill()
                del self._busy[line]
                words = f"not available: no answer within {self._patience:g} seconds"
                yield task, task.given_up(words)
                self._start()

    def _start(self) -> None:
        if not self._waiting:
            return
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        self._send(process, ours)

    def _send(self, process: Any, line: Connection) -> None:
        if not self._waiting:
            line.close()
            return
        task = self._waiting.pop()
        line.send(task)
        self._busy[line] = (process, task, time.monotonic())

    def end(self) -> None:
        """Let no process live on."""
        for process, _, _ in self._busy.values():
            process.kill()


def _serve(line: Connection) -> None:
    """Answer tasks until nobody asks."""
    while True:
        try:
            line.send(line.recv().run())
        except (EOFError, BrokenPipeError, KeyboardInterrupt):
            return
