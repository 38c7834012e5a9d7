"""Irrational constants as operations, so that a recorded program has them exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.power import ONE
from symtape.primitives.trigonometric import TIMES_PI


def ones(like: Any) -> Any:
    """Ones in the shape of `like`, as an operation on it.

    They are the cotangents that autograd begins with. As constants they would be folded with the
    constants of its rules, and rounded before a program could hold them.
    """
    return ONE(like) if like.dtype.kind == "f" else np.ones(np.shape(like), like.dtype)


def root(number: float, like: Any) -> Any:
    """The square root of a number, in the shape and the precision of `like`."""
    return np.sqrt(ONE(like) * number)


def root_of_two_over_pi(like: Any) -> Any:
    """``sqrt(2 / pi)``."""
    return np.sqrt(2 / TIMES_PI(ONE(like)))
