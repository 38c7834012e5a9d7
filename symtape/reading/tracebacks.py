"""Tracebacks of functions that are read, which show the user's frames as they call."""

from __future__ import annotations

from types import TracebackType
from typing import Final

_OURS: Final = ("symtape.reading.reader", "symtape.reading.protocols")


def drop_frames(trace: TracebackType | None) -> None:
    """Leave out the frames of the reader."""
    while trace is not None:
        following = trace.tb_next
        while following is not None and _module_of(following) in _OURS:
            following = following.tb_next
        trace.tb_next = following
        trace = following


def _module_of(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__"))
