"""Irrational constants that stay exact in every reading: functions of a recorded 1."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

import numpy as np

from symtape.primitives.trigonometric import TIMES_PI

ONE: Final[ContextVar[Any]] = ContextVar("one")
"""The number 1, as a tensor that is recorded and no argument."""


def pi_times(numbers: Any, dtype: Any = np.float64) -> Any:
    """Rational multiples of pi."""
    return TIMES_PI(ONE.get() * np.asarray(numbers, dtype=np.float64)[()]).astype(dtype)


def record_constant(x: Any, dtype: Any) -> Any:
    """A constant as what is recorded, so that functions of it stay exact."""
    return x if hasattr(type(x), "_apply_primitive") else ONE.get().astype(dtype) * x
