"""Executors: where the works of a campaign run, under which isolation and limits.

Each gives outcomes in the order in which they are done, draws works as it has room for them, and
raises nothing for what a task does. On every one of them, a task runs in a process of its own kind
(`child`), below the worker that has it (`process`), which puts back what the task changed
(`isolation`).
"""

from __future__ import annotations

import concurrent.futures
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol, runtime_checkable

from verify.campaign.limits import Limits, Setup, parse_bytes
from verify.campaign.work import Outcome, Work
from verify.errors import UsageError

NAMES: Final = ("local", "dask", "ray")


@runtime_checkable
class Executor(Protocol):
    """Where works run."""

    def outcomes(self, works: Iterable[Work], seconds: float) -> Iterator[Outcome]:
        """What came of each work, in the order in which they are done.

        Parameters
        ----------
        works : iterable of Work
            Drawn as there is room for them.
        seconds : float
            The budget of each.

        Raises
        ------
        UsageError
            The workers cannot be used, or, as `LostWorkers`, are no more; never for what a task
            does.
        """
        ...


def executor_of(
    name: Any = "local",
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    memory: str | int | None = None,
    output: str | int | None = None,
) -> Executor:
    """The executor that a name or a pool means.

    Parameters
    ----------
    name : str, concurrent.futures.Executor, distributed.Client or Executor
        ``local``, ``dask`` or ``ray``; or a pool that the caller made, and shuts down.
    jobs : int, optional
        Processes of the local executor, by default one a core; 0 runs tasks in this process,
        where nothing is isolated.
    scheduler : str, optional
        The address of a Dask scheduler or a Ray cluster.
    memory : str or int, optional
        Most that a task may hold, as ``2 GiB``.
    output : str or int, optional
        Largest file, and largest answer, that a task may write; 1 GiB by default.

    Raises
    ------
    UsageError
        There is no such executor, or it lacks an argument or its package.

    Examples
    --------
    >>> executor_of(jobs=2)
    LocalExecutor(jobs=2)
    """
    setup = Setup(_limits(memory, output))
    if not isinstance(name, str):
        return _wrap_pool(name, setup)
    if name not in NAMES:
        raise UsageError(
            f"executor={name!r} is unknown; expected one of {', '.join(NAMES)}, or a pool"
        )
    if name == "local":
        return _local(jobs, scheduler, setup)
    if jobs is not None:
        raise UsageError(
            f"jobs={jobs} is for the executor 'local'; the workers of {name!r} say how many run"
        )
    _require("distributed" if name == "dask" else name, name)
    if name == "ray":
        from verify.campaign.executors.ray import RayExecutor

        return RayExecutor(scheduler, setup)
    from verify.campaign.executors.dask import DaskExecutor

    if scheduler is None:
        raise UsageError(
            "the executor 'dask' needs the address of a scheduler, as in "
            "--scheduler tcp://host:8786; 'dask scheduler' starts one and says its address"
        )
    return DaskExecutor(scheduler, setup)


def _limits(memory: str | int | None, output: str | int | None) -> Limits:
    most = None if memory is None else parse_bytes(memory, "memory")
    return Limits(most) if output is None else Limits(most, parse_bytes(output, "output"))


def _local(jobs: int | None, scheduler: str | None, setup: Setup) -> Executor:
    from verify.campaign.executors.local import InThisProcess, LocalExecutor

    if scheduler is not None:
        raise UsageError(
            f"scheduler={scheduler!r} is for the executors 'dask' and 'ray', and the executor is "
            "'local'; name one of them, or leave out the scheduler"
        )
    if jobs is not None and jobs < 0:
        raise UsageError(f"jobs={jobs}; expected a number of processes, or 0 for this process")
    return InThisProcess() if jobs == 0 else LocalExecutor(jobs, setup)


def _wrap_pool(pool: Any, setup: Setup) -> Executor:
    if isinstance(pool, concurrent.futures.Executor):
        from verify.campaign.executors.local import FuturesExecutor

        return FuturesExecutor(pool, setup)
    distributed = sys.modules.get("distributed")  # whoever has a client has imported it
    if distributed is not None and isinstance(pool, distributed.Client):
        from verify.campaign.executors.dask import DaskExecutor

        return DaskExecutor(pool, setup)
    if isinstance(pool, Executor):
        return pool
    raise UsageError(
        f"executor={pool!r} is not an executor; expected one of {', '.join(NAMES)}, a "
        "concurrent.futures.Executor, or a distributed.Client"
    )


def _require(module: str, extra: str) -> None:
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise UsageError(
            f"the executor {extra!r} needs the package {module!r}, which is not installed; "
            f"install it with: pip install 'symtape[{extra}]'"
        )
