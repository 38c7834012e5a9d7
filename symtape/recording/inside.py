"""Whether code runs inside a reading, for functions of ours that call those of users'."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

from symtape.recording.in_place import lift_tensors
from symtape.recording.nested import lower_buffers
from symtape.recording.tensor import Tensor

READS: Final[ContextVar[Callable[..., Any] | None]] = ContextVar("who reads", default=None)
"""What calls a function as it is read, inside a reading."""


def call_inside(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Call a function, as it is read where whoever called us is.

    Examples
    --------
    >>> call_inside(max, 1.0, 2.0)
    2.0
    """
    if READS.get() is None:
        return function(*args, **keywords)
    given = {name: _to_array(x) for name, x in keywords.items()}
    return lower_buffers(read_inside(function, *map(_to_array, args), **given))


def read_inside(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Call a function of arrays that are written into, as it is read where whoever called us is.

    Examples
    --------
    >>> read_inside(max, 1.0, 2.0)
    2.0
    """
    reads = READS.get()
    return function(*args, **keywords) if reads is None else reads(function, *args, **keywords)


def _to_array(x: Any) -> Any:
    return lift_tensors(x) if isinstance(x, Tensor) else x
