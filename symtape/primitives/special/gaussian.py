"""Rows: the bell curves that the error functions are integrals of.

The rounding of ``x * x`` would be an error of ``x * x`` ulps in its exponential. So x is split
in two, of which the first has an exact square, to know what was lost.
"""

from __future__ import annotations

import math

import numpy as np

from symtape.primitives.arguments import finite_or_zero, in_doubles
from symtape.primitives.primitive import Array, declare


@in_doubles(1)
def exp_square(x: Array, factor: float) -> Array:
    """``exp(factor * x * x)`` to a few ulps; `factor` a power of 2, or minus one."""
    wide = np.clip(x, -60.0, 60.0)
    high = wide.astype(np.float32).astype(np.float64)
    square = wide * wide
    lost = wide - high
    # Written into what is there: of a large array all that is between takes as long as `exp`.
    wide += high
    lost *= wide
    high *= high
    high -= square
    lost += high
    lost *= factor
    lost += 1
    square *= factor
    return np.exp(square) * lost


def erf_slope(x: Array) -> Array:
    """``2 / sqrt(pi) * exp(-x**2)``."""
    return (2 / math.sqrt(math.pi)) * exp_square(x, -1.0)


def erfi_slope(x: Array) -> Array:
    """``2 / sqrt(pi) * exp(x**2)``."""
    return (2 / math.sqrt(math.pi)) * exp_square(x, 1.0)


def normal_density(x: Array) -> Array:
    """``exp(-x**2 / 2) / sqrt(2 pi)``."""
    return (1 / math.sqrt(2 * math.pi)) * exp_square(x, -0.5)


ERF_SLOPE = declare(
    evaluate=erf_slope,
    vjp=[lambda g, y, x: -2 * g * (finite_or_zero(x) * y)],
    symbolic=lambda sp, x: 2 * sp.exp(-(x**2)) / sp.sqrt(sp.pi),
    ball=lambda ball, x: 2 * ball.exp(-ball.square(x)) / type(x).const_sqrt_pi(),
    rounding=(1, 8),
    source="the derivative of erf, DLMF 7.2.1",
)
ERFI_SLOPE = declare(
    evaluate=erfi_slope,
    vjp=[lambda g, y, x: 2 * g * (x * y)],
    symbolic=lambda sp, x: 2 * sp.exp(x**2) / sp.sqrt(sp.pi),
    ball=lambda ball, x: 2 * ball.exp(ball.square(x)) / type(x).const_sqrt_pi(),
    rounding=(1, 8),
    source="the derivative of erfi",
)
NORMAL_DENSITY = declare(
    evaluate=normal_density,
    vjp=[lambda g, y, x: -g * (finite_or_zero(x) * y)],
    symbolic=lambda sp, x: sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi),
    ball=lambda ball, x: (
        ball.exp(-ball.square(x) / 2) / (ball.sqrt(type(x)(2)) * type(x).const_sqrt_pi())
    ),
    rounding=(1, 8),
    source="the derivative of ndtr, DLMF 7.1",
)
