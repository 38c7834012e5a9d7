"""Rows: sinc, and the family of functions that its derivatives are made of.

With ``j_k`` the spherical Bessel functions,

    F_k(x) = (2k+1)!! j_k(pi x) / (pi x)^k,      F_0 = sinc,
    F_k'(x) = -pi^2 x / (2k+3) F_{k+1}(x)        (DLMF 10.51.3)

so that derivatives of every order are right at 0, where the closed forms are 0/0. Far out F_{k+1}
underflows long before ``x F_{k+1}``, which is therefore an operation of its own:

    (x F_k)' = (2k+1) F_{k-1} - 2k F_k               (DLMF 10.51.2)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, Primitive, declare, implements
from symtape.primitives.trigonometric import TIMES_PI

_TERMS = 30


def _series(z: Array, order: int) -> Array:
    """The Taylor series of F_order at pi x = z."""
    quarter = z * z / 4
    total = np.ones_like(z)
    for m in range(_TERMS, 0, -1):
        total = 1 - quarter / (m * (m + order + 0.5)) * total
    return total


def _recurrence(x: Array, order: int, scale: Any) -> Array:
    """`scale` times F_order away from 0, upwards from the cosine and the sine (DLMF 10.51.1)."""
    z = np.pi * x
    turn = np.pi * (x - 2 * np.rint(np.real(x) / 2))
    before, now = np.cos(turn) / z, np.sin(turn) / z
    for k in range(order):
        before, now = now, (2 * k + 1) / z * now - before
        scale = scale * (2 * k + 3) / z
    return now * scale


def sinc_kernel(x: Array, order: int) -> Array:
    """F_order at `x`, for `order` from 0 on."""
    near, inside, far = _split_at_zero(np.asarray(x), order)
    return np.where(near, _series(np.pi * inside, order), _recurrence(far, order, 1))


def sinc_slope(x: Array, order: int) -> Array:
    """``x F_order(x)``, which far out is a float where F_order underflows."""
    near, inside, far = _split_at_zero(np.asarray(x), order)
    return np.where(near, inside * _series(np.pi * inside, order), _recurrence(far, order, far))


def _split_at_zero(x: Array, order: int) -> tuple[Array, Array, Array]:
    """Where the series is good; `x` there and elsewhere, with harmless numbers in the gaps."""
    near = np.abs(np.pi * x) <= 2 + order
    return near, np.where(near, x, 0), np.where(near, 2 + order, x)


def _symbolic(sp: Any, x: Any, order: Any) -> Any:
    z = sp.pi * x
    before, now, scale = sp.cos(z) / z, sp.sin(z) / z, sp.Integer(1)
    for k in range(int(order)):
        before, now = now, (2 * k + 1) / z * now - before
        scale = scale * (2 * k + 3) / z
    return sp.expand(now * scale)


def _ball(ball: Any, x: Any, order: Any) -> Any:
    z = x * type(x).pi()
    return (-z * z / 4).hypgeom_0f1(order + type(x)(3) / 2)


def _pull_to_argument(g: Array, x: Array, order: int) -> Array:
    step = g * SINC_SLOPE(x, order + 1)
    return -TIMES_PI(TIMES_PI(step)) / (2 * order + 3)


def _slope_by_x(g: Array, x: Array, order: int) -> Array:
    return g * ((2 * order + 1) * SINC_KERNEL(x, order - 1) - 2 * order * SINC_KERNEL(x, order))


SINC: Primitive = declare(
    evaluate=np.sinc,
    vjp=[lambda g, x: _pull_to_argument(g, x, 0)],
    symbolic=lambda sp, x: sp.sinc(sp.pi * x),
    ball=lambda ball, x: x.sinc_pi(),
    over="x != 0",
    rounding=(2, 4),
    complex="holomorphic",
    source="DLMF 10.51.3",
)
SINC_KERNEL: Primitive = declare(
    evaluate=sinc_kernel,
    vjp=[_pull_to_argument, None],
    symbolic=_symbolic,
    ball=_ball,
    over="x != 0",
    rounding=(2, 16),
    complex="holomorphic",
    source="DLMF 10.51.3",
    example=[(0.75, 1), (3.25, 2)],
)
SINC_SLOPE: Primitive = declare(
    evaluate=sinc_slope,
    vjp=[_slope_by_x, None],
    symbolic=lambda sp, x, order: x * _symbolic(sp, x, order),
    ball=lambda ball, x, order: x * _ball(ball, x, order),
    over="x != 0",
    rounding=(2, 16),
    complex="holomorphic",
    source="DLMF 10.51.2",
    example=[(0.75, 1), (3.25, 2)],
)


@implements(np.sinc)
def _sinc(x: Array) -> Array:
    return SINC(to_array(x))
