"""Works submitted to a pool, and what runs there: tasks in processes below each worker."""

from __future__ import annotations

import itertools
import os
import pickle
import queue
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, Final

from verify.campaign.addresses import version_of
from verify.campaign.executors.process import Process, Reply
from verify.campaign.limits import Setup
from verify.campaign.work import Outcome, Work
from verify.errors import UsageError

ALWAYS: Final = ("symtape", "numpy", "scipy")
"""Distributions whose versions every answer depends on."""

_ABSENT: Final = "absent"

_processes: dict[str, list[Process]] = {}
_free: dict[str, list[Process]] = {}
_ended_campaigns: set[str] = set()
_lock = threading.Lock()


def perform(
    payload: bytes, seconds: float, setup: Setup, campaign: str, expected: Mapping[str, str]
) -> Reply:
    """Run a pickled task in a process below this worker.

    The process is one of its `campaign`, and goes at the `end` of that.

    Raises
    ------
    UsageError
        This worker has other versions than are expected.
    """
    if words := differences({_place(): versions_here(expected)}, expected):
        raise UsageError(words)
    process = _take_process(campaign, setup)
    try:
        return process.answer(payload, seconds)
    finally:
        with _lock:
            going_on = campaign not in _ended_campaigns
            if going_on:
                _free[campaign].append(process)
        if not going_on:
            process.close()


def _take_process(campaign: str, setup: Setup) -> Process:
    """A process that runs no task; where the campaign has ended, one that answers nothing."""
    with _lock:
        if campaign in _ended_campaigns:
            process = Process(setup)
            process.close()
            return process
        if free := _free.setdefault(campaign, []):
            return free.pop()
        process = Process(setup)
        _processes.setdefault(campaign, []).append(process)
        return process


def end(campaign: str) -> None:
    """End the processes of a campaign below this worker, also those that run a task."""
    with _lock:
        _ended_campaigns.add(campaign)
        _free.pop(campaign, None)
        ending = _processes.pop(campaign, [])
    for process in ending:
        process.close()


def versions_here(names: Iterable[str]) -> dict[str, str]:
    """Those of distributions that this process would import.

    Examples
    --------
    >>> versions_here(["no-such-package"])
    {'no-such-package': 'absent'}
    """
    return {name: version_of(name) or _ABSENT for name in names}


def differences(found: Mapping[str, Mapping[str, str]], expected: Mapping[str, str]) -> str:
    """Which workers have other versions than `expected`, in words; empty if none has.

    Examples
    --------
    >>> print(differences({"node-7": {"numpy": "1.26"}}, {"numpy": "2.4"}))
    the workers have other versions than this process, and answers depend on them:
      node-7: numpy 1.26, expected 2.4
    Install the same versions everywhere.
    """
    lines = [
        f"  {worker}: {name} {versions[name]}, expected {version}"
        for worker, versions in sorted(found.items())
        for name, version in expected.items()
        if versions[name] != version
    ]
    if not lines:
        return ""
    what = "the workers have other versions than this process, and answers depend on them:"
    return "\n".join([what, *lines, "Install the same versions everywhere."])


def cannot_run(worker: str, error: BaseException) -> UsageError:
    """The error of a worker on which symtape cannot run."""
    return UsageError(
        f"{worker} cannot run symtape ({type(error).__name__}: {error}); "
        "install it there as it is here"
    )


def _place() -> str:
    """What people call this process."""
    return f"{socket.gethostname()}, process {os.getpid()}"


_LOOK: Final = 1.0
"""Seconds between looks at whether the pool is still there."""

_MOST_WORDS: Final = 1000


def outcomes(
    works: Iterable[Work],
    submit: Callable[[Work, bytes], Any],
    reply: Callable[[Any], Reply],
    in_flight: int,
    check: Callable[[], None] = lambda: None,
    cancel: Callable[[Any], object] = Future.cancel,
) -> Iterator[Outcome]:
    """What came of each work, in the order in which they are done.

    Parameters
    ----------
    works : iterable of Work
        Drawn as places become free.
    submit : callable
        Takes a work, and the work pickled; gives a future.
    reply : callable
        What a future that is done says.
    in_flight : int
        How many works are submitted and not done, at most.
    check : callable
        Raises when the pool is no more; called while nothing arrives.
    cancel : callable
        Takes a future that nobody asks for any more.
    """
    waiting = iter(works)
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    running: dict[Any, Work] = {}
    try:
        while True:
            for work in itertools.islice(waiting, in_flight - len(running)):
                try:
                    payload = pickle.dumps(work)
                except Exception as error:  # noqa: BLE001  # whatever its parts do when pickled
                    yield _outcome(work, Reply("", _not_sent(error), 0.0))
                    continue
                future = submit(work, payload)
                running[future] = work
                future.add_done_callback(done.put)
            if not running:
                return
            future = _wait_for_next(done, check)
            yield _outcome(running.pop(future), reply(future))
    finally:
        for future in running:
            cancel(future)


def _wait_for_next(done: queue.SimpleQueue[Any], check: Callable[[], None]) -> Any:
    while True:
        try:
            return done.get(timeout=_LOOK)
        except queue.Empty:
            check()


def _not_sent(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"[:_MOST_WORDS]
    return f"the task cannot be pickled, so no worker can run it ({text})"


def _outcome(work: Work, reply: Reply) -> Outcome:
    text = work.describe_end(reply.ended) if reply.ended else reply.text
    return Outcome(work.key, text, reply.ended, reply.seconds)
