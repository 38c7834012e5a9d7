"""Rows: error functions and the normal distribution."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from symtape.primitives.primitive import Primitive, declare
from symtape.primitives.special.gaussian import ERF_SLOPE, ERFI_SLOPE, NORMAL_DENSITY
from symtape.primitives.special.mills import ERFCX_KERNEL, MILLS, TIMES_HALF_SQRT_PI, erfc_of_minus

ERF = declare(
    evaluate=special.erf,
    vjp=[lambda g, x: g * ERF_SLOPE(x)],
    symbolic="erf",
    rounding=(8, 8),
    complex=[lambda g, x: 2 * g * np.exp(-(x * x)) / math.sqrt(math.pi)],
    source="DLMF 7.2.1",
)
ERFC = declare(
    evaluate=special.erfc,
    vjp=[lambda g, x: -g * ERF_SLOPE(x)],
    symbolic="erfc",
    rounding=(8, 8),
    complex=[lambda g, x: -2 * g * np.exp(-(x * x)) / math.sqrt(math.pi)],
    source="DLMF 7.2.2",
)
ERFCX: Primitive = declare(
    evaluate=special.erfcx,
    vjp=[lambda g, x: -2 * g * ERFCX_KERNEL(x, 1)],
    symbolic=lambda sp, x: sp.exp(x**2) * sp.erfc(x),
    ball="erfcx",
    rounding=(8, 8),
    complex=[lambda g, x, y: 2 * g * (x * y - 1 / math.sqrt(math.pi))],
    source="DLMF 7.18.7",
)
ERFI = declare(
    evaluate=special.erfi,
    vjp=[lambda g, x: g * ERFI_SLOPE(x)],
    symbolic="erfi",
    ball=lambda ball, x: x.erfi(),
    rounding=(64, 128),
    complex=[lambda g, x: 2 * g * np.exp(x * x) / math.sqrt(math.pi)],
    source="DLMF 7.5.1",
)
ERFINV = declare(
    evaluate=special.erfinv,
    vjp=[lambda g, y: g / ERF_SLOPE(y)],
    symbolic="erfinv",
    domain="-1 < x < 1",
    rounding=(8, 8),
    source="DLMF 7.17.1",
)

# By erfcx of the output, for the exponential of its square would lose the digits of the tail.
ERFCINV = declare(
    evaluate=special.erfcinv,
    vjp=[lambda g, y, x: -TIMES_HALF_SQRT_PI(g * ERFCX(y) / x)],
    symbolic="erfcinv",
    ball=lambda ball, x: x.erfcinv(),
    domain="0 < x < 2",
    rounding=(8, 8),
    source="DLMF 7.17.2",
)

NDTR = declare(
    evaluate=special.ndtr,
    vjp=[lambda g, x: g * NORMAL_DENSITY(x)],
    symbolic=lambda sp, x: erfc_of_minus(sp, x) / 2,
    ball="ndtr",
    rounding=(8, 8),
    complex=[lambda g, x: g * np.exp(-(x * x) / 2) / math.sqrt(2 * math.pi)],
    source="DLMF 7.2.2",
)
LOG_NDTR = declare(
    evaluate=special.log_ndtr,
    vjp=[lambda g, x: g * MILLS(x)],
    symbolic=lambda sp, x: sp.log(erfc_of_minus(sp, x) / 2),
    ball="log_ndtr",
    rounding=(8, 16),
    complex=[lambda g, x, y: g * np.exp(-(x * x) / 2 - y) / math.sqrt(2 * math.pi)],
    source="DLMF 7.8.1",
    example=(-0.75,),
)
NDTRI = declare(
    evaluate=special.ndtri,
    vjp=[lambda g, y, x: g / (x * MILLS(y))],
    symbolic=lambda sp, x: -sp.sqrt(2) * sp.erfcinv(2 * x),
    ball=lambda ball, x: -ball.sqrt(type(x)(2)) * (2 * x).erfcinv(),
    domain="0 < x < 1",
    rounding=(8, 8),
    source="DLMF 7.17.2",
    example=(0.25,),
)
NDTRI_EXP = declare(
    evaluate=special.ndtri_exp,
    vjp=[lambda g, y: g / MILLS(y)],
    symbolic=lambda sp, x: -sp.sqrt(2) * sp.erfcinv(2 * sp.exp(x)),
    ball=lambda ball, x: -ball.sqrt(type(x)(2)) * (2 * ball.exp(x)).erfcinv(),
    domain="x < 0",
    rounding=(8, 256),
    source="the inverse of log_ndtr, DLMF 7.17.2",
    example=(-0.75,),
)
