"""Rows: the scaled complementary error function's derivatives, and the Mills ratio.

The repeated integrals of erfc, scaled,

    E_n(x) = exp(x^2) i^n erfc(x),      E_0 = erfcx,      E_n' = -2 (n+1) E_{n+1}

(DLMF 7.18.2, 7.18.7) are positive, so nothing cancels in a derivative of erfcx. Those of the normal
law's tail, over its density,

    K_n(x) = (K_{n-2}(x) - x K_{n-1}(x)) / n,      K_{-1} = 1,      K_n' = -(n+1) K_{n+1}

have quotients q_n = K_n / K_{n-1} = 1 / (x + (n+1) q_{n+1}), in which the derivatives of the Mills
ratio m(-x) = 1 / K_0(x) = x + q_1 lose no digit in the tail, where x and m cancel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.arguments import finite_or_zero, in_doubles
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.special.gaussian import normal_density
from symtape.primitives.special.orders import whole_order

_SWITCH = 0.75


def _upwards(x: Array, order: int) -> Array:
    """E_order by its recurrence, which cancels nothing for negative x."""
    before, now = np.full_like(x, 2 / math.sqrt(math.pi)), special.erfcx(x)
    for n in range(order):
        before, now = now, (before / 2 - x * now) / (n + 1)
    return now


def _downwards(x: Array, order: int) -> Array:
    """E_order by the continued fraction of E_n / E_{n-1} (Miller's algorithm), for x > 0."""
    last = 20 + order + int(220 / np.min(x, initial=1e3) ** 2)
    ratio = 1 / (x + np.sqrt(x * x + 2 * (last + 1)))
    product = special.erfcx(x)
    for n in range(last - 1, 0, -1):
        ratio = 1 / (2 * x + 2 * (n + 1) * ratio)
        if n <= order:
            product = product * ratio
    return product


@in_doubles(1)
def erfcx_kernel(x: Array, order: int) -> Array:
    """E_order at `x`."""
    far = x > _SWITCH
    return np.where(
        far,
        _downwards(np.where(far, x, 10.0), order),
        _upwards(np.where(far, 0.0, x), order),
    )


def _symbolic(sp: Any, x: Any, order: Any) -> Any:
    before, now = 2 / sp.sqrt(sp.pi), sp.exp(x**2) * sp.erfc(x)
    for n in range(int(order)):
        before, now = now, (before / 2 - x * now) / (n + 1)
    return now


def _ball(ball: Any, x: Any, order: Any) -> Any:
    before, now = 2 / type(x).const_sqrt_pi(), ball.erfcx(x)
    for n in range(whole_order(order)):
        before, now = now, (before / 2 - x * now) / (n + 1)
    return now


@in_doubles(1)
def mills(x: Array) -> Array:
    """Density over distribution of the normal law at `x`."""
    low, high = np.minimum(x, 0), np.maximum(x, 0)
    return np.where(
        x < 0,
        math.sqrt(2 / math.pi) / special.erfcx(low * -math.sqrt(0.5)),
        normal_density(high) / special.ndtr(high),
    )


@in_doubles(1)
def mills_slope(x: Array) -> Array:
    """``-m (x + m)`` of the ratio m; by q_1 where x and m cancel."""
    ratio = mills(x)
    quotient = normal_tail_quotient(np.maximum(-x, 1), 1)
    return -ratio * np.where(x < -1, quotient, finite_or_zero(x) + ratio)


@in_doubles(1)
def normal_tail_quotient(x: Array, order: int) -> Array:
    """q_order at `x`."""
    far = x > 1
    return np.where(
        far,
        _fraction(np.where(far, x, 10.0), order),
        _quotient(np.where(far, 0.0, x), order),
    )


def _fraction(x: Array, order: int) -> Array:
    """q_order by its continued fraction, for x above 1."""
    last = 20 + order + int(440 / np.min(x, initial=1e3) ** 2)
    quotient = 2 / (x + np.sqrt(x * x + 4 * (last + 1)))
    for n in range(last, order - 1, -1):
        quotient = 1 / (x + (n + 1) * quotient)
    return quotient


def _quotient(x: Array, order: int) -> Array:
    """q_order by the recurrence of K_n / K_0, of which x below 1 loses little."""
    before, now = mills(-x), np.ones_like(x)
    for n in range(1, order + 1):
        before, now = now, (before - x * now) / n
    return now / before


def _slope_of_quotient(x: Array, order: int, y: Array) -> Array:
    """q_n', of whose two forms each cancels where the other one doesn't."""
    rising = y * (order * y - (order + 1) * NORMAL_TAIL_QUOTIENT(x, order + 1))
    falling = y * (MILLS(-x) if order == 1 else 1 / NORMAL_TAIL_QUOTIENT(x, order - 1)) - 1
    return np.where(x > 0, rising, falling)


def _curvature(x: Array, slope: Array) -> Array:
    """The second derivative of the Mills ratio, ``2 m q_1^2 q_2 (3 q_3 - 2 q_2)`` below -1."""
    ratio = MILLS(x)
    near = finite_or_zero(x)
    first, second, third = (NORMAL_TAIL_QUOTIENT(-near, n) for n in (1, 2, 3))
    below = 2 * ratio * first * first * second * (3 * third - 2 * second)
    return np.where(x < -1, below, -(slope * (near + 2 * ratio) + ratio))


def erfc_of_minus(sp: Any, x: Any) -> Any:
    """Twice the normal distribution at `x`, kept from SymPy's ``2 - erfc(x/sqrt(2))``.

    That form cancels in the lower tail.
    """
    return sp.erfc(-x / sp.sqrt(2), evaluate=False)


def _symbolic_mills(sp: Any, x: Any) -> Any:
    return sp.sqrt(2 / sp.pi) * sp.exp(-(x**2) / 2) / erfc_of_minus(sp, x)


def _ball_mills(ball: Any, x: Any) -> Any:
    root = ball.sqrt(type(x)(2))
    return root / (type(x).const_sqrt_pi() * ball.erfcx(-x / root))


def _symbolic_quotient(sp: Any, x: Any, order: Any) -> Any:
    before, now = sp.S.One, sp.sqrt(sp.pi / 2) * sp.exp(x**2 / 2) * sp.erfc(x / sp.sqrt(2))
    for n in range(1, int(order) + 1):
        before, now = now, (before - x * now) / n
    return now / before


def _ball_quotient(ball: Any, x: Any, order: Any) -> Any:
    root = ball.sqrt(type(x)(2))
    before, now = type(x)(1), type(x).const_sqrt_pi() / root * ball.erfcx(x / root)
    for n in range(1, whole_order(order) + 1):
        before, now = now, (before - x * now) / n
    return now / before


def _ball_mills_slope(ball: Any, x: Any) -> Any:
    ratio = _ball_mills(ball, x)
    return -ratio * (x + ratio)


TIMES_HALF_SQRT_PI: Primitive = declare(
    name="times_half_sqrt_pi",
    evaluate=lambda x: x * (math.sqrt(math.pi) / 2),
    vjp=[lambda g: TIMES_HALF_SQRT_PI(g)],
    symbolic=lambda sp, x: x * sp.sqrt(sp.pi) / 2,
    ball=lambda ball, x: x * type(x).const_sqrt_pi() / 2,
    rounding=(0, 3),
    source="sqrt(pi)/2 x, exact in the symbolic and rigorous readings",
)
ERFCX_KERNEL: Primitive = declare(
    evaluate=erfcx_kernel,
    vjp=[lambda g, x, order: -2 * (order + 1) * (g * ERFCX_KERNEL(x, order + 1)), None],
    symbolic=_symbolic,
    ball=_ball,
    rounding=(16, 64),
    source="DLMF 7.18.7",
    example=[(0.5, 1), (2.25, 2)],
)
MILLS: Primitive = declare(
    evaluate=mills,
    vjp=[lambda g, x: g * MILLS_SLOPE(x)],
    symbolic=_symbolic_mills,
    ball=_ball_mills,
    rounding=(8, 16),
    source="the derivative of log_ndtr, DLMF 7.8.1",
    example=(-0.75,),
)
MILLS_SLOPE: Primitive = declare(
    evaluate=mills_slope,
    vjp=[lambda g, x, y: g * _curvature(x, y)],
    symbolic=lambda sp, x: -_symbolic_mills(sp, x) * (x + _symbolic_mills(sp, x)),
    ball=_ball_mills_slope,
    rounding=(16, 64),
    source="m' = -m (x + m)",
    example=(-0.75,),
)
NORMAL_TAIL_QUOTIENT: Primitive = declare(
    evaluate=normal_tail_quotient,
    vjp=[lambda g, x, order, y: g * _slope_of_quotient(x, order, y), None],
    symbolic=_symbolic_quotient,
    ball=_ball_quotient,
    rounding=(16, 64),
    source="DLMF 7.18.7, 7.18.13",
    example=[(1.5, 1), (0.5, 2)],
)
