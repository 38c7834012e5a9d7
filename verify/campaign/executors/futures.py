"""Any ``concurrent.futures.Executor``: of processes, of threads, of MPI ranks."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Final

from verify.campaign.executors import workers
from verify.campaign.executors.process import Reply
from verify.campaign.executors.setup import Setup
from verify.campaign.executors.submitting import outcomes
from verify.campaign.executors.workers import ALWAYS, perform, versions_here
from verify.campaign.work import Outcome, Work
from verify.errors import LostWorkers, UsageError

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
