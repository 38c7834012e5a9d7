"""Ray: a cluster, through Ray's own client."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, Final

from verify.campaign.executors.process import Reply
from verify.campaign.executors.workers import ALWAYS, outcomes, perform, versions_here
from verify.campaign.limits import Setup
from verify.campaign.work import Outcome, Work
from verify.errors import LostWorkers, UsageError

_RETRIES: Final = 2
"""How often Ray runs a task again whose worker was lost."""

_LEAST_IN_FLIGHT: Final = 64


class RayExecutor:
    """The workers of a Ray cluster; of the present session, where there is one.

    Parameters
    ----------
    address : str, optional
        Of the cluster; by default one is started on this machine.
    setup : Setup, optional
        Of the processes below the workers.
    """

    def __init__(self, address: str | None = None, setup: Setup | None = None) -> None:
        self._address = address
        self._setup = setup or Setup()

    def outcomes(self, works: Iterable[Work], seconds: float) -> Iterator[Outcome]:
        """What came of each work, in the order in which they are done.

        Raises
        ------
        UsageError
            The cluster cannot be reached, or a worker has other versions than this process.
        LostWorkers
            The cluster is gone.
        """
        import ray

        _connect(self._address)
        task: Any = ray.remote(max_retries=_RETRIES)(perform)
        campaign = uuid.uuid4().hex

        def submit(work: Work, payload: bytes) -> Any:
            expected = versions_here([*ALWAYS, *work.packages])
            return task.remote(payload, seconds, self._setup, campaign, expected).future()

        in_flight = max(_LEAST_IN_FLIGHT, 4 * int(ray.cluster_resources().get("CPU", 1)))
        yield from outcomes(works, submit, _reply, in_flight)


def _connect(address: str | None) -> None:
    import ray

    if ray.is_initialized():
        return
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise UsageError(
            f"no Ray cluster answers at {address!r} ({type(error).__name__}: {error}). Start one "
            "with 'ray start --head', correct the address, or run here with the executor 'local'."
        ) from error


def _reply(future: Any) -> Reply:
    from ray import exceptions

    try:
        reply: Reply = future.result()
    except (exceptions.WorkerCrashedError, exceptions.NodeDiedError) as error:
        words = f"the Ray workers that ran the task died, one after the other: {error}"
        return Reply("", words, 0.0)
    except exceptions.RayTaskError as error:
        if isinstance(error.cause, UsageError):
            raise error.cause from error
        raise UsageError(
            f"a Ray worker cannot run symtape ({error.cause!r}); install it there as it is here"
        ) from error
    except exceptions.RayError as error:
        raise LostWorkers(
            f"the Ray cluster was lost ({type(error).__name__}: {error}). What was done is kept; "
            "resume the campaign when there are workers again."
        ) from error
    return reply
