"""Where in the user's source an operation comes from."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Final, NamedTuple

import numpy as np

_PACKAGE_PREFIXES: tuple[str, ...] = (
    os.path.dirname(os.path.dirname(__file__)) + os.sep,
    os.path.dirname(np.__file__) + os.sep,
)
"""Files and folders in which nothing of a user's is."""


def pass_over(*files: str) -> None:
    """Lines of these files, too, are nobody's: a framework only hands on what is asked of it."""
    global _PACKAGE_PREFIXES
    _PACKAGE_PREFIXES = tuple(dict.fromkeys((*_PACKAGE_PREFIXES, *files)))
    _INSIDE.clear()


class Origin(NamedTuple):
    """A place in the user's source."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class _Read(threading.local):
    """Where the program that is being read, in this thread, says that it comes from."""

    origin: Origin | None = None


_read: Final = _Read()

_MOST_PLACES: Final = 8192
_origins: Final[dict[tuple[int, int], tuple[CodeType, Origin]]] = {}
"""Of the places in code that were asked for: to find a line, Python walks through all of them."""


@contextlib.contextmanager
def record_from(origin: Origin | None) -> Iterator[None]:
    """What is recorded inside comes from `origin`, for programs that know their own lines.

    Parameters
    ----------
    origin : Origin or None
        None leaves it to the lines that are running.

    Examples
    --------
    >>> with record_from(Origin("model.py", 7, "loss")):
    ...     print(locate())
    model.py:7
    """
    before = _read.origin
    _read.origin = origin
    try:
        yield
    finally:
        _read.origin = before


def locate() -> Origin | None:
    """The innermost line, of those now running, outside symtape and NumPy."""
    if _read.origin is not None:
        return _read.origin
    frame = users_frame()
    if frame is None:
        return None
    code = frame.f_code
    place = (id(code), frame.f_lasti)
    known = _origins.get(place)
    if known is None or known[0] is not code:
        if len(_origins) >= _MOST_PLACES:
            _origins.clear()
        origin = Origin(code.co_filename, frame.f_lineno, code.co_name)
        known = _origins[place] = (code, origin)
    return known[1]


def users_frame(passed: tuple[str, ...] = ()) -> FrameType | None:
    """The innermost call, of those now running, outside symtape and NumPy.

    Parameters
    ----------
    passed : tuple of str
        Parts of the names of further files to pass over.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not (_INSIDE[file] or (passed and any(part in file for part in passed))):
            return frame
        frame = frame.f_back
    return None


class _Inside(dict[str, bool]):
    """By the name of a file, whether nothing of a user's is in it."""

    def __missing__(self, file: str) -> bool:
        inside = file.startswith((*_PACKAGE_PREFIXES, "<__array_function__"))
        self[file] = inside
        return inside


_INSIDE: Final = _Inside()
