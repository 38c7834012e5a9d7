"""What runs on workers, of a cluster or of this machine: tasks in processes below the worker."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterable, Mapping
from typing import Final

from verify.campaign.addresses import version_of
from verify.campaign.executors.process import Process, Reply
from verify.campaign.executors.setup import Setup
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
