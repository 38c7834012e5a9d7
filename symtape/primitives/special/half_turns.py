"""Rows: sine and cosine of pi x, exact at the integers and the halves."""

from __future__ import annotations

import numpy as np

from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.trigonometric import TIMES_PI


def sinpi(x: Array) -> Array:
    """``sin(pi x)``."""
    turn = x - 2 * np.rint(x / 2)
    folded = np.where(np.abs(turn) > 0.5, np.copysign(1, turn) - turn, turn)
    return np.sin(np.pi * folded)


def cospi(x: Array) -> Array:
    """``cos(pi x)``."""
    return sinpi(0.5 - np.abs(x - 2 * np.rint(x / 2)))


SINPI: Primitive = declare(
    evaluate=sinpi,
    vjp=[lambda g, x: TIMES_PI(g * COSPI(x))],
    symbolic=lambda sp, x: sp.sin(sp.pi * x),
    ball=lambda ball, x: x.sin_pi(),
    rounding=(1, 4),
    source="DLMF 4.20.1",
)
COSPI: Primitive = declare(
    evaluate=cospi,
    vjp=[lambda g, x: -TIMES_PI(g * SINPI(x))],
    symbolic=lambda sp, x: sp.cos(sp.pi * x),
    ball=lambda ball, x: x.cos_pi(),
    rounding=(1, 4),
    source="DLMF 4.20.2",
)
