"""Rows: the logistic function and its relatives, and SciPy's twins of NumPy functions."""

from __future__ import annotations

import numpy as np
from scipy import special

from symtape.primitives import exponential
from symtape.primitives.primitive import UFUNCS, Array, Primitive, declare

EXPIT: Primitive = declare(
    evaluate=special.expit,
    vjp=[lambda g, x: g * LOGISTIC_DENSITY(x)],
    symbolic=lambda sp, x: 1 / (1 + sp.exp(-x)),
    ball="expit",
    rounding=(8, 8),
    source="1 / (1 + exp(-x))",
)
LOG_EXPIT = declare(
    evaluate=special.log_expit,
    vjp=[lambda g, x: g * EXPIT(-x)],
    symbolic=lambda sp, x: -sp.log(1 + sp.exp(-x)),
    ball="log_expit",
    rounding=(8, 8),
    source="-log(1 + exp(-x))",
)
LOGIT = declare(
    evaluate=special.logit,
    vjp=[lambda g, x: g / (x * (1 - x))],
    symbolic=lambda sp, x: sp.log(x) - sp.log(1 - x),
    ball="logit",
    domain="0 < x < 1",
    rounding=(8, 8),
    source="log(x / (1 - x))",
)
EXP10 = declare(
    evaluate=special.exp10,
    vjp=[lambda g, y: exponential.TIMES_LOG_10(g * y)],
    symbolic=lambda sp, x: 10**x,
    ball=lambda ball, x: ball.exp(x * type(x)(10).log()),
    rounding=(8, 8),
    source="DLMF 4.7.10",
    example=(-0.75,),
)


def _logistic_density(x: Array) -> Array:
    # Even, and by one exponential, which takes a quarter of the time of SciPy's expit.
    small = np.exp(-np.abs(x))
    return small / np.square(1 + small)


# A row of its own, so that the second derivative does not cancel near 0.
LOGISTIC_DENSITY: Primitive = declare(
    name="logistic_density",
    evaluate=_logistic_density,
    vjp=[lambda g, y, x: -g * (y * np.tanh(x / 2))],
    symbolic=lambda sp, x: sp.exp(-x) / (1 + sp.exp(-x)) ** 2,
    ball=lambda ball, x: ball.expit(x) * ball.expit(-x),
    rounding=(8, 16),
    source="the derivative of expit, expit(x) expit(-x)",
)

UFUNCS[special.exp2] = exponential.EXP2
UFUNCS[special.expm1] = exponential.EXPM1
UFUNCS[special.log1p] = exponential.LOG1P
UFUNCS[special.cbrt] = exponential.CBRT
