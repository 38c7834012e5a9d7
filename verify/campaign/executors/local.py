"""Processes of this machine, pools of somebody else's, and this process itself."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Final

from verify.campaign.executors import workers
from verify.campaign.executors.process import Reply
from verify.campaign.executors.workers import ALWAYS, outcomes, perform, versions_here
from verify.campaign.limits import Setup
from verify.campaign.work import Outcome, Work
from verify.errors import LostWorkers, UsageError


class LocalExecutor:
    """Processes of this machine, each of which takes one task after the other.

    Parameters
    ----------
    jobs : int, optional
        How many; by default one a core.
    setup : Setup, optional
    """

    def __init__(self, jobs: int | None = None, setup: Setup | None = None) -> None:
        self._jobs = jobs or os.cpu_count() or 1
        self._setup = setup or Setup()

    def __repr__(self) -> str:
        return f"LocalExecutor(jobs={self._jobs})"

    def outcomes(self, works: Iterable[Work], seconds: float) -> Iterator[Outcome]:
        """What came of each work, in the order in which they are done."""
        campaign = uuid.uuid4().hex
        pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="symtape-campaign")

        def submit(work: Work, payload: bytes) -> Future[Reply]:
            return pool.submit(workers.perform, payload, seconds, self._setup, campaign, {})

        try:
            # One more than there are processes waits, so that none waits for it to be drawn.
            yield from outcomes(works, submit, Future.result, self._jobs + 1)
        finally:
            workers.end(campaign)
            pool.shutdown(cancel_futures=True)


class InThisProcess:
    """The process of the caller, where a debugger can follow; without isolation and limits."""

    def outcomes(self, works: Iterable[Work], seconds: float) -> Iterator[Outcome]:
        """What came of each work, in order."""
        for work in works:
            start = time.perf_counter()
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    text, ended = work.run(seconds), ""
            except Exception as error:  # noqa: BLE001  # the other works go on
                ended = f"the task raised {type(error).__name__}: {error}"
                text = work.describe_end(ended)
            yield Outcome(work.key, text, ended, time.perf_counter() - start)


_WORKERS: Final = 32
"""How many workers a pool has that does not say so."""


class FuturesExecutor:
    """A pool that somebody else made, and shuts down.

    Parameters
    ----------
    pool : concurrent.futures.Executor
    setup : Setup, optional
        Of the processes below its workers.
    """

    def __init__(self, pool: Executor, setup: Setup | None = None) -> None:
        self._pool = pool
        self._setup = setup or Setup()

    def outcomes(self, works: Iterable[Work], seconds: float) -> Iterator[Outcome]:
        """What came of each work, in the order in which they are done.

        Raises
        ------
        LostWorkers
            The pool is broken or shut down.
        UsageError
            A worker has other versions than this process.
        """
        campaign = uuid.uuid4().hex

        def submit(work: Work, payload: bytes) -> Future[Reply]:
            expected = versions_here([*ALWAYS, *work.packages])
            given = payload, seconds, self._setup, campaign, expected
            try:
                return self._pool.submit(perform, *given)
            except RuntimeError as error:
                raise LostWorkers(_LOST.format(self._name, error)) from error

        in_flight = 2 * int(getattr(self._pool, "num_workers", _WORKERS))
        try:
            yield from outcomes(works, submit, self._reply, in_flight)
        finally:
            workers.end(campaign)  # where the pool is one of threads

    def _reply(self, future: Future[Reply]) -> Reply:
        try:
            return future.result()
        except (BrokenExecutor, CancelledError) as error:
            raise LostWorkers(_LOST.format(self._name, error or type(error).__name__)) from error
        except UsageError:
            raise
        except Exception as error:  # of a worker: told as what it cannot do
            raise workers.cannot_run(f"a worker of {self._name}", error) from error

    @property
    def _name(self) -> str:
        return type(self._pool).__name__


_LOST: Final = (
    "the pool of workers ({}) is gone: {}. "
    "The answers so far are saved; resume the campaign with a new pool."
)
