"""Isolation: what is imported or called reaches no other machine, and may change no file."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, Final

_GUARDED: Final[list[list[bool]]] = []
"""Whether what runs is watched, and whether it may write, for each time that it was."""

_LOCAL: Final = ("localhost", "127.0.0.1", "::1", "", None)
_CHANGES: Final = (
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink"),
    *("os.chmod", "os.system", "os.exec", "os.kill", "subprocess.Popen", "shutil.rmtree"),
)
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC


@contextlib.contextmanager
def isolate(writes: bool = True) -> Iterator[None]:
    """No other machine is reached meanwhile and no page is opened; nor a file changed, if so said.

    Examples
    --------
    >>> with isolate(writes=False):
    ...     open("made.txt", "w")
    Traceback (most recent call last):
    PermissionError: open is not allowed to code that an audit calls
    """
    if not _GUARDED:
        sys.addaudithook(_refuse)  # There is no way to take it away.
    guard = [True, writes]
    _GUARDED.append(guard)
    try:
        yield
    finally:
        guard[0] = False


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    watched = [writes for active, writes in _GUARDED if active]
    if not watched:
        return
    if event == "webbrowser.open" or _is_far(event, arguments):
        raise ConnectionRefusedError(f"{event} is not allowed to code that an audit imports")
    if not all(watched) and (event in _CHANGES or _is_written(event, arguments)):
        raise PermissionError(f"{event} is not allowed to code that an audit calls")


def _is_written(event: str, arguments: tuple[Any, ...]) -> bool:
    if event != "open" or arguments[0] == os.devnull:
        return False
    return bool((arguments[2] or 0) & _WRITES)


def _is_far(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether another machine is asked; sockets that are files are of this one."""
    if event == "socket.getaddrinfo":
        return arguments[0] not in _LOCAL
    address = arguments[1] if event == "socket.connect" else None
    return isinstance(address, tuple) and address[0] not in _LOCAL
