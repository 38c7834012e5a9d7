"""Limits: what a task may take of its machine, and what its process has to know."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from verify.errors import UsageError

GRACE: Final = 2.0
"""Seconds past its budget after which the process of a task is ended."""

_UNITS: Final = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a task may take, beside its time.

    Attributes
    ----------
    memory : int or None
        Bytes that its process may hold; None for no limit.
    output : int
        Bytes of one file that it may write, and of its answer.
    processes : int
        That it may start beside those of the same user; not enforced for root.
    grace : float
        Seconds past its budget after which its process is ended.
    """

    memory: int | None = None
    output: int = 1 << 30
    processes: int = 1024
    grace: float = GRACE

    def impose(self) -> None:
        """Make them hold for this process, and for those that it starts."""
        import resource

        if self.memory is not None:
            # On Linux a limit of the address space would count what is reserved and never used.
            data = os.uname().sysname == "Linux"
            _lower(resource.RLIMIT_DATA if data else resource.RLIMIT_AS, self.memory)
        _lower(resource.RLIMIT_FSIZE, self.output)
        _lower(resource.RLIMIT_CORE, 0)
        if os.getuid() and hasattr(resource, "RLIMIT_NPROC"):
            self._limit_processes()

    def _limit_processes(self) -> None:
        import resource

        before = resource.getrlimit(resource.RLIMIT_NPROC)
        _lower(resource.RLIMIT_NPROC, _threads_of_this_user() + self.processes, soft_only=True)
        try:
            threading.Thread(target=int).start()
        except RuntimeError:
            # The system counts processes of other containers too, which cannot be seen from here.
            resource.setrlimit(resource.RLIMIT_NPROC, before)


def _lower(which: int, most: int, soft_only: bool = False) -> None:
    """Lower a limit of this process, which may have a lower one already."""
    import resource

    _, hard = resource.getrlimit(which)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (most, hard if soft_only else most))


def _threads_of_this_user() -> int:
    """What the system counts as processes of a user."""
    total, user = 0, os.getuid()
    for folder in Path("/proc").glob("[0-9]*/task"):
        try:
            if folder.stat().st_uid == user:
                total += len(os.listdir(folder))
        except OSError:  # it has ended
            continue
    return total


def parse_bytes(size: str | int, name: str) -> int:
    """A number of bytes, from a number or a text like ``2 GiB``, ``500M``.

    Messages call the argument by its `name`.

    Raises
    ------
    UsageError
        It is no size.

    Examples
    --------
    >>> parse_bytes("2 GiB", "memory"), parse_bytes("0.5k", "memory"), parse_bytes(7, "memory")
    (2147483648, 512, 7)
    """
    found = _SIZE.fullmatch(str(size))
    bytes_ = float(found[1]) * 1024 ** " kmgt".index((found[2] or " ").lower()) if found else 0.0
    if bytes_ < 1:
        raise UsageError(
            f"{name}={size!r} is not a size; expected a number of bytes, or a text like '2 GiB'"
        )
    return int(bytes_)


def format_bytes(size: int) -> str:
    """A number of bytes as people write it.

    Examples
    --------
    >>> format_bytes(2 << 30), format_bytes(1536 << 10), format_bytes(100)
    ('2 GiB', '1.5 MiB', '100 bytes')
    """
    for unit, factor in reversed(_UNITS.items()):
        if size >= factor and unit:
            return f"{size / factor:.4g} {unit}"
    return f"{size} bytes"


_WARM: Final = ("verify.judging.judge",)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a process needs to know before it runs tasks.

    Attributes
    ----------
    limits : Limits
    imports : tuple of str
        Modules to import beforehand, so that no task pays for it.
    idle : float
        Seconds after which a process that nobody asks ends.
    folder : str
        Where the working folders of its tasks are made.
    """

    limits: Limits = field(default_factory=Limits)
    imports: tuple[str, ...] = _WARM
    idle: float = 60.0
    folder: str = ""
