"""Rows: exponential integrals."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from symtape.primitives.primitive import Array, Primitive, declare


def expn(n: Array, x: Array) -> Array:
    """The exponential integral of any integer order; SciPy's is for orders from 0 on.

    Below that it is elementary (DLMF 8.4.8).
    """
    below = np.less(n, 0)
    result = special.expn(np.where(below, 0, n), x)
    # With whole orders SciPy answers in float64, whatever x is, and computes so.
    x = np.asarray(x, dtype=result.dtype)
    for order in np.unique(-np.asarray(n)[below]):
        k = int(order)
        terms = sum(
            x ** (j - k - 1.0) * (math.factorial(k) / math.factorial(j)) for j in range(k + 1)
        )
        result = np.where(np.equal(n, -k), np.exp(-x) * terms, result)
    return result


EXPI = declare(
    evaluate=special.expi,
    vjp=[lambda g, x: g * (np.exp(x) / x)],
    symbolic="Ei",
    ball=lambda ball, x: x.ei(),
    domain="x != 0",
    rounding=(16, 16),
    complex="holomorphic",
    source="DLMF 6.2.5",
    example=[(0.75,), (-1.5,)],
)
EXP1 = declare(
    evaluate=special.exp1,
    vjp=[lambda g, x: -g * (np.exp(-x) / x)],
    symbolic=lambda sp, x: sp.expint(1, x),
    ball=lambda ball, x: x.expint(type(x)(1)),
    domain="x > 0",
    rounding=(16, 16),
    complex="holomorphic",
    source="DLMF 6.2.1",
)
EXPN: Primitive = declare(
    ufunc=special.expn,
    evaluate=expn,
    vjp=[None, lambda g, n, x: -g * EXPN(n - 1, x)],
    symbolic="expint",
    ball=lambda ball, n, x: x.expint(n),
    domain="x > 0",
    rounding=(16, 16),
    source="DLMF 8.19.13",
    example=[(3, 0.75), (0, 1.25), (-2, 1.25)],
)
