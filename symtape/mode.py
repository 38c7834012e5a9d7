"""Whether the code that runs in this context is read while it is recorded.

NumPy and SciPy answer such code in another way (:mod:`symtape.frontends.namespaces`); an operation
that is evaluated by code of theirs is none of what is read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final, Literal

Writes = Literal["users", "all"]
"""Whose new arrays take tensors that are written into them."""

MODE: Final[ContextVar[Writes | None]] = ContextVar("symtape recording mode", default=None)


def is_recorded() -> bool:
    """Whether the mode is on in this context."""
    return MODE.get() is not None


@contextlib.contextmanager
def plain() -> Iterator[None]:
    """Turn the mode off in this context."""
    token = MODE.set(None)
    try:
        yield
    finally:
        MODE.reset(token)
