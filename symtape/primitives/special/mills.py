"""Rows: the scaled complementary error function's derivatives, and the Mills ratio.

The repeated integrals of erfc, scaled,

    E_n(x) = exp(x^2) i^n erfc(x),      E_0 = erfcx,      E_n' = -2 (n+1) E_{n+1}

(DLMF 7.18.2, 7.18.7) are positive, so nothing cancels in a derivative of erfcx.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

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


def erfcx_kernel(x: Array, order: int) -> Array:
    """E_order at `x`."""
    x = np.asarray(x)
    wide = x.astype(np.float64)
    far = wide > _SWITCH
    result: Array = np.where(
        far,
        _downwards(np.where(far, wide, 10.0), order),
        _upwards(np.where(far, 0.0, wide), order),
    )
    return result.astype(x.dtype) if x.dtype.kind == "f" else result


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


def mills(x: Array) -> Array:
    """Density over distribution of the normal law at `x`."""
    x = np.asarray(x)
    wide = x.astype(np.float64)
    low, high = np.minimum(wide, 0), np.maximum(wide, 0)
    result = np.where(
        wide < 0,
        math.sqrt(2 / math.pi) / special.erfcx(low * -math.sqrt(0.5)),
        normal_density(high) / special.ndtr(high),
    )
    return result.astype(x.dtype) if x.dtype.kind == "f" else result


def mills_slope(x: Array) -> Array:
    """``-m (x + m)`` of the ratio m; by E_1 where x and m cancel."""
    x = np.asarray(x)
    wide = x.astype(np.float64)
    ratio = mills(wide)
    scaled = np.minimum(wide, 0) * -math.sqrt(0.5)
    tail = (2 / math.sqrt(math.pi)) * erfcx_kernel(scaled, 1) / special.erfcx(scaled) ** 2
    result = np.where(wide < -1, -tail, -ratio * (wide + ratio))
    return result.astype(x.dtype) if x.dtype.kind == "f" else result


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
    example=(0.75,),
)
ERFCX_KERNEL: Primitive = declare(
    name="erfcx_kernel",
    evaluate=erfcx_kernel,
    vjp=[lambda g, x, order: -2 * (order + 1) * (g * ERFCX_KERNEL(x, order + 1)), None],
    symbolic=_symbolic,
    ball=_ball,
    rounding=(16, 64),
    source="DLMF 7.18.7",
    example=[(0.5, 1), (2.25, 2)],
)
MILLS: Primitive = declare(
    name="mills",
    evaluate=mills,
    vjp=[lambda g, x: g * MILLS_SLOPE(x)],
    symbolic=_symbolic_mills,
    ball=_ball_mills,
    rounding=(8, 16),
    source="the derivative of log_ndtr, DLMF 7.8.1",
    example=(-0.75,),
)
MILLS_SLOPE: Primitive = declare(
    name="mills_slope",
    evaluate=mills_slope,
    vjp=[lambda g, x, y: -g * (y * (x + 2 * MILLS(x)) + MILLS(x))],
    symbolic=lambda sp, x: -_symbolic_mills(sp, x) * (x + _symbolic_mills(sp, x)),
    ball=_ball_mills_slope,
    rounding=(16, 64),
    source="m' = -m (x + m)",
    example=(-0.75,),
)
