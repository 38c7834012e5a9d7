"""Held folders: temporary ones, locked for as long as the process lives that made them.

The system unlocks what a process had locked, however it ends. So the folders of one that was killed
are known and removed, and a driver of a campaign is known by a folder of its own.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

_PREFIX, _SUFFIX = "symtape-", ".held"

_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class HeldFolder:
    """A temporary folder; those that killed processes have left are removed before it is made.

    Examples
    --------
    >>> folder = HeldFolder()
    >>> is_held(folder.name)
    True
    >>> folder.close()
    >>> is_held(folder.name)
    False
    """

    def __init__(self) -> None:
        _remove_abandoned()
        held = False
        while not held:
            self._folder = tempfile.TemporaryDirectory(
                prefix=_PREFIX, suffix=_SUFFIX, ignore_cleanup_errors=True
            )
            self.name = self._folder.name
            with contextlib.suppress(FileNotFoundError):
                self._lock = os.open(self.name, _FLAGS)
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(self._lock, fcntl.LOCK_EX)
                held = os.path.isdir(self.name)  # nobody took it for abandoned meanwhile
            if not held:
                self._folder.cleanup()

    def close(self) -> None:
        """Remove it."""
        self._folder.cleanup()
        os.close(self._lock)


def is_held(folder: str) -> bool:
    """Whether the process lives that made a held folder; true where that cannot be known."""
    try:
        os.close(_lock_folder(folder))
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def remove(folder: Path) -> None:
    """Remove a folder, and what is in it, whatever permissions that has."""
    shutil.rmtree(folder, onerror=_permit)


def _remove_abandoned() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError):  # it is held, or another user's
            lock = _lock_folder(folder)
            remove(folder)
            os.close(lock)


def _lock_folder(folder: str | Path) -> int:
    """The descriptor of a folder that is locked from now on; an OSError where it cannot be."""
    lock = os.open(folder, _FLAGS)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _permit(call: Any, path: str, error: Any) -> None:
    """Remove what a task has taken the permissions of."""
    with contextlib.suppress(OSError):
        Path(path).parent.chmod(0o700)
        Path(path).chmod(0o700)
        call(path)
