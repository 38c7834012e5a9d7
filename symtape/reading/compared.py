"""Which recordings of functions that are read have been compared with what NumPy computes.

A function that is read meets other functions than it names, so that its recording is compared by
value with what it computes of plain arrays. Of one function each sequence of operations is compared
once: what runs the same operations again, on other numbers, is the same computation. Compared each
time is what is judged, observed or recorded as a graph, and what keeps anything around itself, for
then the plain run comes last and leaves plain numbers there.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

from symtape.reading.functions import KINDS
from symtape.recording.edges import EdgeRecorder
from symtape.recording.stack import OBSERVER, STACK

Function = Callable[..., Any]

_COMPARED: Final[weakref.WeakKeyDictionary[Function, set[int]]] = weakref.WeakKeyDictionary()
"""Of functions, the sequences of operations that were compared."""

_MOST: Final = 1024
"""Sequences that are known of one function."""

KEPT: Final[ContextVar[list[Any] | None]] = ContextVar("what is written into", default=None)
"""Takes note of what is written into beside arrays, where somebody asks for it."""


def note_kept(holder: Any) -> None:
    """Tell whoever asks what is written into, which may be around the function that is read."""
    if (known := KEPT.get()) is not None:
        known.append(holder)


def find_sequence() -> int | None:
    """A number of the operations recorded by tapes; None where others look on."""
    recorders = STACK.recorders
    if OBSERVER.get() is not None or not all(isinstance(one, EdgeRecorder) for one in recorders):
        return None
    return recorders[-1].sequence() if recorders else None


def was_compared(function: Function, sequence: int) -> bool:
    """Whether these operations of a function were compared before.

    Examples
    --------
    >>> def f(x): return x
    >>> note_compared(f, 7)
    >>> was_compared(f, 7), was_compared(f, 8)
    (True, False)
    """
    return type(function) in KINDS and sequence in _COMPARED.get(function, ())


def note_compared(function: Function, sequence: int) -> None:
    """Keep that these operations of a function were compared."""
    if type(function) in KINDS:
        known = _COMPARED.setdefault(function, set())
        if len(known) < _MOST:
            known.add(sequence)
