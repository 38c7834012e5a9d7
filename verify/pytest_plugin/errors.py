"""Errors of ours: their message is all that a person needs, and frames inside of us are none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Final

import pytest

import verify

_ASSERTED: Final = ("verify.assertions", "DerivativeError")
_REFUSED: Final = ("symtape.errors", "SymtapeError")

_TELLING: Final = 40
"""Characters of an error's words by which they are known in another's."""

_LIBRARIES: Final = "site-packages"


def is_ours(error: BaseException) -> bool:
    """Whether an assertion failed, or something was refused in words."""
    return _is(error, _ASSERTED) or _is(error, _REFUSED)


def long_words(error: BaseException) -> str:
    """Everything there is to say of a failed assertion; empty for any other error."""
    result = getattr(error, "result", None) if _is(error, _ASSERTED) else None
    return "" if result is None else str(result.explain())


def remove_our_frames(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Leave only the user's frames in a traceback, if it ends in one or in words of ours.

    Where our own code fails, or a library that it calls, all frames stay.
    """
    error = excinfo.value
    if is_ours(error) and error.__cause__ is not None and _is_told(error.__cause__, error):
        error.__cause__ = None
        error.__suppress_context__ = True
    rooms = (verify, sys.modules.get("symtape"))
    inside = tuple(os.path.dirname(str(room.__file__)) + os.sep for room in rooms if room)
    frames = list(_iterate_traceback(excinfo.tb))
    theirs = [frame for frame in frames if not _file(frame).startswith(inside)]
    blameless = is_ours(error) or (
        frames[-1:] == theirs[-1:] and _LIBRARIES not in _file(frames[-1])
    )
    if not theirs or not blameless or len(theirs) == len(frames):
        return
    for frame, following in zip(theirs, [*theirs[1:], None], strict=True):
        frame.tb_next = following
    excinfo.traceback = type(excinfo.traceback)(theirs[0])


def _is_told(cause: BaseException, error: BaseException) -> bool:
    """Whether `error` says what `cause` does, as ours do that name the function besides."""
    first = (str(cause).splitlines() or [""])[0]
    return is_ours(cause) or f"{type(cause).__name__}: {first}"[:_TELLING] in str(error)


def _iterate_traceback(frame: TracebackType | None) -> Iterator[TracebackType]:
    while frame is not None:
        yield frame
        frame = frame.tb_next


def _file(frame: TracebackType) -> str:
    return frame.tb_frame.f_code.co_filename


def _is(error: BaseException, kind: tuple[str, str]) -> bool:
    """Whether an error is of this kind, by module and name, without importing either."""
    module, name = kind
    found = getattr(sys.modules.get(module), name, None)
    return found is not None and isinstance(error, found)
