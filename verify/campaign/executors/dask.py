"""Dask: a scheduler and workers on other machines, through Dask's own client."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any, Final

from verify.campaign.executors.process import Reply
from verify.campaign.executors.workers import (
    ALWAYS,
    cannot_run,
    differences,
    end,
    outcomes,
    perform,
    versions_here,
)
from verify.campaign.limits import Setup
from verify.campaign.work import Outcome, Work
from verify.errors import LostWorkers, UsageError

_CONNECTING: Final = 5.0
"""Seconds that a scheduler has to answer."""

_WITHOUT_WORKERS: Final = 60.0
"""Seconds that a scheduler may be without any worker."""

_LEAST_IN_FLIGHT: Final = 64


class DaskExecutor:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    scheduler : str or distributed.Client
        An address, as ``tcp://host:8786``; or a client, which stays open.
    setup : Setup, optional
        Of the processes below the workers.
    """

    def __init__(self, scheduler: Any, setup: Setup | None = None) -> None:
        self._scheduler = scheduler
        self._setup = setup or Setup()

    def outcomes(self, works: Iterable[Work], seconds: float) -> Iterator[Outcome]:
        """What came of each work, in the order in which they are done.

        Raises
        ------
        UsageError
            The scheduler cannot be reached, or a worker has other versions than this process.
        LostWorkers
            The scheduler is gone, or all workers are.
        """
        with _connect_client(self._scheduler) as client:
            session = _Session(client, self._setup, seconds)
            try:
                yield from outcomes(
                    works,
                    session.submit,
                    session.reply,
                    session.most_at_once(),
                    session.check,
                    # What nobody refers to is not run; to cancel would wait for the scheduler.
                    cancel=lambda future: None,
                )
            finally:
                session.close()


@contextlib.contextmanager
def _connect_client(scheduler: Any) -> Iterator[Any]:
    """A client of a scheduler; one that was made here is closed."""
    from distributed import Client

    if isinstance(scheduler, Client):
        yield scheduler
        return
    try:
        client: Any = Client(scheduler, timeout=_CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {scheduler!r} within {_CONNECTING:g} s "
            f"({type(error).__name__}: {error}). Start one with 'dask scheduler', correct the "
            "address (as in tcp://host:8786), or run here with the executor 'local'."
        ) from error
    try:
        yield client
    finally:
        client.close(timeout=_CONNECTING)


class _Session:
    """One campaign on one scheduler."""

    def __init__(self, client: Any, setup: Setup, seconds: float) -> None:
        self._client = client
        self._setup = setup
        self._seconds = seconds
        self._campaign = uuid.uuid4().hex
        self._expected: dict[str, str] = {}
        self._lonely_since: float | None = None

    def most_at_once(self) -> int:
        """Some for each thread of the workers, so that none waits for the way to and fro."""
        self._compare(ALWAYS)
        threads: int = sum(self._client.nthreads().values())
        return max(_LEAST_IN_FLIGHT, 4 * threads)

    def submit(self, work: Work, payload: bytes) -> Any:
        """A future of Dask's."""
        if unknown := set(work.packages) - self._expected.keys():
            self._compare(unknown)
        expected = {name: self._expected[name] for name in (*ALWAYS, *work.packages)}
        given = payload, self._seconds, self._setup, self._campaign, expected
        return self._client.submit(perform, *given, pure=False)

    def _compare(self, names: Iterable[str]) -> None:
        """The versions on all workers with those here."""
        expected = versions_here(sorted(names))
        with self._explain_loss():
            found = self._client.run(versions_here, sorted(names), on_error="return")
        if not found:
            raise UsageError(
                f"the Dask scheduler {self._address} has no workers; start some with "
                f"'dask worker {self._address}'"
            )
        for worker, versions in found.items():
            if isinstance(versions, BaseException):
                raise cannot_run(worker, versions) from versions
        if words := differences(found, expected):
            raise UsageError(words)
        self._expected |= expected

    def reply(self, future: Any) -> Reply:
        """What a future that is done says."""
        from distributed import KilledWorker

        try:
            with self._explain_loss():
                reply: Reply = future.result()
        except KilledWorker as error:
            words = f"the Dask workers that ran the task died, one after the other: {error}"
            return Reply("", words, 0.0)
        except UsageError:
            raise
        except Exception as error:  # of a worker: told as what it cannot do
            raise cannot_run("a worker", error) from error
        return reply

    def check(self) -> None:
        """See whether the scheduler is there, and has workers."""
        with self._explain_loss():
            if self._client.status in ("closing", "closed"):
                raise OSError("the client was closed")
            if self._client.nthreads():
                self._lonely_since = None
                return
        self._lonely_since = self._lonely_since or time.monotonic()
        if time.monotonic() - self._lonely_since > _WITHOUT_WORKERS:
            raise LostWorkers(
                f"the Dask scheduler {self._address} has had no workers for {_WITHOUT_WORKERS:g} s."
                f" {_KEPT}"
            )

    def close(self) -> None:
        """End the processes of this campaign below the workers."""
        with contextlib.suppress(Exception, CancelledError):
            if self._client.status == "running":
                self._client.run(end, self._campaign, on_error="ignore")

    @contextlib.contextmanager
    def _explain_loss(self) -> Iterator[None]:
        """A scheduler that is lost is told in words."""
        try:
            yield
        except (OSError, CancelledError) as error:
            raise LostWorkers(
                f"the connection to the Dask scheduler {self._address} was lost "
                f"({type(error).__name__}). {_KEPT}"
            ) from error

    @property
    def _address(self) -> str:
        scheduler = self._client.scheduler
        return str(scheduler.address) if scheduler else "(closed)"


_KEPT: Final = "The answers so far are saved; resume the campaign when there are workers again."
