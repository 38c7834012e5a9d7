"""Rows: the Box-Cox transforms, and exprel, of which they are made.

    K_n(t) = integral of s^n exp(t s) over 0 <= s <= 1,      K_0 = exprel,      K_n' = K_{n+1}

so that derivatives by the exponent are right where it is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare

_TERMS = 60


def _series(t: Array, order: int) -> Array:
    """K_order near 0, by series of positive terms (DLMF 13.2.2, 13.2.39)."""
    size = np.abs(t)
    grow = np.zeros_like(t)
    for k in range(_TERMS, 0, -1):
        grow = (1 / (order + 1 + k) + grow) * size / k
    grow = grow + 1 / (order + 1)
    fall = np.ones_like(t)
    for k in range(_TERMS, 0, -1):
        fall = 1 + fall * size / (order + 1 + k)
    return np.where(t < 0, np.exp(-size) * fall / (order + 1), grow)


def exprel_kernel(t: Array, order: int) -> Array:
    """K_order at `t`."""
    t = np.asarray(t)
    # Half precision goes into float64, which is also what comes back.
    t = t.astype(np.float64) if t.dtype == np.float16 else t
    edge = 2.0 + 2 * order
    near = np.abs(t) <= edge
    far = np.where(near, edge, t)
    value = special.exprel(far)
    for n in range(1, order + 1):
        value = (np.exp(far) - n * value) / far
    return np.where(near, _series(np.where(near, t, 0), order), value)


def _symbolic(sp: Any, t: Any, order: Any) -> Any:
    value = (sp.exp(t) - 1) / t
    for n in range(1, int(order) + 1):
        value = (sp.exp(t) - n * value) / t
    return value


def _ball(ball: Any, t: Any, order: Any) -> Any:
    return t.hypgeom_1f1(order + 1, order + 2) / (order + 1)


EXPREL = declare(
    evaluate=special.exprel,
    vjp=[lambda g, x: g * EXPREL_KERNEL(x, 1)],
    symbolic=lambda sp, x: (sp.exp(x) - 1) / x,
    ball=lambda ball, x: x.hypgeom_1f1(type(x)(1), type(x)(2)),
    over="x != 0",
    rounding=(8, 8),
    source="DLMF 13.4.1",
)
EXPREL_KERNEL: Primitive = declare(
    inputs="x order",
    evaluate=exprel_kernel,
    vjp=[lambda g, x, order: g * EXPREL_KERNEL(x, order + 1), None],
    symbolic=_symbolic,
    ball=_ball,
    over="x != 0",
    rounding=(4, 16),
    source="DLMF 13.4.1",
    example=[(0.75, 1), (-8.25, 2)],
)


def _pull_to_exponent(g: Array, logarithm: Array, exponent: Array) -> Array:
    return g * (np.square(logarithm) * EXPREL_KERNEL(exponent * logarithm, 1))


def _transform(sp: Any, base: Any, exponent: Any) -> Any:
    return sp.log(base) if exponent == 0 else (base**exponent - 1) / exponent


def _transform_ball(logarithm: Any, exponent: Any) -> Any:
    kind = type(logarithm)
    return logarithm * (exponent * logarithm).hypgeom_1f1(kind(1), kind(2))


BOXCOX = declare(
    inputs="x power",
    evaluate=special.boxcox,
    vjp=[
        lambda g, x, power: g * x ** (power - ONE(x)),
        lambda g, y, x, power: _pull_to_exponent(g, np.log(x * ONE(y)), power),
    ],
    symbolic=_transform,
    ball=lambda ball, x, power: _transform_ball(ball.log(x), power),
    domain=lambda x, power: x > 0,
    over="0 < x < 1 and power != 0 or x > 1 and power != 0",
    rounding=(8, 8),
    source="(x^p - 1) / p; log x at p = 0",
    example=[(1.5, 0.75), (2.5, -1.5)],
)
BOXCOX1P = declare(
    evaluate=special.boxcox1p,
    vjp=[
        lambda g, x, power: g * (1 + x) ** (power - ONE(x)),
        lambda g, y, x, power: _pull_to_exponent(g, np.log1p(x * ONE(y)), power),
    ],
    symbolic=lambda sp, x, power: _transform(sp, 1 + x, power),
    ball=lambda ball, x, power: _transform_ball(ball.log1p(x), power),
    domain=lambda x, power: x > -1,
    over="-1 < x < 0 and power != 0 or x > 0 and power != 0",
    rounding=(8, 8),
    source="((1 + x)^p - 1) / p; log1p x at p = 0",
    example=[(0.5, 0.75), (1.5, -1.5)],
)
