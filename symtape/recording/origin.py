"""Where in the user's source an operation comes from."""

from __future__ import annotations

import os
import sys
from typing import Final, NamedTuple

import numpy as np

__all__ = ["Origin", "locate"]

_INSIDE: Final[tuple[str, ...]] = (
    os.path.dirname(os.path.dirname(__file__)) + os.sep,
    os.path.dirname(np.__file__) + os.sep,
)


class Origin(NamedTuple):
    """A place in the user's source."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def locate() -> Origin | None:
    """The innermost line, of those now running, outside symtape and NumPy."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_INSIDE) and not name.startswith("<__array_function__"):
            return Origin(name, frame.f_lineno, frame.f_code.co_name)
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None
