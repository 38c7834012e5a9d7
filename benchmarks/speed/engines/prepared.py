"""A derivative that is ready to be called, in the terms of its engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["NotHad", "Prepared", "as_arrays"]


class NotHad(Exception):
    """An engine is not installed, or has no way to this derivative; the text says which."""


def as_arrays(result: Any) -> list[Any]:
    """The arrays of a tuple of them, or of the one there is, as NumPy's."""
    several = result if isinstance(result, tuple | list) else (result,)
    return [np.asarray(part, dtype=float) for part in several]


@dataclass(frozen=True)
class Prepared:
    """``call()`` is what is timed; ``arrays`` makes NumPy arrays of what it returns."""

    call: Callable[[], Any]
    arrays: Callable[[Any], list[Any]] = as_arrays
