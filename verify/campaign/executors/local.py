"""Processes of this machine, and this process itself."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from verify.campaign.executors import workers
from verify.campaign.executors.process import Reply
from verify.campaign.executors.setup import Setup
from verify.campaign.executors.submitting import outcomes
from verify.campaign.work import Outcome, Work


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
