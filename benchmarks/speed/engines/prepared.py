"""A derivative that is ready to be called, in the terms of its engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.speed.trees import leaves

__all__ = ["NotHad", "Prepared", "as_arrays"]


class NotHad(Exception):
    """An engine is not installed, or has no way to this derivative; the text says which."""


def as_arrays(result: Any) -> list[Any]:
    """The arrays of a tree of them as NumPy's."""
    return [np.asarray(part, dtype=float) for part in leaves(result)]


@dataclass(frozen=True)
class Prepared:
    """``call()`` is what is timed; ``arrays`` makes NumPy arrays of what it returns."""

    call: Callable[[], Any]
    arrays: Callable[[Any], list[Any]] = as_arrays
